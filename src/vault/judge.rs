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

/// Does the note say of itself, in properties that nobody can misread, that it is public? Narrow where
/// [`judge`] is wide: only the tags at the top of a well-formed block that begins the note count.
pub(super) fn is_allowed_by_tag(rules: &Rules, text: &str) -> bool {
    let begins_with_block = text.starts_with("---\n") || text.starts_with("---\r\n");
    begins_with_block
        && area::areas(text).first().is_some_and(|area| properties::has_allowed_tag(rules, area))
}

#[cfg(test)]
mod tests;
