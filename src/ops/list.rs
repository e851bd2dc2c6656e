//! List: the notes and folders below a folder, page by page.

use serde::Serialize;

/// A listing as asked.
#[derive(Debug, Clone)]
pub struct ListRequest {
    /// Only below this folder; none = the whole vault.
    pub folder: Option<String>,
    /// Only notes with all of these tags.
    pub tags: Vec<String>,
    /// Where the last page ended.
    pub cursor: Option<String>,
    /// Notes on a page, 1 to 1000.
    pub limit: usize,
    /// Folders instead of notes.
    pub folders_only: bool,
}

impl Default for ListRequest {
    fn default() -> Self {
        ListRequest { folder: None, tags: Vec::new(), cursor: None, limit: 100, folders_only: false }
    }
}

/// A note on a page.
#[derive(Debug, Clone, Serialize)]
pub struct ListedNote {
    /// Vault-relative path.
    pub path: String,
    /// The note's title.
    pub title: String,
}

/// One page.
#[derive(Debug, Clone, Serialize)]
pub struct ListAnswer {
    /// Ordered by path.
    pub notes: Vec<ListedNote>,
    /// Folders (with `folders_only`), ordered.
    pub folders: Vec<String>,
    /// Ask again with it for the next page; none on the last.
    pub next_cursor: Option<String>,
}
