//! Events on standard error: warnings, and with `--verbose` more. They hold no note's name or text,
//! and what libraries would tell about requests is dropped.

use tracing::level_filters::LevelFilter;
use tracing_subscriber::Layer;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

use crate::mcp;

/// Starts telling events. A second start in one process changes nothing.
pub(super) fn start(is_verbose: bool) {
    let level = if is_verbose { LevelFilter::DEBUG } else { LevelFilter::WARN };
    let events = tracing_subscriber::fmt::layer()
        .with_writer(std::io::stderr)
        .with_ansi(false)
        .with_filter(mcp::log_filter())
        .with_filter(level);
    let _ = tracing_subscriber::registry().with(events).try_init();
}
