//! The ways an operation can fail, with two texts each: one for the client, one for the log.

/// Why an operation gave no answer. `Display` is safe to show to any client: it names no path,
/// no rule and nothing of a note.
#[derive(Debug, thiserror::Error)]
pub enum OpError {
    /// Missing, private, ignored, oversized, undecodable: all the same from outside.
    #[error("note not found")]
    NotFound,
    /// The arguments make no sense; the text says what to change.
    #[error("{0}")]
    InvalidArgument(&'static str),
    /// The owner's configuration does not allow it.
    #[error("{0}")]
    NotAllowed(&'static str),
    /// Something below is broken; an outage must never look like "nothing found".
    #[error("{client}")]
    Unavailable {
        /// What the client may know, and what the owner can do.
        client: &'static str,
        /// The whole story, for the owner's terminal or log.
        log: String,
    },
}
