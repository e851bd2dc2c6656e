//! The ways an operation can fail, with two texts each: one for the client, one for the log.

use crate::index::IndexError;
use crate::search::SearchError;
use crate::sync::SyncError;
use crate::vault::{NotFound, RulesUnavailable};

/// Why an operation gave no answer. `Display` is safe to show to any client: it names no path,
/// no rule and nothing of a note.
#[derive(Debug, thiserror::Error)]
pub enum OpError {
    /// Missing, private, ignored, oversized, undecodable: all the same from outside.
    #[error("note not found")]
    NotFound,
    /// The arguments make no sense; the text says what to change.
    #[error("{0}")]
    InvalidArgument(&'static str),
    /// The owner's configuration does not allow it.
    #[error("{0}")]
    NotAllowed(&'static str),
    /// The caller went away before there was an answer; nobody will read this.
    #[error("cancelled")]
    Cancelled,
    /// Something below is broken; an outage must never look like "nothing found".
    #[error("{client}")]
    Unavailable {
        /// What the client may know, and what the owner can do.
        client: &'static str,
        /// The whole story, for the owner's terminal or log.
        log: String,
    },
}

impl From<NotFound> for OpError {
    fn from(_: NotFound) -> OpError {
        OpError::NotFound
    }
}

impl From<RulesUnavailable> for OpError {
    fn from(error: RulesUnavailable) -> OpError {
        let client = "nothing is served: the privacy rules cannot be read, or the vault is gone; `obsearch status` says which";
        OpError::Unavailable { client, log: error.to_string() }
    }
}

impl From<IndexError> for OpError {
    fn from(error: IndexError) -> OpError {
        let client = match error {
            IndexError::Locked | IndexError::Busy => "the index is busy; try again in a moment",
            IndexError::DiskFull => "the disk is full; the owner must make room",
            IndexError::Corrupt(_) | IndexError::Foreign(_) => {
                "the index is damaged; `obsearch index` builds it anew"
            }
            IndexError::OtherFormat { .. } => {
                "the index is of another version; `obsearch index` builds it anew"
            }
            IndexError::Io { .. } | IndexError::Sql(_) => {
                "the index cannot be read; the owner must look at the data folder"
            }
        };
        OpError::Unavailable { client, log: error.to_string() }
    }
}

impl From<SearchError> for OpError {
    fn from(error: SearchError) -> OpError {
        match error {
            SearchError::Index(error) => error.into(),
            SearchError::Vault(_) => vault_unavailable(error.to_string()),
        }
    }
}

impl From<SyncError> for OpError {
    fn from(error: SyncError) -> OpError {
        match error {
            SyncError::Rules(error) => error.into(),
            SyncError::Index(error) => error.into(),
            SyncError::Abandoned => OpError::Cancelled,
            SyncError::Model(_) => OpError::Unavailable {
                client: "the embedding model does not work, so the index stays as it is",
                log: error.to_string(),
            },
            SyncError::Vault(_) | SyncError::EmptyVault { .. } => vault_unavailable(error.to_string()),
        }
    }
}

/// The vault is not there, or not as it was.
pub(super) fn vault_unavailable(log: String) -> OpError {
    OpError::Unavailable {
        client: "the vault cannot be read; the owner must look whether it is still there",
        log,
    }
}
