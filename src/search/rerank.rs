//! Ranked passages and what a reranker makes of them -> another order. Pure.
//!
//! A reranker sees more than the legs and still gets the plainest cases wrong: whoever types the words of a passage
//! means that passage. So it is blended with what was there before, and what the words alone decide stays.

use super::Hit;

/// So many of the best are looked at again.
pub const CANDIDATES: usize = 20;
/// How much the reranker counts; the rest is the score from before.
const WEIGHT: f64 = 0.5;

/// Is the first passage to stay?
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum First {
    /// It holds every word of the question, or its note has the question as its name.
    Settled,
    /// It is one among others.
    Open,
}

/// The passages in their new order; `scores` are the reranker's, of as many of the first as there are scores.
pub fn rerank(hits: Vec<Hit>, scores: &[f64], first: First) -> Vec<Hit> {
    let mapped = min_max(scores);
    let best = hits.first().map_or(0.0, |hit| hit.score).max(f64::MIN_POSITIVE);
    let mut seen: Vec<Hit> = Vec::new();
    let mut unseen: Vec<Hit> = Vec::new();
    for (number, hit) in hits.into_iter().enumerate() {
        match mapped.get(number) {
            Some(_) if number == 0 && first == First::Settled => seen.push(Hit { score: 1.0, ..hit }),
            Some(score) => {
                seen.push(Hit { score: (1.0 - WEIGHT) * hit.score / best + WEIGHT * score, ..hit });
            }
            None => unseen.push(hit),
        }
    }
    // Stable: of equal scores the one that was before stays before.
    seen.sort_by(|a, b| b.score.total_cmp(&a.score));
    // What was not looked at comes after, below everything that was.
    let floor = seen.last().map_or(1.0, |hit| hit.score);
    let below = |hit: Hit| Hit { score: floor * hit.score / best, ..hit };
    seen.into_iter().chain(unseen.into_iter().map(below)).collect()
}

/// From 0, the lowest, to 1, the highest; 1 throughout if all are alike.
fn min_max(scores: &[f64]) -> Vec<f64> {
    let high = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let low = scores.iter().copied().fold(f64::INFINITY, f64::min);
    scores.iter().map(|score| if high > low { (score - low) / (high - low) } else { 1.0 }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(scores: &[f64], first: First) -> String {
        let hit = |(note, score)| Hit { note, range: 0..1, score, by_words: None, by_meaning: None };
        let hits = [(0, 0.8), (1, 0.6), (2, 0.4), (3, 0.2)].map(hit).to_vec();
        let shown = rerank(hits, scores, first).into_iter();
        shown.map(|hit| format!("{} {:.2}", hit.note, hit.score)).collect::<Vec<_>>().join(", ")
    }

    #[test]
    fn the_reranker_counts_half() {
        assert_eq!(order(&[], First::Open), "0 1.00, 1 0.75, 2 0.50, 3 0.25");
        assert_eq!(order(&[5.0, 5.0, 5.0], First::Open), "0 1.00, 1 0.88, 2 0.75, 3 0.19");
        assert_eq!(order(&[-9.0, 3.0, -9.0], First::Open), "1 0.88, 0 0.50, 2 0.25, 3 0.06");
    }

    #[test]
    fn what_the_words_alone_decide_stays_first() {
        assert_eq!(order(&[-9.0, 3.0, -9.0], First::Settled), "0 1.00, 1 0.88, 2 0.25, 3 0.06");
    }
}
