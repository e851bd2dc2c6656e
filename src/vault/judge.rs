//! (Rules, text of a note) -> public or private. Pure; fails closed; linear time.
//!
//! The judge sees more than any reader of Markdown does: tags in code, comments and broken
//! properties count, the properties block is looked for more widely than Obsidian looks, and a
//! flag is on unless it is plainly off. Whatever a display parser takes for a private tag or flag
//! must be one here.

mod area;
mod inline;
mod node;
mod properties;

use super::rules::Rules;

/// Who may see a note.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    /// Everyone.
    Public,
    /// The owner only.
    Private,
}

/// Judges the text of a note, not its name.
pub(super) fn judge(rules: &Rules, text: &str) -> Verdict {
    let private = rules.judges_content()
        && (inline::has_private_tag(rules, text)
            || area::areas(text).iter().any(|area| properties::is_private(rules, area)));
    if private { Verdict::Private } else { Verdict::Public }
}

#[cfg(test)]
mod tests;
