//! Tags in use, with the number of notes that carry each.

use serde::Serialize;

/// Which tags.
#[derive(Debug, Clone, Default)]
pub struct TagsRequest {
    /// Only this tag and the tags nested below it.
    pub prefix: Option<String>,
}

/// A tag and its notes.
#[derive(Debug, Clone, Serialize)]
pub struct TagCount {
    /// Without `#`, as most often written.
    pub tag: String,
    /// Notes with this tag or one nested below it.
    pub notes: usize,
}

/// All tags, ordered by name; parents of nested tags included.
#[derive(Debug, Clone, Serialize)]
pub struct TagsAnswer {
    /// Ordered by name, case-insensitively.
    pub tags: Vec<TagCount>,
}
