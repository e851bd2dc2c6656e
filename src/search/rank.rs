//! Survivors -> ranked passages: ranks are given only to what may be shown.

use std::collections::HashMap;

use super::admit::Admitted;
use super::doubt::Nearness;
use super::fuse::{self, BlendWeights, Scored};
use super::legs::Legs;
use super::{Hit, Question, Standing};
use crate::index::ChunkId;

/// The candidates that may be shown, leg by leg.
pub(super) struct Surviving {
    words: Vec<Scored<ChunkId>>,
    meaning: Vec<Scored<ChunkId>>,
}

impl Surviving {
    /// At most `per_note` passages of a note survive in each leg.
    pub(super) fn new(admitted: &Admitted<'_>, legs: &Legs, per_note: usize) -> Surviving {
        let surviving = |leg| surviving(leg, admitted, per_note);
        Surviving { words: surviving(&legs.words), meaning: surviving(&legs.meaning) }
    }

    /// The best passage by words.
    pub(super) fn best_by_words(&self) -> Option<ChunkId> {
        self.words.first().map(|best| best.id)
    }

    /// How near the nearest passage is, if meaning was asked for and found something.
    pub(super) fn nearness(&self, question: &Question<'_>) -> Option<Nearness> {
        let (meaning, nearest) = question.meaning.as_ref().zip(self.meaning.first())?;
        Some(Nearness { similarity: nearest.score, seldom_below: meaning.answers_seldom_below })
    }

    fn weights(&self, keyword_coverage: f64, question: &Question<'_>) -> BlendWeights {
        match (&question.meaning, self.words.is_empty(), self.meaning.is_empty()) {
            (Some(meaning), false, false) => BlendWeights { dense: meaning.weight, keyword_coverage },
            (_, true, false) => BlendWeights { dense: 1.0, keyword_coverage: 1.0 },
            _ => BlendWeights { dense: 0.0, keyword_coverage: 1.0 },
        }
    }
}

pub(super) fn rank(
    admitted: &Admitted<'_>,
    legs: &Legs,
    survivors: &Surviving,
    keyword_coverage: f64,
    question: &Question<'_>,
) -> Vec<Hit> {
    let tie = |id: ChunkId| {
        let (note, range) = &admitted.places[&id];
        (admitted.notes[*note].path().clone(), range.start)
    };
    let Surviving { words, meaning } = survivors;
    let fused = fuse::convex_blend(words, meaning, survivors.weights(keyword_coverage, question), tie);
    let hits = fused.into_iter().map(|Scored { id, score }| {
        let (note, range) = admitted.places[&id].clone();
        Hit { note, range, score, by_words: standing(words, id), by_meaning: standing(meaning, id) }
    });
    let is_named = |hit: &Hit| legs.named.iter().any(|path| path == admitted.notes[hit.note].path().as_str());
    select(named_first(hits.collect(), is_named).into_iter(), question)
}

fn standing(leg: &[Scored<ChunkId>], id: ChunkId) -> Option<Standing> {
    let index = leg.iter().position(|candidate| candidate.id == id)?;
    Some(Standing { rank: index + 1, score: leg[index].score })
}

/// Who types the whole name of a note means that note. Its passages get the upper half of the scores,
/// all others the lower half.
fn named_first(hits: Vec<Hit>, is_named: impl Fn(&Hit) -> bool) -> Vec<Hit> {
    let (named, others): (Vec<Hit>, Vec<Hit>) = hits.into_iter().partition(|hit| is_named(hit));
    if named.is_empty() {
        return others;
    }
    let upper = named.into_iter().map(|hit| Hit { score: 0.5 + hit.score / 2.0, ..hit });
    let lower = others.into_iter().map(|hit| Hit { score: hit.score / 2.0, ..hit });
    upper.chain(lower).collect()
}

fn surviving(leg: &[Scored<ChunkId>], admitted: &Admitted<'_>, per_note: usize) -> Vec<Scored<ChunkId>> {
    let mut of_note: HashMap<usize, usize> = HashMap::new();
    let mut is_kept = |candidate: &Scored<ChunkId>| {
        admitted.places.get(&candidate.id).is_some_and(|(note, _)| {
            let count = of_note.entry(*note).or_default();
            *count += 1;
            *count <= per_note
        })
    };
    leg.iter().copied().filter(|candidate| is_kept(candidate)).collect()
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_named_by_the_query_stands_first() {
        let hit = |(note, score)| Hit { note, range: 0..1, score, by_words: None, by_meaning: None };
        let hits = [(0, 0.9), (1, 0.4), (2, 0.3), (1, 0.2)];
        for (named, expected) in
            [(None, "0 0.90, 1 0.40, 2 0.30, 1 0.20"), (Some(1), "1 0.70, 1 0.60, 0 0.45, 2 0.15")]
        {
            let ranked = named_first(hits.map(hit).to_vec(), |hit| Some(hit.note) == named);
            let shown: Vec<String> =
                ranked.iter().map(|hit| format!("{} {:.2}", hit.note, hit.score)).collect();
            assert_eq!(shown.join(", "), expected, "{named:?}");
        }
    }
}
