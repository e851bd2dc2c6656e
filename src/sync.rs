//! Vault -> tree: what changed, and the smallest work that makes the tree say so.

use serde::Serialize;

use crate::vault::Profile;

/// The part of a run that is going on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// Looking for notes.
    Scanning,
    /// Reading notes and indexing their words; counted in notes.
    Words,
    /// Making vectors; counted in passages.
    Vectors,
}

/// Is told how a run goes on. Called from many threads.
pub trait Progress: Sync {
    /// A stage begins, with so many units of work.
    fn begin(&self, stage: Stage, total: u64);
    /// So many more units are done.
    fn advance(&self, units: u64);
    /// The stage is over.
    fn end(&self);
}

/// Says nothing.
pub struct Silent;

impl Progress for Silent {
    fn begin(&self, _: Stage, _: u64) {}
    fn advance(&self, _: u64) {}
    fn end(&self) {}
}

/// Why a file of the vault is not in a tree. For the owner's terminal only.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SkipReason {
    /// A privacy rule (public tree only).
    Private,
    /// Larger than `max_note_bytes`.
    TooLarge,
    /// NUL bytes or an unknown encoding.
    NotText,
    /// No permission, or a read error.
    Unreadable,
    /// A symbolic link, or a hard link that leads out of the vault.
    Link,
    /// A name that obsearch cannot serve: not UTF-8, control characters, `\` or `:`.
    Name,
    /// A pipe, a socket, a device, or a folder with the name of a note.
    NotAFile,
    /// It kept changing while it was read.
    Unstable,
}

/// What a run did to one tree.
#[derive(Debug, Clone, Serialize)]
pub struct TreeSummary {
    /// `public` or `full`.
    pub profile: &'static str,
    /// Notes in the tree now.
    pub notes: u64,
    /// Passages in the tree now.
    pub chunks: u64,
    /// Notes new in this run.
    pub added: u64,
    /// Notes whose content changed.
    pub changed: u64,
    /// Notes that went away, or became private.
    pub removed: u64,
    /// Files left out, by reason, with up to 5 names each.
    pub skipped: Vec<Skipped>,
    /// Vectors made in this run.
    pub embedded: u64,
    /// Passages still without a vector.
    pub pending_vectors: u64,
    /// The embedding model, none for keyword only.
    pub model: Option<String>,
    /// The tree was built anew, and why.
    pub rebuilt: Option<&'static str>,
    /// Wall time of this tree's part of the run.
    pub seconds: f64,
}

/// Files left out for one reason.
#[derive(Debug, Clone, Serialize)]
pub struct Skipped {
    /// Why.
    pub reason: SkipReason,
    /// How many.
    pub count: u64,
    /// Some of them.
    pub examples: Vec<String>,
}

/// The profiles a run builds.
pub const BOTH_PROFILES: [Profile; 2] = [Profile::Public, Profile::Full];
