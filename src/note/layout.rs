//! What the chunker needs to know of a note beside its headings: where blocks begin, and which
//! bytes are no text at all.
use std::ops::Range;

use super::markdown::{BlockStart, Structure};
use super::spans;

/// Where a note may be cut.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Layout {
    pub(super) block_starts: Vec<BlockStart>,
    /// Code blocks, tables and HTML blocks, in order.
    pub(super) line_based: Vec<Range<usize>>,
    /// Comments and embedded data, sorted: never part of a chunk's text.
    pub(super) hidden: Vec<Range<usize>>,
}

impl Layout {
    pub(super) fn new(
        text: &str,
        body_start: usize,
        structure: Structure,
        comments: &[Range<usize>],
    ) -> Self {
        let Structure { block_starts, line_based, .. } = structure;
        let hidden = spans::union([embedded_data(text, body_start), comments.to_vec()].concat());
        Self { block_starts, line_based: spans::union(line_based), hidden }
    }
}

/// Runs of base64 shorter than this are left alone: they may be a hash or a key someone looks for.
const MIN_DATA_BYTES: usize = 1000;

/// Images and the like that are written out in the note as base64: thousands of meaningless words.
fn embedded_data(text: &str, body_start: usize) -> Vec<Range<usize>> {
    let is_base64 = |byte: &u8| byte.is_ascii_alphanumeric() || b"+/=_-".contains(byte);
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut at = body_start;
    while at < bytes.len() {
        let run_bytes = bytes[at..].iter().take_while(|byte| is_base64(byte)).count();
        if run_bytes > MIN_DATA_BYTES && looks_random(&bytes[at..at + MIN_DATA_BYTES]) {
            found.push(data_uri_start(text, at)..at + run_bytes);
        }
        at += run_bytes.max(1);
    }
    found
}

/// Words have no digits and one case; a thousand bytes of base64 have all three.
fn looks_random(run: &[u8]) -> bool {
    let share = |test: fn(&u8) -> bool| run.iter().filter(|byte| test(byte)).count() * 20 > run.len();
    share(u8::is_ascii_uppercase) && share(u8::is_ascii_lowercase) && share(u8::is_ascii_digit)
}

/// Where `data:image/png;base64,` begins, if it stands right before `at`.
fn data_uri_start(text: &str, at: usize) -> usize {
    const LONGEST_PREFIX_BYTES: usize = 100;
    let from = text.floor_char_boundary(at.saturating_sub(LONGEST_PREFIX_BYTES));
    let before = &text[from..at];
    let prefix = before.rfind("data:").filter(|_| before.ends_with(";base64,"));
    prefix.map_or(at, |start| from + start)
}
