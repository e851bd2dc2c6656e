//! A note's text -> what a tree keeps of it. Pure. The same cut serves indexing, embedding and
//! the search that finds a passage again in a text that changed.

use std::ops::Range;

use super::Hash16;
use super::write::{ChunkRecord, NoteRecord, short_hash};
use crate::note::{self, Document, chunk, chunk::Chunk};
use crate::text;
use crate::vault::FileStat;

/// A note cut into passages.
pub struct Cut<'a> {
    text: &'a str,
    /// Its structure.
    pub document: Document,
    /// Its title.
    pub title: String,
    chunks: Vec<Chunk>,
}

/// A passage of a cut note.
pub struct Piece<'c> {
    cut: &'c Cut<'c>,
    chunk: &'c Chunk,
    is_first: bool,
}

impl<'a> Cut<'a> {
    /// Parses and cuts a note; `stem` is its file name without extension.
    pub fn new(text: &'a str, stem: &str) -> Cut<'a> {
        let document = note::parse(text);
        let title = document.title(stem).to_owned();
        let chunks = chunk::split(text, &document);
        Cut { text, document, title, chunks }
    }

    /// Its passages, in order.
    pub fn pieces(&self) -> impl Iterator<Item = Piece<'_>> {
        self.chunks.iter().enumerate().map(|(index, chunk)| Piece { cut: self, chunk, is_first: index == 0 })
    }

    /// The passage that stands at `range` now.
    pub fn piece_at(&self, range: &Range<usize>) -> Option<Piece<'_>> {
        self.pieces().find(|piece| piece.chunk.range == *range)
    }

    /// The passage whose visible text has this hash.
    pub fn piece_with_hash(&self, hash: &Hash16) -> Option<Piece<'_>> {
        self.pieces().find(|piece| piece.hash() == *hash)
    }
}

impl Piece<'_> {
    /// Byte range in the note.
    pub fn range(&self) -> Range<usize> {
        self.chunk.range.clone()
    }

    /// First and last line, from 1.
    pub fn lines(&self) -> (u32, u32) {
        self.chunk.lines
    }

    /// The passage without comments.
    pub fn visible_text(&self) -> String {
        chunk::visible_text(self.cut.text, &self.cut.document, self.range())
    }

    /// Headings above it, from the outer to the inner.
    pub fn heading_path(&self) -> Vec<&str> {
        chunk::heading_path(&self.cut.document, self.chunk)
    }

    /// Tells whether the passage is still the same.
    pub fn hash(&self) -> Hash16 {
        short_hash(self.visible_text().as_bytes())
    }

    /// The text whose vector stands for the passage: where it stands, then what it says.
    pub fn embedding_text(&self) -> String {
        let mut text = self.cut.title.clone();
        for heading in self.heading_path().into_iter().filter(|heading| *heading != self.cut.title) {
            text.push_str(" > ");
            text.push_str(heading);
        }
        text.push('\n');
        text.push_str(self.description());
        text.push_str(&self.visible_text());
        text
    }

    /// The analysed columns of the keyword leg: title, aliases, headings, tags, body.
    fn columns(&self, stem: &str) -> [String; 5] {
        let Cut { document, title, .. } = self.cut;
        let names = if title == stem { title.clone() } else { format!("{title}\n{stem}") };
        let body = format!("{}{}", self.description(), self.visible_text());
        [
            names,
            document.frontmatter.aliases.join("\n"),
            self.heading_path().join("\n"),
            document.tags.join("\n"),
            body,
        ]
        .map(|column| text::index_text(&column))
    }

    /// The description property speaks for the note as a whole: it goes with its first passage.
    fn description(&self) -> &str {
        let description = self.cut.document.frontmatter.description.as_deref();
        description.filter(|_| self.is_first).unwrap_or_default()
    }

    /// See [`ChunkRecord::embed_key`].
    pub fn embed_key(&self) -> Hash16 {
        short_hash(self.embedding_text().as_bytes())
    }

    /// What the keyword leg sees of the passage, column by column.
    pub fn record(&self, stem: &str) -> ChunkRecord {
        ChunkRecord {
            range: self.range(),
            lines: self.lines(),
            hash: self.hash(),
            embed_key: self.embed_key(),
            columns: self.columns(stem),
        }
    }
}

impl NoteRecord {
    /// All that a tree keeps of a note.
    pub fn new(path: &str, stem: &str, cut: &Cut<'_>, hash: Hash16, stat: FileStat) -> NoteRecord {
        NoteRecord {
            path: path.to_owned(),
            title: cut.title.clone(),
            aliases: cut.document.frontmatter.aliases.clone(),
            tags: cut.document.tags.clone(),
            stat,
            hash,
            chunks: cut.pieces().map(|piece| piece.record(stem)).collect(),
        }
    }
}
