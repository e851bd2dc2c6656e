//! The names in a vault, links included, in one pass that follows no link. What a session may see
//! of them is decided elsewhere.

use std::ffi::{CStr, CString};
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::rc::Rc;
use std::time::{Duration, SystemTime};

use rustix::fs::{AtFlags, Dir, FileType, Mode, Stat};
use rustix::io::Errno;

use super::path::{self, MAX_DEPTH};
use super::resolve::FOLDER_FLAGS;
use super::rules::Rules;

/// A file system object's identity: device and inode.
pub(super) type FileId = (u64, u64);

/// What is known of a file without reading it. Equal stats mean an unchanged file, barring
/// tampering with the system's clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileStat {
    /// Bytes.
    pub size: u64,
    /// Last change of the content, nanoseconds since 1970.
    pub modified_ns: i64,
    /// Last change of content or attributes, nanoseconds since 1970.
    pub changed_ns: i64,
    /// Inode number.
    pub inode: u64,
}

impl FileStat {
    #[expect(
        clippy::cast_possible_wrap,
        clippy::useless_conversion,
        reason = "the types differ between systems"
    )]
    pub(super) fn of(stat: &Stat) -> FileStat {
        let nanoseconds =
            |seconds: i64, rest: u64| seconds.saturating_mul(1_000_000_000).saturating_add(rest as i64);
        FileStat {
            size: u64::try_from(stat.st_size).unwrap_or(u64::MAX),
            modified_ns: nanoseconds(stat.st_mtime.into(), stat.st_mtime_nsec),
            changed_ns: nanoseconds(stat.st_ctime.into(), stat.st_ctime_nsec),
            inode: stat.st_ino.into(),
        }
    }

    /// When content or attributes last changed.
    pub(super) fn changed(&self) -> SystemTime {
        SystemTime::UNIX_EPOCH + Duration::from_nanos(self.changed_ns.max(0).unsigned_abs())
    }

    /// Does the file system seem to keep time in whole seconds?
    pub(super) fn has_coarse_times(&self) -> bool {
        self.changed_ns % 1_000_000_000 == 0
    }
}

/// Device and inode of a file.
#[expect(clippy::useless_conversion, reason = "the types differ between systems")]
pub(super) fn file_id(stat: &Stat) -> FileId {
    (stat.st_dev.into(), stat.st_ino.into())
}

/// A name that is not a folder.
#[derive(Debug)]
pub(super) struct Entry {
    /// With replacement characters where the name on disk is not UTF-8.
    pub(super) name: String,
    /// The name on disk.
    pub(super) raw: Vec<u8>,
    pub(super) kind: EntryKind,
}

impl Entry {
    /// Is `name` the name on disk?
    pub(super) fn is_exact(&self) -> bool {
        self.name.as_bytes() == self.raw
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EntryKind {
    /// A regular file.
    File(FileId, FileStat),
    /// A symbolic link, and what it leads to, if that exists.
    Link(Option<FileId>),
    /// A pipe, socket or device.
    Other,
}

/// A folder, with what tells whether names in it changed.
#[derive(Debug)]
pub(super) struct Folder {
    /// With replacement characters where the name on disk is not UTF-8.
    pub(super) name: String,
    /// The name on disk; `.` for the root.
    pub(super) raw: Vec<u8>,
    pub(super) id: FileId,
    pub(super) stat: FileStat,
}

/// What went wrong with a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Problem {
    /// The name is not one that obsearch can serve.
    Name,
    /// The folder could not be opened or read, or lies too deep.
    Unreadable,
}

/// The names of a vault.
#[derive(Debug, Default)]
pub(super) struct Scan {
    pub(super) folders: Vec<Folder>,
    pub(super) entries: Vec<Entry>,
    pub(super) problems: Vec<(String, Problem)>,
}

/// A folder to be read. It keeps its parent open, not itself: a folder with thousands of others in
/// it must not use up the process's handles.
struct Pending {
    /// In the parent.
    own_name: CString,
    raw: Vec<u8>,
    stat: Stat,
    parent: Rc<OwnedFd>,
    depth: usize,
}

/// Walks the vault. Hidden and ignored names are passed over; errors below the root are recorded,
/// an error at the root is returned. Folders with names that cannot be served are entered too:
/// links in them may lead to notes that can.
pub(super) fn scan(root: BorrowedFd<'_>, rules: &Rules) -> io::Result<Scan> {
    let mut scan = Scan::default();
    let top = rustix::fs::openat(root, ".", FOLDER_FLAGS, Mode::empty())?;
    let stat = rustix::fs::fstat(&top)?;
    scan.add_folder(b".", &stat);
    let mut pending = Vec::new();
    scan.read_folder(&[], &Rc::new(top), 0, rules, &mut pending)?;
    while let Some(next) = pending.pop() {
        let name = String::from_utf8_lossy(&next.raw).into_owned();
        if scan.enter(&next, stat.st_dev, rules, &mut pending).is_err() {
            scan.problems.push((name, Problem::Unreadable));
        }
    }
    Ok(scan)
}

impl Scan {
    /// Reads one folder below the root. One that cannot be read is recorded all the same: a link
    /// may lead to it.
    fn enter(
        &mut self,
        next: &Pending,
        device: rustix::fs::Dev,
        rules: &Rules,
        pending: &mut Vec<Pending>,
    ) -> io::Result<()> {
        let opened = rustix::fs::openat(&*next.parent, &*next.own_name, FOLDER_FLAGS, Mode::empty());
        let stat = opened.as_ref().map_or(Ok(next.stat), rustix::fs::fstat)?;
        if stat.st_dev != device {
            return Ok(()); // another file system mounted inside the vault
        }
        self.add_folder(&next.raw, &stat);
        let folder = opened?;
        if next.depth > MAX_DEPTH {
            return Err(Errno::NAMETOOLONG.into());
        }
        self.read_folder(&next.raw, &Rc::new(folder), next.depth, rules, pending)
    }

