//! Who waits for an answer: it may go away, and it may want to hear how a long run goes on.

use std::sync::Arc;

use crate::sync::{Progress, Silent};
use crate::vault::IsWanted;

/// Waits for one answer.
#[derive(Clone)]
pub struct Caller<'a> {
    is_waiting: IsWanted,
    progress: &'a dyn Progress,
}

impl Caller<'_> {
    /// Waits to the end, and wants to hear nothing but the answer.
    pub fn patient() -> Caller<'static> {
        Caller { is_waiting: Arc::new(|| true), progress: &Silent }
    }
}

impl<'a> Caller<'a> {
    /// Waits for as long as `is_waiting` says so.
    pub fn new(is_waiting: IsWanted, progress: &'a dyn Progress) -> Caller<'a> {
        Caller { is_waiting, progress }
    }

    /// Is it still there?
    pub fn is_waiting(&self) -> bool {
        (self.is_waiting)()
    }

    pub(super) fn as_wanting(&self) -> IsWanted {
        Arc::clone(&self.is_waiting)
    }

    pub(super) fn progress(&self) -> &'a dyn Progress {
        self.progress
    }
}
