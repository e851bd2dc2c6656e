//! What the index says of itself: observed state only.

use serde::Serialize;

/// How far the index is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum IndexState {
    /// Words and vectors are there.
    Ready,
    /// Words are there, vectors are still being made.
    Embedding,
    /// The first pass is still running.
    Indexing,
    /// There is no index.
    Missing,
}

/// The state of the index of this profile.
#[derive(Debug, Clone, Serialize)]
pub struct StatusAnswer {
    /// How far it is.
    pub state: IndexState,
    /// Notes in the index.
    pub notes: u64,
    /// Passages in the index.
    pub chunks: u64,
    /// Passages that still wait for their vector.
    pub pending_vectors: u64,
    /// The embedding model's name, none for keyword only.
    pub model: Option<String>,
    /// When the index last saw the vault (RFC 3339).
    pub indexed_at: Option<String>,
    /// What the reader should know.
    pub notices: Vec<&'static str>,
}
