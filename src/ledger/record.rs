//! The lines of the ledger, and the chain that holds them together: JSON <-> [`Entry`]. Pure.

use std::time::SystemTime;

use serde::{Deserialize, Serialize};

use crate::ops::shown::ShownNote;

/// What stands before the first line.
pub(super) const BEGINNING: &str = "0000000000000000000000000000000000000000000000000000000000000000";

/// An answer that was given to a client.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Record {
    /// Its place among the lines of the ledger, from 1.
    pub number: u64,
    /// When it was written, in UTC (RFC 3339, milliseconds).
    pub time: String,
    /// What the client calls itself; empty if it does not say.
    pub client: String,
    /// The client's version, as it says.
    pub client_version: String,
    /// How it reached the server.
    pub transport: Transport,
    /// The tool, or the method of MCP.
    pub call: String,
    /// `public` or `full`.
    pub profile: String,
    /// The vault of the notes, by its name in the configuration.
    pub vault: String,
    /// The notes of the answer, by path.
    pub notes: Vec<ShownNote>,
    /// BLAKE3 of the line before this one, in hex.
    pub previous: String,
}

/// How a client reaches a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Transport {
    /// Standard input and output.
    Stdio,
    /// Streamable HTTP, on a port or a socket.
    Http,
    /// HTTP as in MCP's first revisions.
    Sse,
    /// A REST route.
    Rest,
}

impl Transport {
    /// As one word.
    pub fn as_str(self) -> &'static str {
        match self {
            Transport::Stdio => "stdio",
            Transport::Http => "http",
            Transport::Sse => "sse",
            Transport::Rest => "rest",
        }
    }
}

/// A line about the ledger itself: something went wrong before it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Gap {
    /// Its place among the lines of the ledger, from 1.
    pub(super) number: u64,
    /// When it was noticed, in UTC.
    pub(super) time: String,
    /// Bytes right before this line that are the torn beginning of a line, its end included: whoever wrote it was stopped.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub(super) torn_bytes: u64,
    /// BLAKE3 of these bytes, in hex.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(super) torn_hash: String,
    /// Answers that were given and could not be recorded.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub(super) unrecorded: u64,
    /// There was no head file, or it could not be read.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) head_lost: bool,
    /// BLAKE3 of the last whole line before, in hex.
    pub(super) previous: String,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// A line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub(super) enum Entry {
    Served(Record),
    Gap(Gap),
}

impl Entry {
    /// None if it is none.
    pub(super) fn parse(line: &[u8]) -> Option<Entry> {
        serde_json::from_slice(line).ok()
    }

    /// As a line, without its end.
    pub(super) fn line(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    pub(super) fn number(&self) -> u64 {
        match self {
            Entry::Served(record) => record.number,
            Entry::Gap(gap) => gap.number,
        }
    }

    pub(super) fn previous(&self) -> &str {
        match self {
            Entry::Served(record) => &record.previous,
            Entry::Gap(gap) => &gap.previous,
        }
    }
}

/// BLAKE3 in hex.
pub(super) fn hash(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex().to_string()
}

/// The present, as records say it: always as many characters.
pub(super) fn now() -> String {
    humantime::format_rfc3339_millis(SystemTime::now().max(SystemTime::UNIX_EPOCH)).to_string()
}
