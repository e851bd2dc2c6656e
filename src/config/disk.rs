//! Reading and writing the configuration file, and looking at the folders around it. The only
//! file access of this part of the house; it never opens a note.
#![expect(
    clippy::disallowed_methods,
    reason = "the configuration is read, written and located here, outside the vault"
)]

use std::fs::{self, File, Metadata, Permissions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::{Component, Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rustix::fs::{Mode, OFlags};

/// A configuration is a page or two; anything larger is something else.
const MAX_CONFIG_BYTES: u64 = 1024 * 1024;

/// Nobody keeps more copies of a file.
const MAX_COPIES: usize = 100;

/// Coarse clocks give two writes in a row the same time, so a file that changed so recently may
/// change again unseen.
const SETTLE_TIME: Duration = Duration::from_secs(2);

/// Which state of which file: two equal stamps, once settled, mean equal bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stamp {
    device: u64,
    inode: u64,
    size: u64,
    modified: (i64, i64),
    changed: (i64, i64),
}

impl Stamp {
    fn of(metadata: &Metadata) -> Self {
        Stamp {
            device: metadata.dev(),
            inode: metadata.ino(),
            size: metadata.size(),
            modified: (metadata.mtime(), metadata.mtime_nsec()),
            changed: (metadata.ctime(), metadata.ctime_nsec()),
        }
    }

    /// Whether the file has been left alone long enough for its times to tell the next change.
    pub(super) fn is_settled(&self, now: SystemTime) -> bool {
        let changed = u64::try_from(self.changed.0).unwrap_or(0);
        now.duration_since(UNIX_EPOCH + Duration::from_secs(changed)).is_ok_and(|age| age > SETTLE_TIME)
    }
}

/// The configuration file as it lay on disk.
#[derive(Debug)]
pub(super) struct FileBytes {
    /// The file behind any links.
    pub(super) real_path: PathBuf,
    /// What it was when it was opened.
    pub(super) stamp: Stamp,
    /// Owner, mode and number of names, of the file that was opened.
    pub(super) access: Access,
    /// Its content.
    pub(super) bytes: Vec<u8>,
}

/// Who can change a file or a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Access {
    /// The user it belongs to.
    pub(super) owner: u32,
    /// Permission bits, the sticky bit included.
    pub(super) mode: u32,
    /// Hard links.
    pub(super) names: u64,
}

impl Access {
    fn of(metadata: &Metadata) -> Self {
        Access { owner: metadata.uid(), mode: metadata.mode() & 0o7777, names: metadata.nlink() }
    }
}

/// The state of a file, links followed; none if it does not exist.
pub(super) fn stamp(path: &Path) -> io::Result<Option<Stamp>> {
    Ok(if_exists(fs::metadata(path))?.map(|metadata| Stamp::of(&metadata)))
}

/// Who can change a file or folder, links followed; none if it does not exist.
pub(super) fn access(path: &Path) -> io::Result<Option<Access>> {
    Ok(if_exists(fs::metadata(path))?.map(|metadata| Access::of(&metadata)))
}

/// Reads the configuration file; none if it does not exist.
pub(super) fn read(path: &Path) -> io::Result<Option<FileBytes>> {
    read_at_most(path, MAX_CONFIG_BYTES)
}

/// Reads a file of so many bytes at most; none if it does not exist. The stamp is taken before the bytes:
/// a change in between shows as a new stamp next time. A pipe in its place does not block.
pub(super) fn read_at_most(path: &Path, most_bytes: u64) -> io::Result<Option<FileBytes>> {
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC | OFlags::NOCTTY;
    let opened = rustix::fs::open(path, flags, Mode::empty()).map_err(io::Error::from);
    let Some(descriptor) = if_exists(opened)? else { return Ok(None) };
    let file = File::from(descriptor);
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "is not a file"));
    }
    let mut bytes = Vec::new();
    file.take(most_bytes + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most_bytes {
        let mebibytes = most_bytes / (1024 * 1024);
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, format!("is larger than {mebibytes} MiB")));
    }
    let real_path = fs::canonicalize(path)?;
    Ok(Some(FileBytes { real_path, stamp: Stamp::of(&metadata), access: Access::of(&metadata), bytes }))
}

/// Random bytes of the system.
pub(super) fn random<const N: usize>() -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes)?;
    Ok(bytes)
}

/// The real folder behind a name, if it is a folder whose entries can be listed.
pub(super) fn listable_folder(path: &Path) -> io::Result<PathBuf> {
    let real = fs::canonicalize(path)?;
    fs::read_dir(&real)?;
    Ok(real)
}

