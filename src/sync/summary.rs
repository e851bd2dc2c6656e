//! What a run did, for the owner's terminal. Counts of private notes appear here and nowhere else.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::embed::EmbedError;
use crate::vault::{PassedOver, Profile, Refusal};

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
    /// Why passages have no vector, and what to do; none if the model works.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model_failure: Option<String>,
    /// A reader held on to removed text; the next run erases it.
    #[serde(skip)]
    pub is_purge_due: bool,
    /// The tree was built anew, and why.
    pub rebuilt: Option<&'static str>,
    /// Wall time of this tree's part of the run.
    pub seconds: f64,
}

impl TreeSummary {
    pub(super) fn new(profile: Profile) -> TreeSummary {
        TreeSummary {
            profile: profile.as_str(),
            notes: 0,
            chunks: 0,
            added: 0,
            changed: 0,
            removed: 0,
            skipped: Vec::new(),
            embedded: 0,
            pending_vectors: 0,
            model: None,
            model_failure: None,
            is_purge_due: false,
            rebuilt: None,
            seconds: 0.0,
        }
    }

    pub(super) fn note_model_failure(&mut self, error: &EmbedError) {
        self.model_failure = Some(format!("{error}. {}", error.fix()));
    }
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

/// Collects what is left out.
#[derive(Debug, Default)]
pub(super) struct SkipCounter {
    by_reason: BTreeMap<SkipReason, Skipped>,
}

impl SkipCounter {
    const EXAMPLES: usize = 5;

    pub(super) fn add(&mut self, reason: SkipReason, name: &str) {
        let skipped = self.by_reason.entry(reason).or_insert_with(|| Skipped {
            reason,
            count: 0,
            examples: Vec::new(),
        });
        skipped.count += 1;
        if skipped.examples.len() < Self::EXAMPLES {
            skipped.examples.push(name.to_owned());
        }
    }

    pub(super) fn into_skipped(self) -> Vec<Skipped> {
        self.by_reason.into_values().collect()
    }
}

impl From<PassedOver> for SkipReason {
    fn from(reason: PassedOver) -> SkipReason {
        match reason {
            PassedOver::Private => SkipReason::Private,
            PassedOver::Name => SkipReason::Name,
            PassedOver::Link => SkipReason::Link,
            PassedOver::NotAFile => SkipReason::NotAFile,
            PassedOver::Unreadable => SkipReason::Unreadable,
        }
    }
}

impl From<Refusal> for SkipReason {
    fn from(refusal: Refusal) -> SkipReason {
        match refusal {
            Refusal::Private => SkipReason::Private,
            Refusal::TooLarge => SkipReason::TooLarge,
            Refusal::NotText => SkipReason::NotText,
            Refusal::NotAFile => SkipReason::NotAFile,
            Refusal::Unstable => SkipReason::Unstable,
            Refusal::Absent | Refusal::Denied | Refusal::Placeholder => SkipReason::Unreadable,
        }
    }
}
