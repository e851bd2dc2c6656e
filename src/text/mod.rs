//! Words for the keyword leg: text of any language -> terms. Pure; knows neither notes nor SQL.
//!
//! The same analysis runs over notes and over queries, so a change of what it yields raises
//! [`ANALYSER_VERSION`] and rebuilds every index.

use std::ops::Range;

/// Raised when the terms of any text change: an index built by another version is rebuilt.
pub const ANALYSER_VERSION: u32 = 1;

/// The FTS5 `tokenize` option that splits the output of [`index_text`] back into the same terms.
pub const FTS5_TOKENIZER: &str = "ascii";

/// A term and the bytes of the source text it came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Term {
    /// Normalised text: no white space, no ASCII separators except those FTS5 keeps.
    pub text: String,
    /// Where it stands in the source.
    pub range: Range<usize>,
}

/// The terms of a text, in order.
pub fn terms(text: &str) -> Vec<Term> {
    let _ = text;
    Vec::new()
}

/// The terms of a text joined by blanks, ready for an FTS5 column.
pub fn index_text(text: &str) -> String {
    let _ = text;
    String::new()
}
