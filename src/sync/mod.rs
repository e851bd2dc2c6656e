//! Vault -> tree: what changed, and the smallest work that makes the tree say so.

mod base;
mod links;
mod look;
mod models;
mod plan;
mod prepare;
mod run;
mod summary;
mod vectors;

pub use models::ModelsByProfile;
pub use plan::{Candidate, Plan, Trust, plan};
pub use run::{BOTH_PROFILES, Job, Mode, run};
pub use summary::{SkipReason, Skipped, TreeSummary};

use crate::embed::EmbedError;
use crate::index::IndexError;
use crate::vault::RulesUnavailable;

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
    /// Asked between batches of vectors: shall the run stop there? The next run makes what is missing.
    fn should_stop(&self) -> bool {
        false
    }
    /// Asked between batches of notes and of vectors: shall the run end, unfinished? What it wrote stays, and
    /// the next run goes on from there.
    fn is_abandoned(&self) -> bool {
        false
    }
}

/// Says nothing.
pub struct Silent;

impl Progress for Silent {
    fn begin(&self, _: Stage, _: u64) {}
    fn advance(&self, _: u64) {}
    fn end(&self) {}
}

/// A run could not be finished. What was there before still is.
#[derive(Debug, thiserror::Error)]
pub enum SyncError {
    /// The privacy rules cannot be read: nothing is indexed.
    #[error(transparent)]
    Rules(#[from] RulesUnavailable),
    /// A tree cannot be used or written.
    #[error(transparent)]
    Index(#[from] IndexError),
    /// The vault's root cannot be read.
    #[error("the vault cannot be read: {0}")]
    Vault(std::io::Error),
    /// The vault shows no note at all, though the tree has some: it may be unmounted.
    #[error("the vault shows no notes, though the index has {indexed}; nothing was removed")]
    EmptyVault {
        /// Notes in the tree.
        indexed: usize,
    },
    /// A new tree would lack the vectors that the old one has.
    #[error("{0}; the index is as it was")]
    Model(EmbedError),
    /// Whoever wanted it has gone.
    #[error("nobody waits for the run any more; the next one goes on from there")]
    Abandoned,
}
