//! Headings and blocks with ids, with the ranges they cover.
use std::ops::Range;

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
}

/// A block that can be linked to as `#^id`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    /// The id without `^`.
    pub id: String,
    /// The block, its id included.
    pub range: Range<usize>,
}
