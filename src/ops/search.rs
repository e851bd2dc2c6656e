//! Search: a question -> ranked, cited passages.

use serde::Serialize;

/// Which legs run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Default)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// Words and meaning, fused.
    #[default]
    Hybrid,
    /// Words only.
    Keyword,
    /// Meaning only.
    Semantic,
}

/// How much of a passage is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Detail {
    /// The best window of each passage.
    #[default]
    Excerpt,
    /// Whole passages.
    Full,
}

/// A search as asked.
#[derive(Debug, Clone)]
pub struct SearchRequest {
    /// Free text; quotes make a phrase.
    pub query: String,
    /// Which legs to run.
    pub mode: Mode,
    /// Passages wanted, 1 to 50.
    pub limit: usize,
    /// Only notes below one of these folders; empty = everywhere.
    pub folders: Vec<String>,
    /// Only notes with all of these tags (nested tags count); empty = any.
    pub tags: Vec<String>,
    /// Passages per note, 1 to 10.
    pub max_per_note: usize,
    /// Excerpts or whole passages.
    pub detail: Detail,
    /// Upper bound of the note text in the answer, in bytes.
    pub max_bytes: usize,
}

impl Default for SearchRequest {
    fn default() -> Self {
        SearchRequest {
            query: String::new(),
            mode: Mode::Hybrid,
            limit: 8,
            folders: Vec::new(),
            tags: Vec::new(),
            max_per_note: 2,
            detail: Detail::Excerpt,
            max_bytes: 16 * 1024,
        }
    }
}

/// How a passage was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum MatchedBy {
    /// By words.
    Keyword,
    /// By meaning.
    Semantic,
}

/// A passage of a note, cited.
#[derive(Debug, Clone, Serialize)]
pub struct Passage {
    /// From 1.
    pub rank: usize,
    /// Vault-relative, `/`-separated.
    pub path: String,
    /// The note's title.
    pub title: String,
    /// `path#heading`, or `path` before the first heading.
    pub citation: String,
    /// Headings above the passage, from the outer to the inner.
    pub heading_path: Vec<String>,
    /// First line of the passage, from 1.
    pub line_start: u32,
    /// Last line of the passage.
    pub line_end: u32,
    /// The excerpt, or the whole passage.
    pub text: String,
    /// Byte ranges of `text` that match the query; for terminals, not part of the answer.
    #[serde(skip)]
    pub highlights: Vec<std::ops::Range<usize>>,
    /// Between 0 and 1, four decimals; comparable within one answer only.
    pub score: f64,
    /// Which legs found it.
    pub matched_by: Vec<MatchedBy>,
}

/// The answer to a search.
#[derive(Debug, Clone, Serialize)]
pub struct SearchAnswer {
    /// The mode that ran, which is not the one asked for when a leg was not there.
    pub mode: Mode,
    /// What the reader should know: a missing leg, an unfinished or missing index.
    pub notices: Vec<&'static str>,
    /// When the index last saw the vault (RFC 3339), if there is an index.
    pub indexed_at: Option<String>,
    /// Text was left out to stay within `max_bytes`.
    pub truncated: bool,
    /// Best first.
    pub passages: Vec<Passage>,
}
