//! Ranked lists of several legs -> one. Pure functions over ids and scores; knows neither notes
//! nor how a leg scores.
//!
//! Every leg comes best first, higher scores being better (negate what `bm25()` of FTS5 yields).
//! A second mention of an id in one leg and a score that is no number are ignored. Results come
//! best first; equal scores stand in the order of the key the caller gives, which must not depend
//! on anything private.

use std::collections::{BTreeMap, HashSet};
use std::hash::Hash;

/// How many of a leg's best take part in a [`convex_blend`].
pub const BLEND_DEPTH: usize = 100;

/// Coverage at which the keyword leg of a [`convex_blend`] has its full weight.
pub const FULL_COVERAGE: f64 = 0.4;

/// A candidate and its score.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scored<Id> {
    /// What was found.
    pub id: Id,
    /// How good it is; only comparable within one list.
    pub score: f64,
}

/// How much the legs of a [`convex_blend`] count.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BlendWeights {
    /// Weight of the dense leg, 0 to 1; the keyword leg has the rest.
    pub dense: f64,
    /// How much of the query the keyword leg understood, 0 to 1: see [`coverage`].
    pub keyword_coverage: f64,
}

/// A convex blend: within each leg the scores of the best [`BLEND_DEPTH`] are mapped to 0..=1, then
///
/// `score = dense · d + (1 - dense) · min(1, keyword_coverage / 0.4) · w`
///
/// where `d` and `w` are the mapped scores of the dense and the keyword leg, 0 where a leg does not
/// hold the id. BM25 has a zero, so the keyword leg is divided by its best score; similarities of
/// a model crowd together in a narrow band, so the dense leg runs from its worst to its best. A leg
/// whose scores are equal is 1 throughout.
///
/// Source: Bruch, Gai, Ingber, "An Analysis of Fusion Functions for Hybrid Retrieval", TOIS 2023,
/// for the blend and for the theoretical zero. The factor of the keyword leg is this project's own:
/// across languages the few terms that match are chance, and unweighted they displace what the
/// dense leg found.
pub fn convex_blend<Id, Key>(
    keyword: &[Scored<Id>],
    dense: &[Scored<Id>],
    weights: BlendWeights,
    tie: impl Fn(Id) -> Key,
) -> Vec<Scored<Id>>
where
    Id: Copy + Ord + Hash,
    Key: Ord,
{
    let keyword_weight = (1.0 - weights.dense) * (weights.keyword_coverage / FULL_COVERAGE).clamp(0.0, 1.0);
    let weighted = |leg: Vec<Scored<Id>>, weight: f64| {
        leg.into_iter().map(move |candidate| (candidate.id, weight * candidate.score))
    };
    let dense = weighted(mapped(dense, Zero::Worst), weights.dense);
    best_first(sum(dense.chain(weighted(mapped(keyword, Zero::Zero), keyword_weight))), tie)
}

/// The share of a query that the keyword leg's best note holds, 0 to 1, weighing each distinct term
/// by its inverse document frequency: rare words say more than common ones.
///
/// `terms` yields for each distinct term of the query how many notes hold it and whether the
/// best one does. The weight is `ln(1 + (n - df + 0.5) / (df + 0.5))`, the IDF of BM25 in the form
/// that is never negative (Lucene's `BM25Similarity`). A query without terms is not covered.
pub fn coverage(note_count: u64, terms: impl IntoIterator<Item = (u64, Presence)>) -> f64 {
    let (mut held, mut all) = (0.0, 0.0);
    for (document_frequency, presence) in terms {
        let weight = inverse_document_frequency(note_count, document_frequency);
        all += weight;
        held += if presence == Presence::Held { weight } else { 0.0 };
    }
    if all > 0.0 { held / all } else { 0.0 }
}

/// Whether a note holds a term.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Presence {
    /// It does.
    Held,
    /// It does not.
    Absent,
}

fn inverse_document_frequency(note_count: u64, document_frequency: u64) -> f64 {
    let (n, df) = (note_count as f64, document_frequency.min(note_count) as f64);
    ((n - df + 0.5) / (df + 0.5)).ln_1p()
}

/// The candidates of a leg with finite scores, each id once.
fn usable<Id: Copy + Eq + Hash>(leg: &[Scored<Id>]) -> Vec<Scored<Id>> {
    let mut seen = HashSet::new();
    leg.iter().copied().filter(|candidate| candidate.score.is_finite() && seen.insert(candidate.id)).collect()
}

/// What becomes 0 when the scores of a leg are mapped.
#[derive(Clone, Copy)]
enum Zero {
    /// The score 0.
    Zero,
    /// The lowest score.
    Worst,
}

/// The best [`BLEND_DEPTH`] of a leg with their scores mapped to 0..=1.
fn mapped<Id: Copy + Eq + Hash>(leg: &[Scored<Id>], zero: Zero) -> Vec<Scored<Id>> {
    let mut best = usable(leg);
    best.truncate(BLEND_DEPTH);
    let scores = || best.iter().map(|candidate| candidate.score);
    let high = scores().fold(f64::NEG_INFINITY, f64::max);
    let low = match zero {
        Zero::Zero => 0.0,
        Zero::Worst => scores().fold(f64::INFINITY, f64::min),
    };
    for candidate in &mut best {
        let share = (candidate.score - low) / (high - low);
        candidate.score = if high > low { share.clamp(0.0, 1.0) } else { 1.0 };
    }
    best
}

