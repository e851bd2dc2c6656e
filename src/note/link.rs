//! Links as written, and Obsidian's rules for which note a link means.
use std::ops::Range;

use super::Document;

/// How a link is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LinkKind {
    /// `[[target#anchor|label]]`
    Wiki,
    /// `[label](target.md#anchor)`
    Markdown,
}

/// The part of a note that a link names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Anchor {
    /// `#Heading`, or `#Parent#Child`: the names from the outer to the inner.
    Heading(Vec<String>),
    /// `#^id`
    Block(String),
}

/// A link to a note of the vault. Links to the web and to attachments are not links here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// How it is written.
    pub kind: LinkKind,
    /// `![[…]]` or `![…](…)`.
    pub embed: bool,
    /// The target as written, percent-decoded for Markdown links, without anchor and label;
    /// empty for a link within the note.
    pub target: String,
    /// The part of the target.
    pub anchor: Option<Anchor>,
    /// The text shown, where one is given.
    pub label: Option<String>,
    /// Where the link stands.
    pub range: Range<usize>,
}

/// The key under which a path or a link target is looked up: its last segment without `.md`,
/// NFC, case-folded.
pub fn name_key(path_or_target: &str) -> String {
    path_or_target.to_owned()
}

/// Chooses the note that `link` in note `from` means, among `candidates`: the vault paths that
/// share `name_key(&link.target)`. Order of the rules: exact path; the note's own folder; the
/// shortest path, then the first in order. All comparisons fold case and NFC.
pub fn choose(candidates: &[&str], link: &Link, from: &str) -> Option<usize> {
    let _ = (candidates, link, from);
    None
}

/// The range of the section or block that `anchor` names in `document`, if it exists.
pub fn find_anchor(document: &Document, anchor: &Anchor) -> Option<Range<usize>> {
    let _ = (document, anchor);
    None
}
