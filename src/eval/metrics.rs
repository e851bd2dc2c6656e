//! How well one question was answered, from the order of the notes. Pure.
//!
//! The measures are those of information retrieval's textbooks (Manning, Raghavan, Schütze, chapter 8); gain
//! is discounted as in Järvelin and Kekäläinen (TOIS 2002): a gain at rank r counts gain / log2(r + 1).

use serde::{Deserialize, Serialize};

use super::Question;

/// Notes looked at per question: no measure looks deeper, unless k does.
pub const DEPTH: usize = 10;

/// How well one question was answered, each from 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Scores {
    /// Is the first note a right one?
    pub hit_at_1: f64,
    /// Is a right one among the first k?
    pub hit_at_k: f64,
    /// The share of the right notes that stand among the first k.
    pub recall_at_k: f64,
    /// One over the rank of the first right note.
    pub reciprocal_rank: f64,
    /// Discounted gain of the first 5, over that of the best order.
    pub ndcg_at_5: f64,
    /// The same of the first 10.
    pub ndcg_at_10: f64,
}

impl Scores {
    /// Scores the order `ranked`, in which no note stands twice, of a question that has an answer.
    pub fn of(question: &Question, ranked: &[&str], k: usize) -> Scores {
        let gains: Vec<f64> = ranked.iter().map(|path| question.gain(path)).collect();
        let mut ideal: Vec<f64> = question.expected_sources.iter().map(|path| question.gain(path)).collect();
        ideal.sort_by(|left, right| right.total_cmp(left));
        let right =
            |gains: &[f64], depth| gains.iter().take(depth).filter(|gain| **gain > 0.0).count() as f64;
        let first = gains.iter().take(DEPTH).position(|gain| *gain > 0.0);
        Scores {
            hit_at_1: right(&gains, 1),
            hit_at_k: right(&gains, k).min(1.0),
            recall_at_k: right(&gains, k) / right(&ideal, usize::MAX),
            reciprocal_rank: first.map_or(0.0, |index| 1.0 / (index as f64 + 1.0)),
            ndcg_at_5: discounted(&gains, 5) / discounted(&ideal, 5),
            ndcg_at_10: discounted(&gains, 10) / discounted(&ideal, 10),
        }
    }
}

fn discounted(gains: &[f64], depth: usize) -> f64 {
    gains.iter().take(depth).zip(2_u32..).map(|(gain, place)| gain / f64::from(place).log2()).sum()
}

/// A measure, to be averaged over questions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Metric {
    /// See [`Scores::hit_at_1`].
    HitAt1,
    /// See [`Scores::hit_at_k`].
    HitAtK,
    /// See [`Scores::recall_at_k`].
    RecallAtK,
    /// See [`Scores::reciprocal_rank`].
    Mrr,
    /// See [`Scores::ndcg_at_5`].
    NdcgAt5,
    /// See [`Scores::ndcg_at_10`].
    NdcgAt10,
}

impl Metric {
    /// All of them, in the order in which they are told.
    pub const ALL: [Metric; 6] =
        [Metric::HitAt1, Metric::HitAtK, Metric::RecallAtK, Metric::Mrr, Metric::NdcgAt5, Metric::NdcgAt10];

    /// Its usual name.
    pub fn name(self, k: usize) -> String {
        match self {
            Metric::HitAt1 => "hit@1".to_owned(),
            Metric::HitAtK => format!("hit@{k}"),
            Metric::RecallAtK => format!("recall@{k}"),
            Metric::Mrr => format!("MRR@{DEPTH}"),
            Metric::NdcgAt5 => "nDCG@5".to_owned(),
            Metric::NdcgAt10 => "nDCG@10".to_owned(),
        }
    }

    /// Its value for one question.
    pub fn of(self, scores: &Scores) -> f64 {
        match self {
            Metric::HitAt1 => scores.hit_at_1,
            Metric::HitAtK => scores.hit_at_k,
            Metric::RecallAtK => scores.recall_at_k,
            Metric::Mrr => scores.reciprocal_rank,
            Metric::NdcgAt5 => scores.ndcg_at_5,
            Metric::NdcgAt10 => scores.ndcg_at_10,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each row was worked out by hand: log2(3) = 1.58496, log2(4) = 2, log2(6) = 2.58496, log2(7) = 2.80735.
    #[test]
    fn scores_are_those_of_the_textbook() {
        type Row<'a> = (&'a [(&'a str, f64)], &'a str, usize, [f64; 6]);
        let rows: [Row<'_>; 8] = [
            // Right, ranked, k; hit@1, hit@k, recall@k, MRR, nDCG@5, nDCG@10.
            (&[("a", 1.0)], "a b c", 5, [1.0, 1.0, 1.0, 1.0, 1.0, 1.0]),
            (&[("a", 1.0)], "", 5, [0.0, 0.0, 0.0, 0.0, 0.0, 0.0]),
            (&[("a", 1.0)], "b c a", 5, [0.0, 1.0, 1.0, 1.0 / 3.0, 0.5, 0.5]),
            (&[("a", 1.0)], "b c a", 2, [0.0, 0.0, 0.0, 1.0 / 3.0, 0.5, 0.5]),
            (&[("a", 1.0)], "b c d e f a", 5, [0.0, 0.0, 0.0, 1.0 / 6.0, 0.0, 0.356_207]),
            (&[("a", 1.0)], "b c d e f g h i j k a", 20, [0.0, 1.0, 1.0, 0.0, 0.0, 0.0]),
            // (1/1.58496 + 1/2.58496) / (1 + 1/1.58496 + 1/2) = 1.017783 / 2.130930
            (
                &[("a", 1.0), ("b", 1.0), ("c", 1.0)],
                "x a y z b",
                4,
                [0.0, 1.0, 1.0 / 3.0, 0.5, 0.477_624, 0.477_624],
            ),
            // (1 + 3/1.58496) / (3 + 1/1.58496) = 2.892789 / 3.630930
            (&[("a", 3.0), ("b", 1.0), ("c", 0.0)], "b a c", 5, [1.0, 1.0, 1.0, 1.0, 0.796_708, 0.796_708]),
        ];
        for (right, ranked, k, expected) in rows {
            let question = Question {
                expected_sources: right.iter().map(|(path, _)| (*path).to_owned()).collect(),
                grades: right.iter().map(|(path, gain)| ((*path).to_owned(), *gain)).collect(),
                ..Question::default()
            };
            let ranked: Vec<&str> = ranked.split_whitespace().collect();
            let scores = Scores::of(&question, &ranked, k);
            for (metric, expected) in Metric::ALL.into_iter().zip(expected) {
                let got = metric.of(&scores);
                assert!((got - expected).abs() < 1e-5, "{} of {ranked:?} is {got}", metric.name(k));
            }
        }
    }
}