/// Adds up the scores of each id, in the order they come: sums of floats depend on it.
fn sum<Id: Ord>(scores: impl Iterator<Item = (Id, f64)>) -> BTreeMap<Id, f64> {
    let mut sums = BTreeMap::new();
    for (id, score) in scores {
        *sums.entry(id).or_insert(0.0) += score;
    }
    sums
}

fn best_first<Id: Copy + Ord, Key: Ord>(sums: BTreeMap<Id, f64>, tie: impl Fn(Id) -> Key) -> Vec<Scored<Id>> {
    let mut list: Vec<Scored<Id>> = sums.into_iter().map(|(id, score)| Scored { id, score }).collect();
    list.sort_by(|left, right| {
        let by_score = right.score.total_cmp(&left.score);
        let by_key = || tie(left.id).cmp(&tie(right.id));
        by_score.then_with(by_key).then_with(|| left.id.cmp(&right.id))
    });
    list
}

#[cfg(test)]
mod tests {
    use super::*;

    fn leg(scores: &[(char, f64)]) -> Vec<Scored<char>> {
        scores.iter().map(|&(id, score)| Scored { id, score }).collect()
    }

    /// `a 0.500 b 0.250`
    fn show(list: &[Scored<char>]) -> String {
        list.iter()
            .map(|candidate| format!("{} {:.3}", candidate.id, candidate.score))
            .collect::<Vec<_>>()
            .join(" ")
    }

    type Leg = &'static [(char, f64)];

    #[test]
    fn convex_blends() {
        let keyword: Leg = &[('a', 10.0), ('b', 5.0), ('c', 2.0)];
        let dense: Leg = &[('c', 0.9), ('d', 0.85), ('a', 0.8)];
        let table: &[(Leg, Leg, f64, f64, &str)] = &[
            (&[], &[], 0.5, 1.0, ""),
            (keyword, &[], 0.5, 1.0, "a 0.500 b 0.250 c 0.100"),
            (keyword, dense, 0.5, 1.0, "c 0.600 a 0.500 b 0.250 d 0.250"),
            (keyword, dense, 0.4, 1.0, "a 0.600 c 0.520 b 0.300 d 0.200"),
            (keyword, dense, 0.5, 0.4, "c 0.600 a 0.500 b 0.250 d 0.250"),
            (keyword, dense, 0.5, 0.2, "c 0.550 a 0.250 d 0.250 b 0.125"),
            (keyword, dense, 0.5, 0.0, "c 0.500 d 0.250 a 0.000 b 0.000"),
            (keyword, dense, 1.0, 1.0, "c 1.000 d 0.500 a 0.000 b 0.000"),
            // One candidate, or equal ones, are all best.
            (&[('a', 3.0)], &[('b', 0.7), ('c', 0.7)], 0.5, 1.0, "a 0.500 b 0.500 c 0.500"),
            // Infinite scores and second mentions are passed over.
            (&[('a', 4.0), ('b', f64::INFINITY), ('c', 3.0), ('a', 1.0)], &[], 0.0, 1.0, "a 1.000 c 0.750"),
        ];
        for &(keyword, dense, weight, keyword_coverage, expected) in table {
            let weights = BlendWeights { dense: weight, keyword_coverage };
            assert_eq!(show(&convex_blend(&leg(keyword), &leg(dense), weights, |id| id)), expected);
        }
    }

    #[test]
    fn only_the_best_take_part_in_a_blend() {
        let long: Vec<Scored<usize>> = (0..500).map(|id| Scored { id, score: 1000.0 - id as f64 }).collect();
        let blend = convex_blend(&long, &[], BlendWeights { dense: 0.0, keyword_coverage: 1.0 }, |id| id);
        assert_eq!(blend.len(), BLEND_DEPTH);
        assert_eq!((blend[0].score, blend[BLEND_DEPTH - 1].score), (1.0, 0.901));
    }

    #[test]
    fn equal_scores_stand_in_the_order_of_the_caller() {
        let scores = leg(&[('a', 1.0), ('b', 1.0), ('c', 1.0)]);
        let paths = |id| if id == 'a' { "z.md" } else { "m.md" };
        let weights = BlendWeights { dense: 0.5, keyword_coverage: 1.0 };
        assert_eq!(show(&convex_blend(&scores, &[], weights, paths)), "b 0.500 c 0.500 a 0.500");
    }

    type Terms = &'static [(u64, Presence)];

    #[test]
    fn coverage_weighs_rare_terms_more() {
        use Presence::{Absent, Held};
        let table: &[(u64, Terms, &str)] = &[
            (100, &[], "0.000"),
            (0, &[(0, Absent)], "0.000"),
            (100, &[(1, Held), (1, Held)], "1.000"),
            (100, &[(1, Held), (1, Absent)], "0.500"),
            // Common words in common cover little of a query whose rare words are unknown.
            (100, &[(90, Held), (80, Held), (0, Absent)], "0.060"),
            (100, &[(90, Absent), (80, Absent), (1, Held)], "0.926"),
            // A count above the number of notes is taken for that number.
            (10, &[(99, Held)], "1.000"),
        ];
        for (notes, terms, expected) in table {
            assert_eq!(format!("{:.3}", coverage(*notes, terms.iter().copied())), *expected, "{terms:?}");
        }
    }
}
