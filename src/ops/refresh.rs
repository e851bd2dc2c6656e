//! Keeps the index of a running server true to the vault: once when it starts, and whenever a request
//! meets a note that the index has and the vault no longer gives, or gives with another text, and whenever
//! a change of the vault is heard (see [`watch`]). A note or a part that turned private is erased from the
//! public tree that way, though nobody runs `obsearch index`.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::{Service, watch};
use crate::index::{IndexError, Tree};
use crate::sync::{Mode, Progress, Stage, SyncError};
use crate::vault::Session;

/// How long a server that has an index waits before it first looks for what changed.
const BEFORE_FIRST_RUN: Duration = Duration::from_secs(1);
/// Between two runs, so that a vault in flux does not keep a core busy; longer after runs that found
/// nothing to do, such as for a note that cannot be read for a reason that its looks do not show.
const BETWEEN_RUNS: Duration = Duration::from_millis(200);
const BETWEEN_IDLE_RUNS: Duration = Duration::from_millis(1_500);
/// Before the next try while another process writes the index.
const WHILE_LOCKED: Duration = Duration::from_millis(500);
/// Before the next try after a failure: it is seldom gone at once.
const AFTER_FAILURE: Duration = Duration::from_secs(10);

/// Asks for runs and waits for being asked.
#[derive(Debug, Default)]
pub(super) struct Refresher {
    is_due: Mutex<bool>,
    wake: Condvar,
    /// Runs that a client asked for, and that wait for the server's own.
    waiting: AtomicUsize,
    /// When the next run by the clock is due or was, in seconds since 1970; 0: none is.
    due_by_the_clock: AtomicU64,
    /// Changes of the vault are heard: nobody has to ask for runs to see them.
    hears: AtomicBool,
}

/// Held by a run that a client asked for: the server's own makes way for it.
pub(super) struct Way<'a>(&'a Refresher);

impl Drop for Way<'_> {
    fn drop(&mut self) {
        self.0.waiting.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Way<'_> {
    /// Shall the run stop making vectors, because there is something to erase?
    pub(super) fn should_stop(&self) -> bool {
        self.0.is_asked()
    }
}

impl Refresher {
    /// Asks for a run if this request showed that the index is out of date.
    pub(super) fn look_at(&self, session: &Session<'_>, tree: &Tree) {
        if session.has_surprised() || tree.header().rules != session.rules_fingerprint() {
            self.ask();
        }
    }

    /// Stops the server's own run where it is making vectors, for as long as the answer is held.
    pub(super) fn make_way(&self) -> Way<'_> {
        self.waiting.fetch_add(1, Ordering::SeqCst);
        Way(self)
    }

    /// Asks for a run.
    pub(super) fn ask(&self) {
        *self.is_due.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.wake.notify_all();
    }

    /// Asks for a run because it is time for one.
    pub(super) fn ask_by_the_clock(&self) {
        self.is_due_now();
        self.ask();
    }

    fn is_due_now(&self) {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(1, |since| since.as_secs());
        self.due_by_the_clock.store(now, Ordering::SeqCst);
    }

    /// Are changes heard?
    pub(super) fn hears(&self, hears: bool) {
        self.hears.store(hears, Ordering::SeqCst);
    }

    /// Asks for a run if changes would not be heard otherwise.
    pub(super) fn ask_unless_it_hears(&self) {
        if !self.hears.load(Ordering::SeqCst) {
            self.ask();
        }
    }

    fn is_asked(&self) -> bool {
        *self.is_due.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until a run is asked for, at most this long if a limit is given. Takes the request and tells
    /// whether there was one.
    fn wait(&self, at_most: Option<Duration>) -> bool {
        let mut is_due = self.is_due.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(limit) = at_most {
            let waited = self.wake.wait_timeout_while(is_due, limit, |is_due| !*is_due);
            is_due = waited.unwrap_or_else(PoisonError::into_inner).0;
        } else {
            is_due = self.wake.wait_while(is_due, |is_due| !*is_due).unwrap_or_else(PoisonError::into_inner);
        }
        std::mem::take(&mut *is_due)
    }
}

/// Says nothing, and stops making vectors when there is something to erase or somebody waits.
impl Progress for Refresher {
    fn begin(&self, _: Stage, _: u64) {}
    fn advance(&self, _: u64) {}
    fn end(&self) {}

    fn should_stop(&self) -> bool {
        self.is_asked() || self.waiting.load(Ordering::SeqCst) > 0
    }
}

/// Loads the model, then runs for ever. Searches work meanwhile: over the index as it is, or over the
/// words of the notes where there is none.
pub(super) fn run(service: &Arc<Service>) {
    let refresher = &service.refresher;
    if service.load_model() {
        // An index answers already: the first questions go before bringing it up to date.
        refresher.wait(Some(BEFORE_FIRST_RUN));
    }
    // Before the first run: whatever it does not see is heard.
    watch::begin(service);
    let mut pause = BETWEEN_RUNS;
    let mut was_asked = false;
    refresher.is_due_now();
    loop {
        let due = refresher.due_by_the_clock.swap(0, Ordering::SeqCst);
        let mode = if due > 0 { Mode::ByTheClock { due } } else { Mode::Woken };
        let outcome = match service.index(&[service.profile], mode, refresher) {
            // One that keeps its notes for a disk to come back behaves like one that has lost its last.
            Err(SyncError::EmptyVault { .. }) => Ok(Vec::new()),
            outcome => outcome,
        };
        if outcome.is_err() {
            refresher.due_by_the_clock.fetch_max(due, Ordering::SeqCst);
        }
        service.first_run_is_over();
        let mut at_most = None;
        pause = match outcome {
            Ok(trees) => {
                if trees.iter().any(|tree| tree.is_purge_due) {
                    refresher.ask();
                }
                let is_bare = trees.iter().all(|tree| tree.notes == 0);
                let is_idle =
                    is_bare || trees.iter().all(|tree| tree.added + tree.changed + tree.removed == 0);
                // What woke a run that found nothing may be private: not even a line of the log tells of it.
                if due > 0 && is_bare {
                    tracing::warn!("the vault shows no notes; is its disk mounted?");
                } else if due > 0 || !is_idle {
                    tracing::info!("the index is up to date");
                }
                if is_idle { (pause * 2).min(BETWEEN_IDLE_RUNS) } else { BETWEEN_RUNS }
            }
            Err(SyncError::Index(IndexError::Locked)) => {
                tracing::debug!("another process is indexing");
                if was_asked {
                    // What the other began before the change that is to be erased may not notice it.
                    refresher.ask();
                } else {
                    at_most = Some(AFTER_FAILURE);
                }
                WHILE_LOCKED
            }
            // The kind only: the text may name files.
            Err(_) => {
                tracing::warn!("the index could not be brought up to date; run `obsearch index`");
                AFTER_FAILURE
            }
        };
        std::thread::sleep(pause);
        was_asked = refresher.wait(at_most);
    }
}
