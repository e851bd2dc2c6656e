//! Survivors -> ranked passages: ranks are given only to what may be shown.

use std::collections::HashMap;

use super::admit::Admitted;
use super::fuse::{self, BlendWeights, Scored};
use super::legs::Legs;
use super::{Hit, Question};
use crate::index::ChunkId;

/// Weight of meaning against words, chosen on the tuning sets (see `evals/README.md`).
const DENSE_WEIGHT: f64 = 0.5;

pub(super) fn rank(admitted: &Admitted<'_>, legs: &Legs, question: &Question<'_>) -> Vec<Hit> {
    let words = surviving(&legs.words, admitted);
    let meaning = surviving(&legs.meaning, admitted);
    let tie = |id: ChunkId| {
        let (note, range) = &admitted.places[&id];
        (admitted.notes[*note].path().clone(), range.start)
    };
    let weights = match (words.is_empty(), meaning.is_empty()) {
        (_, true) => BlendWeights { dense: 0.0, keyword_coverage: 1.0 },
        (true, _) => BlendWeights { dense: 1.0, keyword_coverage: 1.0 },
        _ => BlendWeights { dense: DENSE_WEIGHT, keyword_coverage: 1.0 },
    };
    let fused = fuse::convex_blend(&words, &meaning, weights, tie);
    let contains = |leg: &[Scored<ChunkId>], id| leg.iter().any(|candidate| candidate.id == id);
    let hits = fused.into_iter().map(|Scored { id, score }| {
        let (note, range) = admitted.places[&id].clone();
        Hit { note, range, score, by_words: contains(&words, id), by_meaning: contains(&meaning, id) }
    });
    select(hits, question)
}

fn surviving(leg: &[Scored<ChunkId>], admitted: &Admitted<'_>) -> Vec<Scored<ChunkId>> {
    leg.iter().copied().filter(|candidate| admitted.places.contains_key(&candidate.id)).collect()
}

/// The best passages, at most so many of a note.
pub(super) fn select(hits: impl Iterator<Item = Hit>, question: &Question<'_>) -> Vec<Hit> {
    let mut of_note: HashMap<usize, usize> = HashMap::new();
    hits.filter(|hit| {
        let count = of_note.entry(hit.note).or_default();
        *count += 1;
        *count <= question.max_per_note
    })
    .take(question.limit)
    .collect()
}