/// Whether `path`, links resolved, is `folder` or lies below it. A path that does not exist yet
/// is judged by the nearest folder above it that does. Folders are compared by device and inode,
/// so neither case nor a second mount point hides one.
pub(super) fn is_inside(path: &Path, folder: &Path) -> io::Result<bool> {
    let identity = |path: &Path| fs::metadata(path).map(|metadata| (metadata.dev(), metadata.ino()));
    let wanted = identity(folder)?;
    let Some(real) = nearest_real(path) else { return Ok(false) };
    Ok(real.ancestors().any(|ancestor| identity(ancestor).is_ok_and(|found| found == wanted)))
}

/// The nearest folder above a path, or the path itself, that is there; links resolved. `..` behind a folder that is not
/// there yet leads back out of it.
fn nearest_real(path: &Path) -> Option<PathBuf> {
    let real = |ancestor: &Path| Some((fs::canonicalize(ancestor).ok()?, ancestor.to_owned()));
    let (mut real, there) = path.ancestors().find_map(real)?;
    let rest = path.strip_prefix(there).unwrap_or(Path::new(""));
    if !rest.components().any(|component| component == Component::ParentDir) {
        return Some(real);
    }
    for component in rest.components() {
        if component == Component::ParentDir {
            real.pop();
        } else {
            real.push(component);
        }
    }
    nearest_real(&real)
}

/// Whether the path, or a folder on its way, is a link to something that is not there.
pub(super) fn leads_nowhere(path: &Path) -> bool {
    path.ancestors().any(|ancestor| ancestor.is_symlink() && !ancestor.exists())
}

/// Makes a folder (and those above it) for the owner alone; folders that exist stay as they are.
pub(super) fn create_private_folder(path: &Path) -> io::Result<()> {
    fs::DirBuilder::new().recursive(true).mode(0o700).create(path)
}

/// Writes a file for the owner alone: all of it or nothing, under a temporary name first.
pub(super) fn write_private_file(path: &Path, text: &str, existing: Existing) -> io::Result<()> {
    let temporary = path.with_extension(format!("toml.{}.new", std::process::id()));
    let result = create_and_place(&temporary, path, text, existing);
    if result.is_err() {
        let _ = fs::remove_file(&temporary);
    }
    result
}

/// Writes a file for the owner alone under a name that is free.
pub(super) fn create_private_file(path: &Path, bytes: &[u8]) -> io::Result<()> {
    create(path, bytes).map(drop)
}

/// Takes away a file that was just made here and is of no use after all.
pub(super) fn discard(path: &Path) {
    let _ = fs::remove_file(path);
}

/// What becomes of a file that is already there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Existing {
    /// It stays, and writing fails.
    Keep,
    /// It is replaced.
    Replace,
}

/// Puts a text in the place of a file that was read, which keeps its permissions: all of it or nothing, under a
/// temporary name first. A file that changed since stays as it is.
pub(super) fn replace(read: &FileBytes, text: &str) -> io::Result<()> {
    let path = &read.real_path;
    let temporary = path.with_extension(format!("toml.{}.new", std::process::id()));
    let write = || {
        let file = create(&temporary, text.as_bytes())?;
        file.set_permissions(Permissions::from_mode(read.access.mode))?;
        if stamp(path)? != Some(read.stamp) {
            return Err(io::Error::other("it changed meanwhile"));
        }
        fs::rename(&temporary, path)
    };
    write().inspect_err(|_| drop(fs::remove_file(&temporary)))
}

/// A copy under the first name that is free.
pub(super) fn keep_copy(read: &FileBytes) -> io::Result<PathBuf> {
    let name = |number: usize| {
        let mut name = read.real_path.clone().into_os_string();
        name.push(if number == 1 {
            ".before-obsearch".to_owned()
        } else {
            format!(".before-obsearch-{number}")
        });
        PathBuf::from(name)
    };
    let is_taken = |path: &PathBuf| path.symlink_metadata().is_ok();
    let free = (1..=MAX_COPIES).map(name).find(|path| !is_taken(path));
    let path = free.ok_or_else(|| io::Error::other("too many copies `.before-obsearch` are beside it"))?;
    create_private_file(&path, &read.bytes)?;
    Ok(path)
}

fn create_and_place(temporary: &Path, path: &Path, text: &str, existing: Existing) -> io::Result<()> {
    create(temporary, text.as_bytes())?;
    match existing {
        Existing::Replace => fs::rename(temporary, path),
        // A link fails where a file is, so one that appeared meanwhile is not overwritten.
        Existing::Keep => fs::hard_link(temporary, path).and_then(|()| fs::remove_file(temporary)),
    }
}

/// A new file for the owner alone, on disk when this is done.
fn create(path: &Path, bytes: &[u8]) -> io::Result<File> {
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC | OFlags::NOFOLLOW;
    let descriptor = rustix::fs::open(path, flags, Mode::RUSR | Mode::WUSR)?;
    let mut file = File::from(descriptor);
    file.write_all(bytes)?;
    file.sync_all()?;
    Ok(file)
}

fn if_exists<T>(result: io::Result<T>) -> io::Result<Option<T>> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}
