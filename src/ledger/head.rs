//! The head: how far the ledger goes, so that a tail that was cut off is missed. It lies in a file of its own, of
//! one size, and is written in place: that works even when the disk is full. It knows no records.

use serde::{Deserialize, Serialize};

use super::record::{BEGINNING, hash};

/// How far the ledger goes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Head {
    /// Lines in all segments.
    pub(super) lines: u64,
    /// BLAKE3 of the last one.
    pub(super) last: String,
    /// The segment it is in, from 1.
    pub(super) segment: u32,
    /// Where it ends there.
    pub(super) bytes: u64,
    /// Answers since then that could not be recorded.
    pub(super) unrecorded: u64,
}

/// Of the text; blanks fill it up.
const TEXT_BYTES: usize = 256;
/// The text, its hash, and the end of the line.
pub(super) const BYTES: usize = TEXT_BYTES + 64 + 1;

impl Head {
    /// Of a ledger without a line.
    pub(super) fn of_nothing() -> Head {
        Head { lines: 0, last: BEGINNING.to_owned(), segment: 1, bytes: 0, unrecorded: 0 }
    }

    /// None if a byte of it is not as it was written.
    pub(super) fn parse(bytes: &[u8]) -> Option<Head> {
        let (text, rest) = bytes.split_at_checked(TEXT_BYTES)?;
        let is_whole = rest.strip_suffix(b"\n")? == hash(text).as_bytes();
        is_whole.then(|| serde_json::from_slice(text).ok()).flatten()
    }

    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let text = serde_json::to_string(self).unwrap_or_default();
        let text = format!("{text:<TEXT_BYTES$}");
        format!("{text}{}\n", hash(text.as_bytes())).into_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_are_of_one_size_and_no_byte_can_change() {
        let longest = Head {
            lines: u64::MAX,
            last: BEGINNING.to_owned(),
            segment: u32::MAX,
            bytes: u64::MAX,
            unrecorded: u64::MAX,
        };
        for head in [Head::of_nothing(), longest] {
            let bytes = head.to_bytes();
            assert_eq!((bytes.len(), Head::parse(&bytes).as_ref()), (BYTES, Some(&head)));
            for at in 0..bytes.len() {
                for flip in [1, 0x20, 0x80] {
                    let mut bytes = bytes.clone();
                    bytes[at] ^= flip;
                    assert_eq!(Head::parse(&bytes), None, "{at}");
                }
            }
            assert_eq!(Head::parse(&bytes[1..]), None);
            assert_eq!(Head::parse(b""), None);
        }
    }
}
