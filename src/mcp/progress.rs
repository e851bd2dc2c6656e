//! Tells the client how a run goes on, if it asked to be told. Only passages of this profile's tree are
//! counted: how many notes a run looks at would tell of private ones.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::service::RequestContext;
use rmcp::{Peer, RoleServer};
use tokio::runtime::Handle;

use crate::ops::{Progress, Stage};

/// At most so often.
const BETWEEN: Duration = Duration::from_millis(250);
/// How long a notification may take to be written. At the end of the input rmcp never says that it was.
const PATIENCE: Duration = Duration::from_millis(100);

/// The client's end of a run.
pub(super) struct Reporter {
    token: Option<ProgressToken>,
    peer: Peer<RoleServer>,
    runtime: Handle,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// Passages to embed, while that goes on.
    total: Option<u64>,
    done: u64,
    told_at: Option<Instant>,
    /// The client no longer takes notifications.
    is_silent: bool,
}

impl Reporter {
    /// To be made on an async thread and used on any other.
    pub(super) fn new(context: &RequestContext<RoleServer>) -> Reporter {
        Reporter {
            token: context.meta.get_progress_token(),
            peer: context.peer.clone(),
            runtime: Handle::current(),
            state: Mutex::default(),
        }
    }

    /// Waits until it is written, so that none can follow the answer.
    fn tell(&self, state: &mut State, message: &str) {
        let Some(token) = self.token.clone().filter(|_| !state.is_silent) else { return };
        let mut told = ProgressNotificationParam::new(token, state.done as f64).with_message(message);
        told.total = state.total.map(|total| total as f64);
        let sending = async { tokio::time::timeout(PATIENCE, self.peer.notify_progress(told)).await };
        state.is_silent = !matches!(self.runtime.block_on(sending), Ok(Ok(())));
        state.told_at = Some(Instant::now());
    }

    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Progress for Reporter {
    fn begin(&self, kind: Stage, total: u64) {
        let mut state = self.state();
        match kind {
            Stage::Words if state.told_at.is_none() => self.tell(&mut state, "reading notes"),
            Stage::Scanning | Stage::Words => {}
            Stage::Vectors => state.total = Some(total),
        }
    }

    fn advance(&self, units: u64) {
        let mut state = self.state();
        if state.total.is_none() {
            return;
        }
        state.done += units;
        let is_due = state.told_at.is_none_or(|told_at| told_at.elapsed() >= BETWEEN);
        // Progress must grow from one notification to the next.
        if is_due && units > 0 {
            self.tell(&mut state, "making vectors of passages");
        }
    }

    fn end(&self) {}
}
