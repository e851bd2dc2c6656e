//! What the index says of itself: observed state only.

use std::time::{Duration, UNIX_EPOCH};

use rayon::prelude::*;
use serde::Serialize;

use super::shown::{Shown, Shows};
use super::trees::check_presence;
use super::{Caller, OpError, Service, notice};
use crate::failpoint::{self, Failpoint};
use crate::index::Tree;
use crate::reply::Reply;
use crate::vault::{NotePath, Session};

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

impl Shows for StatusAnswer {
    /// It names no note.
    fn tell(&self, _: &mut Shown) {}
}

pub(super) fn run(service: &Service, caller: &Caller<'_>) -> Result<Reply<StatusAnswer>, OpError> {
    service.request(caller, |session, tree| {
        let Some(tree) = tree else { return Ok(Reply::about_index(missing(service))) };
        let (notes, chunks, mut pending_vectors) = count(session, tree)?;
        let header = tree.header();
        let mut notices = Vec::new();
        if notes == 0 && check_presence(session, Some(tree)).is_err() {
            notices.push(notice::NO_NOTES);
        }
        let model = header.model.as_deref();
        if model.is_none() {
            pending_vectors = 0;
        }
        if !service.models.accepts(model) {
            notices.push(if model.is_some() { notice::MODEL_MISMATCH } else { notice::NO_VECTORS });
        }
        let embedder = model.and_then(|model| service.models.embedder(model));
        if let Some(Err(error)) = embedder.map(|embedder| embedder.check(header.dimensions)) {
            notices.push(notice::of_model(&error));
        }
        let state = if pending_vectors > 0 { IndexState::Embedding } else { IndexState::Ready };
        Ok(Reply::about_index(StatusAnswer {
            state,
            notes,
            chunks,
            pending_vectors,
            model: model.map(|id| id.split('@').next().unwrap_or(id).to_owned()),
            indexed_at: header.indexed_at.map(rfc3339),
            notices,
        }))
    })
}

/// Notes, passages and passages without a vector, of notes that may still be shown: a note that
/// turned private since the last run does not count.
fn count(session: &Session<'_>, tree: &Tree) -> Result<(u64, u64, u64), OpError> {
    let sizes = tree.note_sizes()?;
    if failpoint::is_on(Failpoint::CountHidden) {
        let hidden = session.walk().map_or(0, |walk| walk.passed_over.len() as u64);
        return Ok((sizes.len() as u64 + hidden, 0, 0));
    }
    let is_shown = |path: &str| NotePath::parse(path).is_ok_and(|path| session.open(&path).is_ok());
    Ok(sizes
        .par_iter()
        .filter(|(path, _, _)| is_shown(path))
        .map(|(_, chunks, pending)| (1, *chunks, *pending))
        .reduce(|| (0, 0, 0), |a, b| (a.0 + b.0, a.1 + b.1, a.2 + b.2)))
}

fn missing(service: &Service) -> StatusAnswer {
    let (state, notice) = if service.is_indexing() {
        (IndexState::Indexing, notice::FIRST_PASS_INDEXING)
    } else {
        (IndexState::Missing, notice::FIRST_PASS)
    };
    StatusAnswer {
        state,
        notes: 0,
        chunks: 0,
        pending_vectors: 0,
        model: None,
        indexed_at: None,
        notices: vec![notice],
    }
}

/// Seconds since 1970 as `2026-01-31T12:00:00Z`.
pub(super) fn rfc3339(seconds: u64) -> String {
    humantime::format_rfc3339_seconds(UNIX_EPOCH + Duration::from_secs(seconds)).to_string()
}