    fn add_folder(&mut self, raw: &[u8], stat: &Stat) {
        let name = if raw == b"." { String::new() } else { String::from_utf8_lossy(raw).into_owned() };
        self.folders.push(Folder { name, raw: raw.to_owned(), id: file_id(stat), stat: FileStat::of(stat) });
    }

    /// Records the entries of one folder; the folders in it are left for later.
    fn read_folder(
        &mut self,
        parent: &[u8],
        folder: &Rc<OwnedFd>,
        depth: usize,
        rules: &Rules,
        pending: &mut Vec<Pending>,
    ) -> io::Result<()> {
        for entry in Dir::read_from(&**folder)? {
            let entry = entry?;
            let own_name = entry.file_name();
            if own_name.to_bytes().starts_with(b".") {
                continue;
            }
            let raw = join(parent, own_name.to_bytes());
            let name = String::from_utf8_lossy(&raw).into_owned();
            if rules.ignores_name(&name) {
                continue;
            }
            // The kind that comes with the name is not known on every file system, and its inode
            // number is not always the one that the file itself tells.
            let Ok(stat) = rustix::fs::statat(&**folder, own_name, AtFlags::SYMLINK_NOFOLLOW) else {
                continue;
            };
            let is_folder = FileType::from_raw_mode(stat.st_mode) == FileType::Directory;
            if own_name.to_str().is_err() || (is_folder && !is_servable(own_name)) {
                self.problems.push((name.clone(), Problem::Name));
            }
            if is_folder {
                let (own_name, parent) = (own_name.to_owned(), Rc::clone(folder));
                pending.push(Pending { own_name, raw, stat, parent, depth: depth + 1 });
            } else {
                self.entries.push(Entry { name, raw, kind: entry_kind(folder, own_name, &stat) });
            }
        }
        Ok(())
    }
}

fn is_servable(own_name: &CStr) -> bool {
    own_name.to_str().is_ok_and(path::is_safe_segment)
}

fn entry_kind(folder: &OwnedFd, name: &CStr, stat: &Stat) -> EntryKind {
    match FileType::from_raw_mode(stat.st_mode) {
        FileType::RegularFile => EntryKind::File(file_id(stat), FileStat::of(stat)),
        FileType::Symlink => EntryKind::Link(link_target(folder.as_fd(), name)),
        _ => EntryKind::Other,
    }
}

/// What a link leads to in the end, however many links there are on the way.
pub(super) fn link_target(folder: BorrowedFd<'_>, name: impl rustix::path::Arg) -> Option<FileId> {
    rustix::fs::statat(folder, name, AtFlags::empty()).ok().map(|stat| file_id(&stat))
}

fn join(parent: &[u8], name: &[u8]) -> Vec<u8> {
    if parent.is_empty() { name.to_owned() } else { [parent, b"/", name].concat() }
}
