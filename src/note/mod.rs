//! Text of a note -> its structure. No IO, no rules of privacy; parsing never fails, never
//! panics and takes linear time, whatever the input.
//!
//! All positions are byte offsets into the text that was parsed; lines count from 1.

pub mod chunk;
pub mod date;
pub mod frontmatter;
pub mod inline;
pub mod link;
pub mod mention;
pub mod outline;
pub mod predicate;
pub mod quote;

mod anchor;
mod layout;
mod lines;
mod markdown;
mod spans;
mod yaml;

use std::ops::Range;

pub use frontmatter::Frontmatter;
pub use layout::Layout;
pub use link::{Anchor, Link, LinkKind};
pub use outline::{Block, Heading};

/// What a note says about itself and about others.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Document {
    /// The properties block, empty where there is none.
    pub frontmatter: Frontmatter,
    /// Headings in reading order.
    pub headings: Vec<Heading>,
    /// Wikilinks, embeds and Markdown links to other notes, in reading order.
    pub links: Vec<Link>,
    /// Tags of the properties and of the body, without `#`, as first written, no two equal
    /// under case folding.
    pub tags: Vec<String>,
    /// Blocks that carry an id (`^id`).
    pub blocks: Vec<Block>,
    /// Byte ranges of `%%…%%` and `<!-- … -->`, marks included: never shown, never indexed.
    pub comments: Vec<Range<usize>>,
    /// Where the body begins: after the properties block, else after a byte order mark, else 0.
    pub body_start: usize,
    /// Where the text may be cut into chunks.
    pub layout: Layout,
}

impl Document {
    /// The name to show: the `title` property, else the first heading if it is of level one, else
    /// `stem`, the file name without its extension. A level-one heading further down names a part.
    pub fn title<'a>(&'a self, stem: &'a str) -> &'a str {
        let heading =
            || self.headings.first().filter(|heading| heading.level == 1).map(|heading| &*heading.text);
        self.frontmatter.title.as_deref().or_else(heading).filter(|title| !title.is_empty()).unwrap_or(stem)
    }
}

/// Reads the structure of a note.
pub fn parse(text: &str) -> Document {
    let head = frontmatter::locate(text);
    let yaml = head.yaml.unwrap_or_default();
    let frontmatter = frontmatter::read(&text[yaml.clone()]);
    let property_links = frontmatter::links(text, yaml, &frontmatter.properties);
    let body_start = head.body_start;
    let mut structure = markdown::read(text, body_start);
    let comments = inline::comments(text, body_start, &structure.verbatim);
    let found = inline::scan(text, body_start, &structure, &comments);
    let raw_headings = std::mem::take(&mut structure.headings);
    let shown = raw_headings.into_iter().filter(|heading| !spans::contains(&comments, heading.range.start));
    let headings = shown.map(|heading| {
        let text = outline::heading_text(&heading.pieces, &comments);
        (heading, text)
    });
    let lines = lines::LineIndex::new(text);
    Document {
        headings: outline::headings(headings.collect(), &lines, text.len()),
        tags: frontmatter::distinct(frontmatter.tags.iter().cloned().chain(found.tags)),
        links: link::in_reading_order([property_links, found.links].concat(), &structure.links, &comments),
        blocks: outline::blocks(text, &structure.leaves, &comments),
        layout: Layout::new(text, body_start, structure, &comments),
        frontmatter,
        comments,
        body_start,
    }
}

/// The form in which names are compared: case-folded, then NFC.
pub fn fold(name: &str) -> String {
    use unicode_normalization::UnicodeNormalization;
    if name.is_ascii() {
        return name.to_ascii_lowercase();
    }
    // Folding before and after composing, as a composed letter may fold to a decomposed one.
    let composed: String = name.nfc().collect();
    caseless::default_case_fold_str(&composed).nfc().collect()
}

#[cfg(test)]
mod tests;
