//! The few styles of the output.

use anstyle::{AnsiColor, Style};

/// Where a passage comes from.
pub(in crate::cli) const CITATION: Style = AnsiColor::Cyan.on_default().bold();
/// Words of the query.
pub(in crate::cli) const MATCH: Style = AnsiColor::Yellow.on_default().bold();
/// What is less important.
pub(in crate::cli) const DIM: Style = Style::new().dimmed();
/// A heading over a part of an answer.
pub(in crate::cli) const HEADING: Style = Style::new().bold();
/// What went wrong.
pub(in crate::cli) const ERROR: Style = AnsiColor::Red.on_default().bold();
/// A line that goes.
pub(in crate::cli) const REMOVED: Style = AnsiColor::Red.on_default();
/// A line that comes.
pub(in crate::cli) const ADDED: Style = AnsiColor::Green.on_default();
