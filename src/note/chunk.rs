//! A note cut into passages: the unit that is embedded, ranked and cited.
//!
//! Chunks are in order, do not overlap, and together hold every byte of the body that is neither
//! white space nor hidden (comments, embedded base64). Depends on the text and its structure only,
//! so that the same note is cut the same way on every machine. Must not know any model: sizes are
//! estimated (see `cost`), generously enough that a chunk stays under a 512-token window.
//!
//! How a note is cut:
//! 1. at its headings; a heading stays with the text after it;
//! 2. a section of less than [`MIN_TOKENS`] is joined to its neighbour if that is its parent, child
//!    or sibling and the two fit one chunk; a heading without text is always joined;
//! 3. what is longer than [`MAX_TOKENS`] is cut between blocks, then between the parts of a block
//!    that is too long by itself, then at sentences (in code: blank lines, then lines), words and letters.
use std::ops::Range;

use super::lines::LineIndex;
use super::{Document, spans};

mod cost;
mod cut;
mod sections;

use cost::Costs;

/// Raised when the cut changes: an index built by another version is rebuilt.
pub const CHUNKER_VERSION: u32 = 1;

/// Sections below this are joined to a neighbour.
pub const MIN_TOKENS: u32 = 40;
/// No chunk is estimated at more than about this.
pub const MAX_TOKENS: u32 = 220;

/// A passage of a note.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chunk {
    /// Byte range in the note's text. Chunks are in order and do not overlap.
    pub range: Range<usize>,
    /// First and last line, from 1, both included.
    pub lines: (u32, u32),
    /// Index into `Document::headings` of the heading it stands under: the innermost one whose
    /// section holds at least four fifths of the chunk's text.
    pub heading: Option<usize>,
}

/// Cuts a note at headings, merges tiny sections, cuts long ones. A note without any text yields
/// one empty chunk, so that it can be found by its name.
pub fn split(text: &str, document: &Document) -> Vec<Chunk> {
    let costs = Costs::new(text, document.body_start, &document.layout.hidden);
    let lines = LineIndex::new(text);
    let sections = sections::merged(text, document, &costs);
    let ranges = sections.into_iter().flat_map(|section| cut::cut(text, document, &costs, &lines, section));
    let mut chunks: Vec<Chunk> = ranges
        .map(|range| trim(text, range))
        .filter(|range| !costs.is_blank(range.clone()))
        .map(|range| Chunk {
            lines: (lines.line(range.start), lines.line(range.end - 1)),
            heading: heading_of(document, &costs, &range),
            range,
        })
        .collect();
    if chunks.is_empty() {
        let (at, line) = (document.body_start, lines.line(document.body_start));
        chunks.push(Chunk { range: at..at, lines: (line, line), heading: None });
    }
    chunks
}

/// The names of the headings above a chunk, from the outer to the inner.
pub fn heading_path<'a>(document: &'a Document, chunk: &Chunk) -> Vec<&'a str> {
    let above = |&index: &usize| document.headings.get(index).and_then(|heading| heading.parent);
    let mut path: Vec<&str> = std::iter::successors(chunk.heading, above)
        .filter_map(|index| document.headings.get(index))
        .map(|heading| &*heading.text)
        .collect();
    path.reverse();
    path
}

/// The text of a chunk as it is indexed and shown: without comments and embedded data, trimmed,
/// and with no more than two blank lines in a row.
pub fn visible_text(text: &str, document: &Document, range: Range<usize>) -> String {
    let parts = spans::without(range, &document.layout.hidden);
    let shown: String = parts.into_iter().filter_map(|part| text.get(part)).collect();
    let mut out = String::with_capacity(shown.len());
    let mut blank_lines = 0;
    for line in shown.trim_matches(cost::is_blank).split_inclusive('\n') {
        blank_lines = if line.trim().is_empty() { blank_lines + 1 } else { 0 };
        if blank_lines <= MAX_BLANK_LINES {
            out.push_str(line);
        }
    }
    out
}

/// Cut-out comments and converted web pages leave many.
const MAX_BLANK_LINES: u32 = 2;

fn trim(text: &str, range: Range<usize>) -> Range<usize> {
    let part = &text[range.clone()];
    let start = range.start + part.len() - part.trim_start_matches(cost::is_blank).len();
    start..(range.start + part.trim_end_matches(cost::is_blank).len()).max(start)
}

/// The innermost heading whose section holds nearly all of the chunk's text, so that a line before
/// the first heading or a small section that was joined does not hide where the rest stands.
fn heading_of(document: &Document, costs: &Costs, range: &Range<usize>) -> Option<usize> {
    let headings = &document.headings;
    let first_inside = headings.partition_point(|heading| heading.range.start < range.start);
    let end_inside = headings.partition_point(|heading| heading.range.start < range.end);
    let holds_most = |&index: &usize| {
        let section = &headings[index].section;
        let inside = section.start.max(range.start)..section.end.min(range.end);
        // Four fifths.
        costs.of(inside) * 5 >= costs.of(range.clone()) * 4
    };
    let outside = std::iter::successors(first_inside.checked_sub(1), |&index| headings[index].parent);
    (first_inside..end_inside).rev().chain(outside).find(holds_most)
}

#[cfg(test)]
mod tests;
