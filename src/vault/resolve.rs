//! Name -> open file beneath the vault's root, through no symbolic link. Both ways of doing it
//! give the same answers and share one test body; neither ever resolves first and opens later.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;

use super::path::NotePath;
#[cfg(target_os = "linux")]
use crate::failpoint::{self, Failpoint};

/// Opening does not wait for a pipe's other end, takes no terminal, leaks into no child.
const FILE_FLAGS: OFlags = OFlags::RDONLY
    .union(OFlags::NONBLOCK)
    .union(OFlags::NOCTTY)
    .union(OFlags::CLOEXEC)
    .union(OFlags::NOFOLLOW);
/// A folder on the way, and nothing else.
pub(super) const FOLDER_FLAGS: OFlags =
    OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC).union(OFlags::NOFOLLOW);

/// Opens what a name means at one instant, wherever links and renames would have it.
pub(super) trait Resolver: Send + Sync {
    /// Opens the file `path` names below `root`. Symbolic links anywhere in it are an error.
    fn open(&self, root: BorrowedFd<'_>, path: &NotePath) -> io::Result<OwnedFd>;
}

/// The best resolver the system has.
pub(super) fn best(root: BorrowedFd<'_>) -> Box<dyn Resolver> {
    #[cfg(target_os = "linux")]
    if Openat2::open_name(root, ".").is_ok() {
        return Box::new(Openat2);
    }
    let _ = root;
    Box::new(ComponentWalk)
}

/// One system call: the kernel resolves the whole name under the constraints.
#[cfg(target_os = "linux")]
pub(super) struct Openat2;

#[cfg(target_os = "linux")]
impl Openat2 {
    /// The kernel gives up with `EAGAIN` when names move under its feet.
    const TRIES: usize = 8;

    fn open_name(root: BorrowedFd<'_>, name: &str) -> io::Result<OwnedFd> {
        use rustix::fs::ResolveFlags;
        let mut constraints = ResolveFlags::BENEATH
            | ResolveFlags::NO_SYMLINKS
            | ResolveFlags::NO_MAGICLINKS
            | ResolveFlags::NO_XDEV;
        let mut flags = FILE_FLAGS;
        if failpoint::is_on(Failpoint::FollowLinks) {
            constraints = ResolveFlags::BENEATH;
            flags.remove(OFlags::NOFOLLOW);
        }
        for _ in 0..Self::TRIES {
            match rustix::fs::openat2(root, name, flags, Mode::empty(), constraints) {
                Err(Errno::AGAIN | Errno::INTR) => {}
                done => return done.map_err(io::Error::from),
            }
        }
        Err(Errno::AGAIN.into())
    }
}

#[cfg(target_os = "linux")]
impl Resolver for Openat2 {
    fn open(&self, root: BorrowedFd<'_>, path: &NotePath) -> io::Result<OwnedFd> {
        Openat2::open_name(root, path.as_str())
    }
}

/// A folder on the way only has to let us through; it need not let us list it.
#[cfg(target_os = "linux")]
const STEP_FLAGS: OFlags =
    OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC).union(OFlags::NOFOLLOW);
#[cfg(not(target_os = "linux"))]
const STEP_FLAGS: OFlags = FOLDER_FLAGS;

/// Folder by folder, each opened relative to the one before, never through a link and never onto
/// another mount. For systems without `openat2`.
pub(super) struct ComponentWalk;

impl Resolver for ComponentWalk {
    fn open(&self, root: BorrowedFd<'_>, path: &NotePath) -> io::Result<OwnedFd> {
        let mount = mount_id(root);
        let mut folder: Option<OwnedFd> = None;
        let mut segments = path.as_str().split('/').peekable();
        while let Some(segment) = segments.next() {
            let here = folder.as_ref().map_or(root, AsFd::as_fd);
            let flags = if segments.peek().is_some() { STEP_FLAGS } else { FILE_FLAGS };
            let next = rustix::io::retry_on_intr(|| rustix::fs::openat(here, segment, flags, Mode::empty()))?;
            if mount_id(next.as_fd()) != mount {
                return Err(Errno::XDEV.into());
            }
            folder = Some(next);
        }
        folder.ok_or_else(|| Errno::NOENT.into())
    }
}

/// Which mount a file was opened on: a folder of the same file system may be mounted a second time
/// inside the vault, and its device does not tell. `None` where the system does not say.
#[cfg(target_os = "linux")]
fn mount_id(file: BorrowedFd<'_>) -> Option<u64> {
    use rustix::fs::{AtFlags, StatxFlags, statx};
    let stat = statx(file, "", AtFlags::EMPTY_PATH, StatxFlags::MNT_ID).ok()?;
    (stat.stx_mask & StatxFlags::MNT_ID.bits() != 0).then_some(stat.stx_mnt_id)
}

#[cfg(not(target_os = "linux"))]
fn mount_id(_: BorrowedFd<'_>) -> Option<u64> {
    None
}
