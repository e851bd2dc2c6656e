//! The trees: one SQLite file per vault and profile, with words (FTS5), vectors (sqlite-vec) and
//! the catalogue of names.
//!
//! A tree holds no prose: positions and hashes of passages, an inverted index without content,
//! vectors, and the names, titles, aliases and tags that a catalogue needs. It is never an
//! authority on what may be shown; the vault is.

mod catalogue;
mod error;
mod ffi;
mod keyword;
mod matrix;
mod record;
mod schema;
mod store;
mod survey;
mod vector;
mod verified;
mod write;

use std::collections::BTreeSet;

pub use catalogue::{ChunkPlace, NoteEntry, TagRow};
pub use error::IndexError;
pub use keyword::ColumnWeights;
pub use matrix::VectorCache;
pub use record::{Cut, Piece};
pub use schema::{FORMAT_VERSION, Header, Tree};
pub use store::{FileIdentity, Store, WriteLock};
pub use survey::{Survey, survey};
pub use vector::Quantised;
pub use verified::Verified;
pub use write::{ChunkRecord, LinkRecord, NoteRecord, Pending, Writer};

/// The number of a passage in its tree. It means nothing outside the tree.
pub type ChunkId = i64;
/// The number of a note in its tree. It means nothing outside the tree.
pub type NoteId = i64;
/// The first half of a BLAKE3 hash.
pub type Hash16 = [u8; 16];

/// Which notes a query looks at. Texts are folded by [`crate::note::fold`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
    /// Below any of these folders; none = everywhere.
    pub folders: Vec<String>,
    /// With all of these tags, nested ones included; none = any.
    pub tags: Vec<String>,
    /// One of these paths, as written; `None` = any.
    pub notes: Option<BTreeSet<String>>,
}

impl Filter {
    /// Lets every note pass.
    pub fn is_empty(&self) -> bool {
        self.folders.is_empty() && self.tags.is_empty() && self.notes.is_none()
    }

    /// A condition on `note`, with its parameters in order.
    fn to_sql(&self) -> (String, Vec<String>) {
        let mut parameters = Vec::new();
        let mut conditions = Vec::new();
        if !self.folders.is_empty() {
            let any = self.folders.iter().map(|folder| {
                // `0` follows `/`: all paths that begin with `folder/`.
                parameters.extend([format!("{folder}/"), format!("{folder}0")]);
                "(note.path_key >= ? AND note.path_key < ?)"
            });
            conditions.push(format!("({})", any.collect::<Vec<_>>().join(" OR ")));
        }
        for tag in &self.tags {
            parameters.extend([tag.clone(), format!("{tag}/"), format!("{tag}0")]);
            conditions
                .push("note.id IN (SELECT note FROM tag WHERE key = ? OR (key >= ? AND key < ?))".to_owned());
        }
        if let Some(notes) = &self.notes {
            parameters.push(serde_json::json!(notes).to_string());
            conditions.push("note.path IN (SELECT value FROM json_each(?))".to_owned());
        }
        (conditions.join(" AND "), parameters)
    }
}

#[cfg(test)]
mod tests;
