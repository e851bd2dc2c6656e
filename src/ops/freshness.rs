//! How far the index of a profile is behind the vault, for the owner: what the next run would do, as numbers.
//! It writes nothing.

use rayon::prelude::*;

use super::error::vault_unavailable;
use super::{Caller, OpError, Service};
use crate::index::Tree;
use crate::sync::{Candidate, Trust, plan};
use crate::vault::Session;

/// What changed since the index last saw the vault.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Freshness {
    /// Notes that this profile sees and the index does not have.
    pub added: usize,
    /// Notes with another text than the index has.
    pub changed: usize,
    /// Notes that the index has and this profile does not see: gone, or private by now.
    pub removed: usize,
    /// The index was built under other privacy rules.
    pub other_rules: bool,
}

impl Freshness {
    /// Is the index as the vault is?
    pub fn is_fresh(&self) -> bool {
        *self == Freshness::default()
    }

    fn plus(self, other: Freshness) -> Freshness {
        Freshness {
            added: self.added + other.added,
            changed: self.changed + other.changed,
            removed: self.removed + other.removed,
            other_rules: self.other_rules || other.other_rules,
        }
    }
}

/// None where there is no index.
pub(super) fn run(service: &Service, caller: &Caller<'_>) -> Result<Option<Freshness>, OpError> {
    service.request(caller, |session, tree| tree.map(|tree| compare(session, tree)).transpose())
}

fn compare(session: &Session<'_>, tree: &Tree) -> Result<Freshness, OpError> {
    let walk = session.walk().map_err(|error| vault_unavailable(error.to_string()))?;
    let other_rules = tree.header().rules != session.rules_fingerprint();
    let trust = if other_rules { Trust::Nothing } else { Trust::Looks };
    let plan = plan(&walk.notes, tree.notes()?, trust);
    let differing = plan.read.par_iter().map(|candidate| difference(session, candidate));
    let gone = Freshness { removed: plan.gone.len(), other_rules, ..Freshness::default() };
    Ok(differing.reduce(Freshness::default, Freshness::plus).plus(gone))
}

fn difference(session: &Session<'_>, candidate: &Candidate) -> Freshness {
    let opened = session.open(&candidate.path).ok();
    let fresh = Freshness::default();
    match (&candidate.known, opened) {
        (None, Some(_)) => Freshness { added: 1, ..fresh },
        (Some(known), Some(note)) if note.content_hash() != known.hash => Freshness { changed: 1, ..fresh },
        (Some(_), None) => Freshness { removed: 1, ..fresh },
        _ => fresh,
    }
}
