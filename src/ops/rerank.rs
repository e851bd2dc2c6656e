//! Lets a reranker look at the best passages of a search again. What it reads are the passages admitted in this
//! request, cut from the notes as they are now.

use std::collections::HashMap;

use super::{Service, notice};
use crate::index::Cut;
use crate::search::Found;
use crate::search::rerank::{CANDIDATES, rerank};

/// What became of the reranking.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Outcome {
    /// None was configured or wanted.
    Off,
    /// The passages stand in a new order.
    Done,
    /// They stand as before.
    Failed,
}

impl Outcome {
    pub(super) fn notice(self) -> Option<&'static str> {
        (self == Outcome::Failed).then_some(notice::NOT_RERANKED)
    }
}

/// Orders the best passages anew.
pub(super) fn apply(service: &Service, query: &str, found: &mut Found<'_>) -> Outcome {
    let Some(reranker) = &service.reranker else { return Outcome::Off };
    let _span = tracing::trace_span!("rerank").entered();
    let texts = texts(found);
    let Ok(scores) = reranker.score(query, &texts) else {
        // Without the error: it may name a folder, and a client may read the log.
        tracing::warn!("{}", notice::NOT_RERANKED);
        return Outcome::Failed;
    };
    found.hits = rerank(std::mem::take(&mut found.hits), &scores, found.first);
    Outcome::Done
}

/// The texts of the best passages, titles and headings included.
fn texts(found: &Found<'_>) -> Vec<String> {
    let mut cuts: HashMap<usize, Cut<'_>> = HashMap::new();
    let texts = found.hits.iter().take(CANDIDATES).map(|hit| {
        let note = &found.notes[hit.note];
        let cut = cuts.entry(hit.note).or_insert_with(|| Cut::new(note.text(), note.path().stem()));
        cut.piece_at(&hit.range).map(|piece| piece.embedding_text()).unwrap_or_default()
    });
    texts.collect()
}
