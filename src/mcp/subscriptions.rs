//! Tells clients that notes changed: which of the addresses they watch, and that the list is another one. It
//! follows the catalogue of the index, in which a private note is as absent as a missing one; an address is
//! watched whether or not there is such a note.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rmcp::model::{
    ResourceListChangedNotification, ResourceUpdatedNotification, ResourceUpdatedNotificationParam,
};
use rmcp::model::{ServerNotification, SubscriptionFilter};
use rmcp::{Peer, RoleServer};
use tokio::task::AbortHandle;

use super::operations::Operations;
use super::uri;
use crate::ops::catalogue::Catalogue;

/// Streams of notifications at once.
pub(super) const MAX_STREAMS: usize = 16;
/// Addresses that one client may watch.
pub(super) const MAX_ADDRESSES: usize = 1000;
/// Between two looks at the catalogue, for each begun ten thousand notes: a look costs time in proportion.
const BETWEEN_LOOKS: Duration = Duration::from_secs(3);
const NOTES_PER_INTERVAL: usize = 10_000;

/// Sees what becomes different from one look to the next.
pub(super) struct Watch<O> {
    operations: Arc<O>,
    /// As of the last look; none before there is an index.
    seen: Option<Catalogue>,
}

impl<O: Operations> Watch<O> {
    /// From what the catalogue is now on.
    pub(super) async fn begin(operations: Arc<O>) -> Watch<O> {
        let mut watch = Watch { operations, seen: None };
        watch.seen = watch.look().await;
        watch
    }

    /// Waits for a difference and gives what to tell about it, for a client that wants to hear `wanted`.
    pub(super) async fn next(&mut self, wanted: impl Fn() -> SubscriptionFilter) -> Vec<ServerNotification> {
        loop {
            let notes = self.seen.as_ref().map_or(0, Catalogue::len);
            let intervals = u32::try_from(1 + notes / NOTES_PER_INTERVAL).unwrap_or(u32::MAX);
            tokio::time::sleep(BETWEEN_LOOKS * intervals).await;
            // An index that cannot be read now is looked at again.
            let Some(now) = self.look().await else { continue };
            let news = self.seen.as_ref().map_or_else(Vec::new, |seen| news(seen, &now, &wanted()));
            self.seen = Some(now);
            if !news.is_empty() {
                return news;
            }
        }
    }

    async fn look(&self) -> Option<Catalogue> {
        let operations = Arc::clone(&self.operations);
        let looking = tokio::task::spawn_blocking(move || operations.catalogue());
        looking.await.ok()?.ok().flatten()
    }
}

fn news(seen: &Catalogue, now: &Catalogue, wanted: &SubscriptionFilter) -> Vec<ServerNotification> {
    let mut news = Vec::new();
    if wanted.resources_list_changed == Some(true) && now.lists_others_than(seen) {
        let changed = ResourceListChangedNotification::default();
        news.push(ServerNotification::ResourceListChangedNotification(changed));
    }
    for address in wanted.resource_subscriptions.iter().flatten() {
        if uri::path_in(address).is_some_and(|path| now.differs_in(seen, &path)) {
            let updated = ResourceUpdatedNotificationParam::new(address.clone());
            let updated = ResourceUpdatedNotification::new(updated);
            news.push(ServerNotification::ResourceUpdatedNotification(updated));
        }
    }
    news
}

/// What one client of the older revisions watches, on its own connection.
#[derive(Default)]
pub(super) struct Subscriptions {
    state: Arc<Mutex<State>>,
    task: Mutex<Option<AbortHandle>>,
}

#[derive(Default)]
struct State {
    addresses: BTreeSet<String>,
    has_listed: bool,
}

impl Subscriptions {
    /// The client watches an address from now on. Tells whether it may watch so many.
    pub(super) fn add(&self, address: String) -> bool {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let is_allowed = state.addresses.len() < MAX_ADDRESSES || state.addresses.contains(&address);
        if is_allowed {
            state.addresses.insert(address);
        }
        is_allowed
    }

    /// The client watches an address no longer.
    pub(super) fn remove(&self, address: &str) {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).addresses.remove(address);
    }

    /// The client has seen the list, and is told when it is another one.
    pub(super) fn list_was_seen(&self) {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).has_listed = true;
    }

    /// Notifies this client for as long as it is there. A second call changes nothing.
    pub(super) fn notify<O: Operations>(&self, operations: &Arc<O>, peer: Peer<RoleServer>) {
        let mut task = self.task.lock().unwrap_or_else(PoisonError::into_inner);
        if task.is_some() {
            return;
        }
        let (operations, state) = (Arc::clone(operations), Arc::clone(&self.state));
        let notifying = async move {
            let mut watch = Watch::begin(operations).await;
            loop {
                for told in watch.next(|| wanted(&state)).await {
                    if peer.send_notification(told).await.is_err() {
                        return;
                    }
                }
            }
        };
        *task = Some(tokio::spawn(notifying).abort_handle());
    }
}

impl Drop for Subscriptions {
    fn drop(&mut self) {
        if let Some(task) = self.task.get_mut().unwrap_or_else(PoisonError::into_inner) {
            task.abort();
        }
    }
}

fn wanted(state: &Mutex<State>) -> SubscriptionFilter {
    let state = state.lock().unwrap_or_else(PoisonError::into_inner);
    let mut wanted = SubscriptionFilter::new();
    wanted.resources_list_changed = Some(state.has_listed);
    wanted.resource_subscriptions = Some(state.addresses.iter().cloned().collect());
    wanted
}
