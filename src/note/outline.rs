//! Headings and blocks with ids, with the ranges they cover.
//!
//! Only headings of the note itself make sections; one inside a quote or a list item is text.
use std::ops::Range;

use super::lines::LineIndex;
use super::markdown::{Leaf, Piece, RawHeading};
use super::{link, spans};

/// A heading and its section.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Heading {
    /// 1 to 6.
    pub level: u8,
    /// The text without Markdown marks, trimmed.
    pub text: String,
    /// Where the heading stands.
    pub range: Range<usize>,
    /// The heading, its text and its subsections: up to the next heading of the same or a higher rank.
    pub section: Range<usize>,
    /// The line of the heading, from 1.
    pub line: u32,
    /// Index of the heading of a higher rank that this one stands under.
    pub parent: Option<usize>,
}

/// A block that can be linked to as `#^id`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    /// The id without `^`.
    pub id: String,
    /// The block, its id included.
    pub range: Range<usize>,
}

/// Nests the headings. `body_end` closes the last sections.
pub(super) fn headings(raw: Vec<(RawHeading, String)>, lines: &LineIndex, body_end: usize) -> Vec<Heading> {
    let mut headings: Vec<Heading> = Vec::with_capacity(raw.len());
    let mut open: Vec<usize> = Vec::new();
    for (RawHeading { level, range, .. }, text) in raw {
        while let Some(&last) = open.last().filter(|&&last| headings[last].level >= level) {
            headings[last].section.end = range.start;
            open.pop();
        }
        let (line, parent, section) = (lines.line(range.start), open.last().copied(), range.start..body_end);
        open.push(headings.len());
        headings.push(Heading { level, text, range, section, line, parent });
    }
    headings
}

/// The text of a heading as it is shown: without comments, block id and link brackets.
pub(super) fn heading_text(pieces: &[Piece], comments: &[Range<usize>]) -> String {
    let text = join_pieces(pieces, comments);
    let without_id = split_id(&text).map_or(&*text, |(before, _)| before);
    link::without_brackets(without_id).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Joins the pieces that lie outside comments.
pub(super) fn join_pieces(pieces: &[Piece], comments: &[Range<usize>]) -> String {
    let shown = |(range, text): &Piece| -> String {
        if !spans::overlaps(comments, range) {
            return text.clone();
        }
        // A piece that is partly hidden is cut by position. That only works for text that stands in
        // the note as it is; text with entities in it is left out as a whole.
        if range.len() != text.len() {
            return String::new();
        }
        spans::without(range.clone(), comments)
            .into_iter()
            .filter_map(|part| text.get(part.start - range.start..part.end - range.start))
            .collect()
    };
    pieces.iter().map(shown).collect()
}

/// The blocks with an id, in reading order.
pub(super) fn blocks(text: &str, leaves: &[Leaf], comments: &[Range<usize>]) -> Vec<Block> {
    leaves.iter().filter_map(|leaf| block(text, leaf, comments)).collect()
}

/// The block that the id at the end of `leaf` names: the leaf's own block, or, if the leaf is
/// nothing but the id, the block before it.
fn block(text: &str, leaf: &Leaf, comments: &[Range<usize>]) -> Option<Block> {
    let (before, id) = split_id(&text[leaf.text.clone()])?;
    let id_start = leaf.text.start + before.len();
    if spans::contains(comments, id_start) {
        return None;
    }
    let owner = if before.trim().is_empty() { leaf.previous.clone()? } else { leaf.owner.clone() };
    let id_end = id_start + 1 + id.len();
    let owner_end = owner.start + text[owner.clone()].trim_end().len();
    Some(Block { id: id.to_owned(), range: owner.start..owner_end.max(id_end) })
}

/// Splits `text ^id` before the caret.
pub(super) fn split_id(text: &str) -> Option<(&str, &str)> {
    let (before, id) = text.trim_end().rsplit_once('^')?;
    let valid = !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    (valid && (before.is_empty() || before.ends_with(char::is_whitespace))).then_some((before, id))
}

#[cfg(test)]
mod tests;
