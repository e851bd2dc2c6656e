//! Wakes the refresher when something in the vault changed. Where the system does not tell, the vault is looked
//! at every half minute instead.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::Service;
use crate::vault::{Watch, WatchError};

/// Even a vault in which nothing was heard is looked at so often: no system promises to tell everything.
const AT_LEAST_EVERY: Duration = Duration::from_mins(5);
/// Where nothing is heard.
const INSTEAD_EVERY: Duration = Duration::from_secs(30);

/// Listens from now on, on a thread of its own.
pub(super) fn begin(service: &Arc<Service>) {
    let begun = service.vault.watch().and_then(|watch| follow(service, watch));
    let service = Arc::clone(service);
    std::thread::spawn(move || {
        let refused = match begun {
            Ok(watch) => listen(&service, watch),
            Err(refused) => refused,
        };
        // The kind only: the text may name folders.
        match refused {
            WatchError::Shared => tracing::info!("the vault lies on a shared file system"),
            WatchError::Refused(_) => tracing::warn!("the system watches no more folders"),
            WatchError::Vault(_) => tracing::warn!("the folders of the vault cannot be listed"),
        }
        tracing::info!("changes are looked for every {} seconds", INSTEAD_EVERY.as_secs());
        service.refresher.hears(false);
        loop {
            std::thread::sleep(INSTEAD_EVERY);
            service.refresher.ask_by_the_clock();
        }
    });
}

/// Listens to the folders as they are now. Under rules that cannot be read to those of before.
fn follow(service: &Service, mut watch: Watch) -> Result<Watch, WatchError> {
    if let Ok(followed) = service.vault.request(service.profile, |session| watch.follow(session)) {
        followed?;
    }
    service.refresher.hears(true);
    Ok(watch)
}

/// Runs by the clock come as if nothing had been heard between them, and say the moment they were due at.
fn listen(service: &Service, mut watch: Watch) -> WatchError {
    let mut next = Instant::now() + AT_LEAST_EVERY;
    loop {
        watch.wait(next);
        // New folders first: what comes into them after the run is heard.
        watch = match follow(service, watch) {
            Ok(watch) => watch,
            Err(refused) => return refused,
        };
        if Instant::now() < next {
            service.refresher.ask();
        } else {
            service.refresher.ask_by_the_clock();
        }
        while next <= Instant::now() {
            next += AT_LEAST_EVERY;
        }
    }
}
