//! Read: a name -> the note, or a part of it.

use serde::Serialize;

/// Which part of the note.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Part {
    /// All of it.
    #[default]
    Whole,
    /// A section by its heading (`Heading` or `Parent#Child`).
    Section(String),
    /// A block by its id.
    Block(String),
    /// The outline only, no text.
    Outline,
}

/// A read as asked.
#[derive(Debug, Clone)]
pub struct ReadRequest {
    /// Path, title, alias or wikilink; `#heading` or `#^block` in it count as the part.
    pub name: String,
    /// Which part.
    pub part: Part,
    /// First line wanted, from 1, within the whole note.
    pub first_line: Option<u32>,
    /// Lines wanted.
    pub line_limit: Option<u32>,
    /// Upper bound of the text in the answer, in bytes.
    pub max_bytes: usize,
}

impl Default for ReadRequest {
    fn default() -> Self {
        ReadRequest {
            name: String::new(),
            part: Part::Whole,
            first_line: None,
            line_limit: None,
            max_bytes: 64 * 1024,
        }
    }
}

/// A heading of the outline.
#[derive(Debug, Clone, Serialize)]
pub struct OutlineEntry {
    /// 1 to 6.
    pub level: u8,
    /// The heading's text.
    pub heading: String,
    /// Its line, from 1.
    pub line: u32,
}

/// A note, or a part of it.
#[derive(Debug, Clone, Serialize)]
pub struct ReadAnswer {
    /// Vault-relative path.
    pub path: String,
    /// The note's title.
    pub title: String,
    /// Other names.
    pub aliases: Vec<String>,
    /// Tags, without `#`.
    pub tags: Vec<String>,
    /// The properties as JSON.
    pub properties: serde_json::Map<String, serde_json::Value>,
    /// Headings of the whole note.
    pub outline: Vec<OutlineEntry>,
    /// The text of the part, comments cut out.
    pub text: String,
    /// First line of `text`, from 1; 0 with no text.
    pub line_start: u32,
    /// Last line of `text`.
    pub line_end: u32,
    /// Lines of the whole note.
    pub line_count: u32,
    /// The line to ask for next when `text` was cut.
    pub next_line: Option<u32>,
}
