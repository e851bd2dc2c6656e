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
use super::vaults::{Chosen, Vaults};
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
    vaults: Vaults<O>,
    /// Of each vault as of the last look; none before there is an index.
    seen: Vec<Option<Catalogue>>,
}

impl<O: Operations> Watch<O> {
    /// From what the catalogue is now on.
    pub(super) async fn begin(vaults: Vaults<O>) -> Watch<O> {
        let mut watch = Watch { vaults, seen: Vec::new() };
        watch.seen = watch.look().await;
        watch
    }

    /// Waits for a difference and gives what to tell about it, for a client that wants to hear `wanted`.
    pub(super) async fn next(&mut self, wanted: impl Fn() -> SubscriptionFilter) -> Vec<ServerNotification> {
        loop {
            let notes: usize = self.seen.iter().flatten().map(Catalogue::len).sum();
            let intervals = u32::try_from(1 + notes / NOTES_PER_INTERVAL).unwrap_or(u32::MAX);
            tokio::time::sleep(BETWEEN_LOOKS * intervals).await;
            let now = self.look().await;
            let news = self.news(&now, &wanted());
            for (seen, now) in self.seen.iter_mut().zip(now) {
                // An index that cannot be read now is looked at again.
                *seen = now.or(seen.take());
            }
            if !news.is_empty() {
                return news;
            }
        }
    }

    /// The catalogue of each vault, as far as it can be read.
    async fn look(&self) -> Vec<Option<Catalogue>> {
        let looks = self.vaults.each().map(|vault| tokio::task::spawn_blocking(move || vault.catalogue()));
        let mut catalogues = Vec::new();
        for looking in looks.collect::<Vec<_>>() {
            catalogues.push(looking.await.ok().and_then(Result::ok).flatten());
        }
        catalogues
    }

    fn news(&self, now: &[Option<Catalogue>], wanted: &SubscriptionFilter) -> Vec<ServerNotification> {
        let both = |number: usize| self.seen.get(number)?.as_ref().zip(now.get(number)?.as_ref());
        let lists_others =
            |vault: &Chosen<O>| both(vault.number()).is_some_and(|(seen, now)| now.lists_others_than(seen));
        let mut news = Vec::new();
        if wanted.resources_list_changed == Some(true) && self.vaults.each().any(|vault| lists_others(&vault))
        {
            let changed = ResourceListChangedNotification::default();
            news.push(ServerNotification::ResourceListChangedNotification(changed));
        }
        for address in wanted.resource_subscriptions.iter().flatten() {
            let Some((name, path)) = self.vaults.address(address) else { continue };
            let vault = self.vaults.named(name).and_then(|vault| both(vault.number()));
            if vault.is_some_and(|(seen, now)| now.differs_in(seen, &path)) {
                let updated = ResourceUpdatedNotificationParam::new(address.clone());
                let updated = ResourceUpdatedNotification::new(updated);
                news.push(ServerNotification::ResourceUpdatedNotification(updated));
            }
        }
        news
    }
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
    pub(super) fn notify<O: Operations>(&self, vaults: &Vaults<O>, peer: Peer<RoleServer>) {
        let mut task = self.task.lock().unwrap_or_else(PoisonError::into_inner);
        if task.is_some() {
            return;
        }
        let (vaults, state) = (vaults.clone(), Arc::clone(&self.state));
        let notifying = async move {
            let mut watch = Watch::begin(vaults).await;
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
