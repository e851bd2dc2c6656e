//! The names in a vault, links included, in one pass that follows no link. What a session may see
//! of them is decided elsewhere.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::fs::{AtFlags, Dir, FileType, Mode, Stat};

use super::path;
use super::resolve::FOLDER_FLAGS;
use super::rules::Rules;

/// Deeper folders are not entered.
const MAX_DEPTH: usize = 64;

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
}

/// Device and inode of a file.
#[expect(clippy::useless_conversion, reason = "the types differ between systems")]
pub(super) fn file_id(stat: &Stat) -> FileId {
    (stat.st_dev.into(), stat.st_ino.into())
}

/// A name that is not a folder.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) name: String,
    pub(super) inode: u64,
    pub(super) kind: EntryKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EntryKind {
    /// A regular file.
    File,
    /// A symbolic link, and what it leads to, if that exists.
    Link(Option<FileId>),
    /// A pipe, socket or device.
    Other,
}

/// A folder, with what tells whether names in it changed.
#[derive(Debug)]
pub(super) struct Folder {
    pub(super) name: String,
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

/// Walks the vault. Hidden and ignored names are passed over; errors below the root are recorded,
/// an error at the root is returned.
pub(super) fn scan(root: BorrowedFd<'_>, rules: &Rules) -> io::Result<Scan> {
    let mut scan = Scan::default();
    let top = rustix::fs::openat(root, ".", FOLDER_FLAGS, Mode::empty())?;
    let device = rustix::fs::fstat(&top)?.st_dev;
    let mut pending = vec![(String::new(), top, 0)];
    while let Some((name, folder, depth)) = pending.pop() {
        let stat = rustix::fs::fstat(&folder)?;
        if stat.st_dev != device {
            continue; // another file system mounted inside the vault
        }
        scan.folders.push(Folder { name: name.clone(), id: file_id(&stat), stat: FileStat::of(&stat) });
        match read_folder(&name, &folder, rules, &mut scan) {
            Ok(subfolders) => open_subfolders(subfolders, &folder, depth, &mut scan, &mut pending),
            Err(error) if name.is_empty() => return Err(error),
            Err(_) => scan.problems.push((name, Problem::Unreadable)),
        }
    }
    Ok(scan)
}

/// Records the entries of one folder; gives back `(path, name)` of the folders in it.
fn read_folder(
    parent: &str,
    folder: &OwnedFd,
    rules: &Rules,
    scan: &mut Scan,
) -> io::Result<Vec<(String, String)>> {
    let mut subfolders = Vec::new();
    for entry in Dir::read_from(folder)? {
        let entry = entry?;
        let raw = entry.file_name();
        if raw.to_bytes().starts_with(b".") {
            continue;
        }
        let Ok(name) = raw.to_str() else {
            scan.problems.push((join(parent, &raw.to_string_lossy()), Problem::Name));
            continue;
        };
        let full = join(parent, name);
        if rules.ignores_name(&full) {
            continue;
        }
        match kind_of(folder, name, entry.file_type()) {
            FileType::Directory if path::is_safe_segment(name) => subfolders.push((full, name.to_owned())),
            FileType::Directory => scan.problems.push((full, Problem::Name)),
            kind => scan.entries.push(Entry {
                name: full,
                inode: entry.ino(),
                kind: entry_kind(folder, name, kind),
            }),
        }
    }
    Ok(subfolders)
}

fn open_subfolders(
    subfolders: Vec<(String, String)>,
    parent: &OwnedFd,
    depth: usize,
    scan: &mut Scan,
    pending: &mut Vec<(String, OwnedFd, usize)>,
) {
    for (full, name) in subfolders {
        match rustix::fs::openat(parent, &*name, FOLDER_FLAGS, Mode::empty()) {
            Ok(folder) if depth < MAX_DEPTH => pending.push((full, folder, depth + 1)),
            _ => scan.problems.push((full, Problem::Unreadable)),
        }
    }
}

/// Some file systems do not tell the kind with the name.
fn kind_of(folder: &OwnedFd, name: &str, told: FileType) -> FileType {
    if told != FileType::Unknown {
        return told;
    }
    rustix::fs::statat(folder, name, AtFlags::SYMLINK_NOFOLLOW)
        .map_or(FileType::Unknown, |stat| FileType::from_raw_mode(stat.st_mode))
}

fn entry_kind(folder: &OwnedFd, name: &str, kind: FileType) -> EntryKind {
    match kind {
        FileType::RegularFile => EntryKind::File,
        FileType::Symlink => EntryKind::Link(
            rustix::fs::statat(folder.as_fd(), name, AtFlags::empty()).ok().map(|stat| file_id(&stat)),
        ),
        _ => EntryKind::Other,
    }
}

fn join(parent: &str, name: &str) -> String {
    if parent.is_empty() { name.to_owned() } else { format!("{parent}/{name}") }
}
