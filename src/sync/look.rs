//! A look before the lock. A run that a change woke often finds that the change was of a private note, or of none:
//! then there is nothing to write, and nobody who writes meanwhile is kept waiting.

use super::plan::{Trust, plan};
use super::prepare::{Prepared, prepare};
use super::run::{Job, Mode};
use super::{SyncError, TreeSummary};
use crate::index::Tree;
use crate::vault::{Profile, Session};

/// What the tree of this profile is, if a run that was woken has nothing to write to it. Anything out of the
/// ordinary is for the run itself.
pub(super) fn idle(job: &Job<'_>, profile: Profile) -> Result<Option<TreeSummary>, SyncError> {
    if job.mode != Mode::Woken {
        return Ok(None);
    }
    let Some(path) = job.store.current(profile)? else { return Ok(None) };
    let Ok(tree) = Tree::open(&path, profile, job.store.vault_id()) else { return Ok(None) };
    let header = tree.header();
    let (notes, chunks, pending) = tree.counts()?;
    let models = job.models.of(profile);
    let is_whole = header.complete && pending == 0 && models.accepts(header.model.as_deref());
    if !is_whole || tree.has_unfinished_work()? {
        return Ok(None);
    }
    let has_changed = job.vault.request(profile, |session| has_changed(session, &tree))??;
    Ok((!has_changed).then(|| TreeSummary {
        notes,
        chunks,
        model: header.model.as_deref().map(|id| id.split('@').next().unwrap_or(id).to_owned()),
        ..TreeSummary::new(profile)
    }))
}

fn has_changed(session: &Session<'_>, tree: &Tree) -> Result<bool, SyncError> {
    let walk = session.walk().map_err(SyncError::Vault)?;
    if walk.notes.is_empty() || tree.header().rules != session.rules_fingerprint() {
        return Ok(true);
    }
    let plan = plan(&walk.notes, tree.notes()?, Trust::Looks);
    if !plan.gone.is_empty() {
        return Ok(true);
    }
    let is_new = |prepared: &Prepared| !matches!(prepared, Prepared::Refused { known: None, .. });
    let unchanged =
        prepare(session, &plan.read, |batch| if batch.iter().any(is_new) { Err(()) } else { Ok(()) });
    Ok(unchanged.is_err())
}
