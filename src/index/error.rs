//! What can be wrong with a tree, told apart by what to do about it.

use std::io;
use std::path::{Path, PathBuf};

use rusqlite::{ErrorCode, ffi};

/// A tree cannot be used. Texts are for the owner.
#[derive(Debug, thiserror::Error)]
pub enum IndexError {
    /// Another process is writing.
    #[error("another obsearch is writing this index")]
    Locked,
    /// SQLite could not get at the file in time; nothing is wrong with it.
    #[error("the index is busy")]
    Busy,
    /// Not a database, or a broken one.
    #[error("the index is damaged: {0}")]
    Corrupt(String),
    /// A tree of another profile, another vault, or not one of ours.
    #[error("the index belongs to {0}")]
    Foreign(&'static str),
    /// Written by another version of obsearch.
    #[error("the index has format {found}, this version reads {FORMAT}", FORMAT = super::FORMAT_VERSION)]
    OtherFormat {
        /// The format of the file.
        found: u32,
    },
    /// No space left.
    #[error("the disk is full")]
    DiskFull,
    /// A file or folder could not be used.
    #[error("{}: {source}", path.display())]
    Io {
        /// Which.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Anything else that SQLite says.
    #[error("the index failed: {0}")]
    Sql(rusqlite::Error),
}

impl IndexError {
    /// An IO error with its path.
    pub(super) fn io(path: &Path) -> impl FnOnce(io::Error) -> IndexError + '_ {
        |source| match source.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => IndexError::DiskFull,
            _ => IndexError::Io { path: path.to_owned(), source },
        }
    }
}

impl From<rusqlite::Error> for IndexError {
    fn from(error: rusqlite::Error) -> IndexError {
        match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => IndexError::Busy,
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
                IndexError::Corrupt(error.to_string())
            }
            Some(ErrorCode::DiskFull) => IndexError::DiskFull,
            _ if has_no_room_beside(&error) => IndexError::DiskFull,
            _ => IndexError::Sql(error),
        }
    }
}

/// SQLite keeps shared memory in a file beside the log and calls a full disk there an IO error.
fn has_no_room_beside(error: &rusqlite::Error) -> bool {
    error.sqlite_error().is_some_and(|error| error.extended_code == ffi::SQLITE_IOERR_SHMSIZE)
}
