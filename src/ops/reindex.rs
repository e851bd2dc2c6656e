//! Reindex: bring the index of this profile up to date, when the owner allows clients to ask.

use std::time::{Duration, Instant};

use serde::Serialize;

use super::refresh::Way;
use super::shown::{Shown, Shows};
use super::trees::check_presence;
use super::{Caller, OpError, Service};
use crate::index::IndexError;
use crate::reply::Reply;
use crate::sync::{Mode, Progress, Stage, SyncError};

/// How much to redo.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ReindexMode {
    /// Only what changed.
    #[default]
    Incremental,
    /// Everything, in a new generation beside the old.
    Full,
}

/// A reindex as asked.
#[derive(Debug, Clone, Default)]
pub struct ReindexRequest {
    /// How much to redo.
    pub mode: ReindexMode,
}

/// What was done, counted over this profile's notes only.
#[derive(Debug, Clone, Serialize)]
pub struct ReindexAnswer {
    /// Notes in the index now.
    pub notes: u64,
    /// Notes new in this run.
    pub added: u64,
    /// Notes whose content changed.
    pub changed: u64,
    /// Notes that went away.
    pub removed: u64,
    /// Passages still without a vector.
    pub pending_vectors: u64,
    /// Wall time.
    pub seconds: f64,
}

impl Shows for ReindexAnswer {
    /// It names no note.
    fn tell(&self, _: &mut Shown) {}
}

/// A run that a caller waits for and listens to.
struct Watched<'a> {
    way: Way<'a>,
    caller: &'a Caller<'a>,
}

impl Progress for Watched<'_> {
    fn begin(&self, stage: Stage, total: u64) {
        self.caller.progress().begin(stage, total);
    }

    fn advance(&self, units: u64) {
        self.caller.progress().advance(units);
    }

    fn end(&self) {
        self.caller.progress().end();
    }

    fn should_stop(&self) -> bool {
        self.way.should_stop()
    }

    fn is_abandoned(&self) -> bool {
        !self.caller.is_waiting()
    }
}

/// How long a run waits for another process that writes the index. A server that was woken does so for a moment,
/// perhaps by a private note: who waits does not notice.
const PATIENCE: Duration = Duration::from_millis(300);
const BETWEEN_TRIES: Duration = Duration::from_millis(50);

fn when_unlocked<T>(
    caller: &Caller<'_>,
    mut run: impl FnMut() -> Result<T, SyncError>,
) -> Result<T, SyncError> {
    let began = Instant::now();
    loop {
        match run() {
            Err(SyncError::Index(IndexError::Locked))
                if began.elapsed() < PATIENCE && caller.is_waiting() =>
            {
                std::thread::sleep(BETWEEN_TRIES);
            }
            done => return done,
        }
    }
}

pub(super) fn run(
    service: &Service,
    request: &ReindexRequest,
    caller: &Caller<'_>,
) -> Result<Reply<ReindexAnswer>, OpError> {
    if !service.allow_reindex {
        return Err(OpError::NotAllowed("the owner does not allow clients to reindex"));
    }
    // Asks for no run of the server's own, which would do the work before this one can tell of it.
    service.with_tree(|tree| {
        service.vault.request(service.profile, |session| check_presence(session, tree))?
    })?;
    let mode = match request.mode {
        ReindexMode::Incremental => Mode::Incremental,
        ReindexMode::Full => Mode::Rebuild,
    };
    let watched = Watched { way: service.refresher.make_way(), caller };
    let done = when_unlocked(caller, || service.index(&[service.profile], mode, &watched))?;
    let Some(done) = done.into_iter().next() else { return Err(OpError::NotFound) };
    Ok(Reply::about_run(ReindexAnswer {
        notes: done.notes,
        added: done.added,
        changed: done.changed,
        removed: done.removed,
        pending_vectors: done.pending_vectors,
        seconds: done.seconds,
    }))
}
