//! Which tree was looked at as a whole, and when: a run that finds nothing to do should not read the whole file again
//! to know that it is not damaged. A note beside the tree says what the file looked like at the end of the last run.
//!
//! It is never believed for long, nor once anybody else has written the file: then the file is read.
#![expect(clippy::disallowed_methods, reason = "reads and writes a note beside a tree, never in the vault")]

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::error::IndexError;
use super::store::{has_log, with_suffix, write_private};

/// A disk may lose bits without anybody writing.
const BELIEVED_FOR: Duration = Duration::from_hours(24);

/// When a tree was looked at as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Verified {
    /// Seconds since 1970.
    at: u64,
}

impl Verified {
    /// It was looked at just now, or nobody else ever had it.
    pub fn now() -> Verified {
        Verified { at: seconds_now() }
    }

    /// What the note beside a tree says, if the file still looks as it did then.
    pub fn of(tree: &Path) -> Option<Verified> {
        let text = fs::read_to_string(note_beside(tree)).ok()?;
        let (looks, at) = text.trim_end().rsplit_once(' ')?;
        let at: u64 = at.parse().ok()?;
        let age = seconds_now().checked_sub(at)?;
        let is_same = !has_log(tree) && looks_of(tree).as_deref() == Some(looks);
        (is_same && age < BELIEVED_FOR.as_secs()).then_some(Verified { at })
    }

    /// Notes it beside a tree that is closed and whole.
    pub fn note(self, tree: &Path) -> Result<(), IndexError> {
        match looks_of(tree) {
            Some(looks) if Verified::of(tree) != Some(self) => {
                write_private(&note_beside(tree), format!("{looks} {}\n", self.at).as_bytes())
            }
            _ => Ok(()),
        }
    }
}

fn note_beside(tree: &Path) -> PathBuf {
    with_suffix(tree, ".verified")
}

/// Size, times and inode of a file; every write changes one of them.
fn looks_of(tree: &Path) -> Option<String> {
    let file = fs::metadata(tree).ok()?;
    let times = [file.mtime(), file.mtime_nsec(), file.ctime(), file.ctime_nsec()];
    let times = times.map(|number| number.to_string()).join(" ");
    Some(format!("{} {} {times}", file.len(), file.ino()))
}

fn seconds_now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_believed_while_nobody_writes_the_file_and_for_a_day() {
        let folder = tempfile::tempdir().unwrap();
        let tree = folder.path().join("gen-000001.db");
        assert_eq!(Verified::of(&tree), None);
        fs::write(&tree, "tree").unwrap();
        assert_eq!(Verified::of(&tree), None);
        let verified = Verified::now();
        verified.note(&tree).unwrap();
        assert_eq!(Verified::of(&tree), Some(verified));
        fs::write(tree.with_extension("db-wal"), "not in the file yet").unwrap();
        assert_eq!(Verified::of(&tree), None);
        fs::remove_file(tree.with_extension("db-wal")).unwrap();
        assert_eq!(Verified::of(&tree), Some(verified));
        std::thread::sleep(Duration::from_millis(20));
        fs::write(&tree, "tred").unwrap();
        assert_eq!(Verified::of(&tree), None);
        let (yesterday, tomorrow) = (verified.at - BELIEVED_FOR.as_secs(), verified.at + 1_000);
        for at in [yesterday, tomorrow] {
            Verified { at }.note(&tree).unwrap();
            assert_eq!(Verified::of(&tree), None);
        }
        fs::write(note_beside(&tree), "x").unwrap();
        assert_eq!(Verified::of(&tree), None);
    }
}
