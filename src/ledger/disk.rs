//! The files of a ledger: a head and segments, in a folder for the owner alone. Nothing is ever removed.
#![expect(
    clippy::disallowed_methods,
    reason = "the ledger is no part of a vault, and is written and read here alone"
)]

use std::fs::{self, DirBuilder, File, TryLockError};
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use rustix::fs::{Mode, OFlags};

const HEAD: &str = "head";
const SEGMENT_ENDING: &str = ".jsonl";
/// How long another process may hold the ledger; one that is stopped in the middle holds up no answers.
const PATIENCE: Duration = Duration::from_millis(250);
const BETWEEN_TRIES: Duration = Duration::from_micros(200);

/// Makes the folder if it is not there.
pub(super) fn make_folder(folder: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

/// The head, made if it is not there.
pub(super) fn open_head(folder: &Path) -> io::Result<File> {
    open(&folder.join(HEAD), OFlags::RDWR | OFlags::CREATE)
}

/// The head, to be read; none if it is not there.
pub(super) fn look_at_head(folder: &Path) -> io::Result<Option<File>> {
    if_exists(open(&folder.join(HEAD), OFlags::RDONLY))
}

/// The head, to be written; none if it is not there.
pub(super) fn existing_head(folder: &Path) -> io::Result<Option<File>> {
    if_exists(open(&folder.join(HEAD), OFlags::RDWR))
}

/// A segment, to be read and written at its end; made if it is not there.
pub(super) fn open_segment(folder: &Path, number: u32) -> io::Result<File> {
    open(&path(folder, number), OFlags::RDWR | OFlags::APPEND | OFlags::CREATE)
}

/// The numbers of the segments, in order; none without a folder.
pub(super) fn segments(folder: &Path) -> io::Result<Vec<u32>> {
    let Some(entries) = if_exists(fs::read_dir(folder))? else { return Ok(Vec::new()) };
    let mut numbers = Vec::new();
    for entry in entries {
        let name = entry?.file_name();
        numbers.extend(name.to_str().and_then(number));
    }
    numbers.sort_unstable();
    Ok(numbers)
}

/// All bytes of a segment; none if it is not there.
pub(super) fn read_segment(folder: &Path, number: u32) -> io::Result<Option<Vec<u8>>> {
    if_exists(fs::read(path(folder, number)))
}

/// `00000001.jsonl`
pub(super) fn name(number: u32) -> String {
    format!("{number:08}{SEGMENT_ENDING}")
}

/// Whether others hold it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Hold {
    /// Nobody else may, who reads or who writes.
    Alone,
    /// Others may read.
    Together,
}

/// Holds a file until it is closed. It waits for a moment, and no longer.
pub(super) fn hold(file: &File, how: Hold) -> io::Result<()> {
    let began = Instant::now();
    loop {
        let held = match how {
            Hold::Alone => file.try_lock(),
            Hold::Together => file.try_lock_shared(),
        };
        match held {
            Ok(()) => return Ok(()),
            Err(TryLockError::Error(error)) => return Err(error),
            Err(TryLockError::WouldBlock) if began.elapsed() > PATIENCE => {
                return Err(io::Error::new(io::ErrorKind::TimedOut, "another process does not let go of it"));
            }
            Err(TryLockError::WouldBlock) => thread::sleep(BETWEEN_TRIES),
        }
    }
}

fn path(folder: &Path, number: u32) -> PathBuf {
    folder.join(name(number))
}

fn number(name: &str) -> Option<u32> {
    let digits = name.strip_suffix(SEGMENT_ENDING)?;
    let number = digits.parse().ok()?;
    (self::name(number) == name).then_some(number)
}

/// A link in the place of a file is not followed, and a pipe is not waited for.
fn open(path: &Path, flags: OFlags) -> io::Result<File> {
    let flags = flags | OFlags::CLOEXEC | OFlags::NOFOLLOW | OFlags::NONBLOCK;
    let file = File::from(rustix::fs::open(path, flags, Mode::RUSR | Mode::WUSR)?);
    if !file.metadata()?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "is not a file"));
    }
    Ok(file)
}

fn if_exists<T>(result: io::Result<T>) -> io::Result<Option<T>> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}
