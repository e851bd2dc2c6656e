//! Hears that something in the vault changed, as the system tells it. What changed is looked at by a walk; this
//! only says when one is worth it. It hears names, reads nothing and tells none.
//!
//! Folders are watched one by one, hidden and ignored ones left out, and for the public profile private
//! ones too: nothing wakes a server for what it may not see. A private note in a public folder does.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use notify::event::{CreateKind, EventKind, ModifyKind, RemoveKind};
use notify::{RecommendedWatcher, RecursiveMode, Watcher};
use rustix::fd::AsFd;

use super::Profile;
use super::gate::{Session, Vault};
use super::path::is_markdown;
use super::scan::scan;

/// Editors and sync tools write in bursts: a change counts when nothing followed it for this long,
const SETTLED: Duration = Duration::from_millis(150);
/// or when this long has passed since the first.
const AT_LATEST: Duration = Duration::from_millis(1_500);
/// Magic numbers of file systems on which others change files without the system hearing of it (statfs(2)): NFS,
/// SMB, CIFS, SMB2, FUSE, 9P.
#[cfg(target_os = "linux")]
const SHARED: [u32; 6] = [0x6969, 0x517b, 0xff53_4d42, 0xfe53_4d42, 0x6573_5546, 0x0102_1997];

/// Why nothing can be heard.
#[derive(Debug, thiserror::Error)]
pub enum WatchError {
    /// The system has no watches left, or none at all.
    #[error("the system watches no more folders: {0}")]
    Refused(#[from] notify::Error),
    /// Changes by others would not be heard.
    #[error("the vault lies on a file system that tells nothing of changes by others")]
    Shared,
    /// The folders cannot be listed.
    #[error("the vault cannot be read: {0}")]
    Vault(#[from] std::io::Error),
}

/// Hears of changes for as long as it exists.
pub struct Watch {
    watcher: RecommendedWatcher,
    root: PathBuf,
    watched: BTreeSet<PathBuf>,
    /// What was renamed or deleted: with the name of a watched folder there may be another one by now.
    moved: Arc<Mutex<BTreeSet<PathBuf>>>,
    changes: Receiver<()>,
}

impl Vault {
    /// Begins to listen; [`Watch::follow`] says to which folders.
    pub fn watch(&self) -> Result<Watch, WatchError> {
        if is_shared(self)? {
            return Err(WatchError::Shared);
        }
        let (heard, changes) = sync_channel(1);
        let moved: Arc<Mutex<BTreeSet<PathBuf>>> = Arc::default();
        let noted = Arc::clone(&moved);
        let watcher = notify::recommended_watcher(move |event| hear(event, &heard, &noted))?;
        Ok(Watch { watcher, root: self.path().to_owned(), watched: BTreeSet::new(), moved, changes })
    }
}

#[cfg(target_os = "linux")]
#[expect(clippy::useless_conversion, reason = "the type of the field differs between processors")]
fn is_shared(vault: &Vault) -> std::io::Result<bool> {
    let kind = i64::from(rustix::fs::fstatfs(vault.root.as_fd())?.f_type);
    // The numbers have 32 bits, with or without a sign.
    Ok(SHARED.iter().any(|shared| i64::from(*shared) == kind & 0xffff_ffff))
}

#[cfg(not(target_os = "linux"))]
fn is_shared(_: &Vault) -> std::io::Result<bool> {
    Ok(false)
}

impl Watch {
    /// Listens to the folders that the session's profile may see, as they are now, and to no others. One that
    /// may not be listened to is passed over, and tried again the next time.
    pub fn follow(&mut self, session: &Session<'_>) -> Result<(), WatchError> {
        let moved = std::mem::take(&mut *self.moved.lock().unwrap_or_else(PoisonError::into_inner));
        self.watched.retain(|folder| !folder.ancestors().any(|above| moved.contains(above)));
        let folders = session.watched_folders(&self.root)?;
        let gone: Vec<PathBuf> = self.watched.difference(&folders).cloned().collect();
        for folder in gone {
            let _ = self.watcher.unwatch(&folder);
            self.watched.remove(&folder);
        }
        for new in folders {
            if self.watched.contains(&new) {
                continue;
            }
            match self.watcher.watch(&new, RecursiveMode::NonRecursive) {
                Ok(()) => drop(self.watched.insert(new)),
                Err(error) if concerns_the_folder_alone(&error) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    /// Waits until something changed and nothing followed for a moment; at most until then.
    pub fn wait(&self, until: Instant) {
        let left = |limit: Instant| limit.saturating_duration_since(Instant::now());
        if self.changes.recv_timeout(left(until)).is_err() {
            return;
        }
        let at_latest = until.min(Instant::now() + AT_LATEST);
        while self.changes.recv_timeout(left(at_latest).min(SETTLED)).is_ok() {}
    }
}

/// A folder that went away meanwhile, or that may not be read.
fn concerns_the_folder_alone(error: &notify::Error) -> bool {
    match &error.kind {
        notify::ErrorKind::PathNotFound => true,
        notify::ErrorKind::Io(error) => {
            matches!(error.kind(), std::io::ErrorKind::NotFound | std::io::ErrorKind::PermissionDenied)
        }
        _ => false,
    }
}

fn hear(event: notify::Result<notify::Event>, heard: &SyncSender<()>, moved: &Mutex<BTreeSet<PathBuf>>) {
    // An error may stand for changes that were lost.
    if !event.as_ref().map_or(true, is_worth_a_look) {
        return;
    }
    if let Ok(event) = event
        && matches!(event.kind, EventKind::Remove(_) | EventKind::Modify(ModifyKind::Name(_)))
    {
        moved.lock().unwrap_or_else(PoisonError::into_inner).extend(event.paths);
    }
    // One that waits to be taken is enough.
    let _ = heard.try_send(());
}

/// Could it be a note or a folder of notes that came, changed or went?
fn is_worth_a_look(event: &notify::Event) -> bool {
    let concerns = |is_meant: fn(&Path) -> bool| event.paths.iter().any(|path| is_meant(path));
    if event.need_rescan() {
        return true;
    }
    match event.kind {
        EventKind::Access(_) | EventKind::Modify(ModifyKind::Metadata(_)) => false,
        EventKind::Create(CreateKind::File)
        | EventKind::Remove(RemoveKind::File)
        | EventKind::Modify(ModifyKind::Data(_)) => concerns(may_be_note),
        _ => concerns(is_shown),
    }
}

fn is_shown(path: &Path) -> bool {
    path.file_name().is_none_or(|name| !name.as_bytes().starts_with(b"."))
}

fn may_be_note(path: &Path) -> bool {
    is_shown(path) && path.file_name().and_then(OsStr::to_str).is_none_or(is_markdown)
}

impl Session<'_> {
    /// The folders in which something may happen that this profile sees.
    fn watched_folders(&self, root: &Path) -> std::io::Result<BTreeSet<PathBuf>> {
        let folders = scan(self.vault.root.as_fd(), &self.rules)?.folders.into_iter();
        let is_private =
            |name: &str| self.profile() == Profile::Public && self.rules.hides_name(&format!("{name}/x"));
        let watched = folders.filter(|folder| folder.raw == b"." || !is_private(&folder.name));
        Ok(watched.map(|folder| root.join(OsStr::from_bytes(&folder.raw))).collect())
    }
}

#[cfg(test)]
mod tests {
    use notify::event::{AccessKind, DataChange, Flag, MetadataKind, RenameMode};

    use super::*;

    #[test]
    fn only_what_may_be_a_note_is_worth_a_look() {
        let created = EventKind::Create(CreateKind::File);
        let removed = EventKind::Remove(RemoveKind::File);
        let written = EventKind::Modify(ModifyKind::Data(DataChange::Any));
        let renamed = EventKind::Modify(ModifyKind::Name(RenameMode::Any));
        let folder = EventKind::Create(CreateKind::Folder);
        let table = [
            (created, "/v/a.md", true),
            (removed, "/v/a.MD", true),
            (written, "/v/a.md", true),
            (written, "/v/a.png", false),
            (created, "/v/a.md~", false),
            (created, "/v/.a.md.swp", false),
            (written, "/v/.hidden.md", false),
            // What it was or will be is not known.
            (renamed, "/v/a", true),
            (renamed, "/v/.a.tmp", false),
            (folder, "/v/b.c", true),
            (folder, "/v/.git", false),
            (EventKind::Any, "/v/a", true),
            (EventKind::Access(AccessKind::Any), "/v/a.md", false),
            (EventKind::Modify(ModifyKind::Metadata(MetadataKind::Any)), "/v/a.md", false),
        ];
        for (kind, path, expected) in table {
            let event = notify::Event::new(kind).add_path(path.into());
            assert_eq!(is_worth_a_look(&event), expected, "{kind:?} {path}");
        }
        let overflow = notify::Event::new(EventKind::Other).set_flag(Flag::Rescan);
        assert!(is_worth_a_look(&overflow), "events were lost");
    }
}
