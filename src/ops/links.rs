//! Links of a note: what it links to, what links to it, what it names that is not there.

use serde::Serialize;

/// Which way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Direction {
    /// Both ways.
    #[default]
    Both,
    /// From the note.
    Outgoing,
    /// To the note.
    Backlinks,
}

/// A question about a note's links.
#[derive(Debug, Clone, Default)]
pub struct LinksRequest {
    /// Path, title, alias or wikilink.
    pub name: String,
    /// Which way.
    pub direction: Direction,
}

/// The other end of a link.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct LinkedNote {
    /// Vault-relative path.
    pub path: String,
    /// The note's title.
    pub title: String,
}

/// The links of a note.
#[derive(Debug, Clone, Serialize)]
pub struct LinksAnswer {
    /// The note asked for.
    pub path: String,
    /// Its title.
    pub title: String,
    /// Notes it links to or embeds, in order of first mention.
    pub outgoing: Vec<LinkedNote>,
    /// Notes that link to it, by path.
    pub backlinks: Vec<LinkedNote>,
    /// Targets as written that lead to no note, in order of first mention.
    pub unresolved: Vec<String>,
}
