//! A note cut into passages: the unit that is embedded, ranked and cited.
use std::ops::Range;

use super::Document;

/// Raised when the cut changes: an index built by another version is rebuilt.
pub const CHUNKER_VERSION: u32 = 1;

/// A passage of a note.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chunk {
    /// Byte range in the note's text. Chunks are in order and do not overlap.
    pub range: Range<usize>,
    /// First and last line, from 1, both included.
    pub lines: (u32, u32),
    /// Index into `Document::headings` of the heading it stands under.
    pub heading: Option<usize>,
}

/// Cuts a note at headings, merges tiny sections, cuts long ones.
pub fn split(text: &str, document: &Document) -> Vec<Chunk> {
    let _ = (text, document);
    Vec::new()
}

/// The names of the headings above a chunk, from the outer to the inner.
pub fn heading_path<'a>(document: &'a Document, chunk: &Chunk) -> Vec<&'a str> {
    let _ = (document, chunk);
    Vec::new()
}

/// The text of a chunk without comments, as it is indexed and shown.
pub fn visible_text(text: &str, document: &Document, range: Range<usize>) -> String {
    let _ = document;
    text[range].to_owned()
}
