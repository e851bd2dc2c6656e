//! What an evaluation found: every answer's ranks, and what they come to. Plain data that is written as JSON
//! and read again, so that two runs can be compared.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::Way;
use super::{Estimate, Metric, Scores, estimate};

/// Raised when a run of an earlier obsearch can no longer be compared with one of this.
pub const FORMAT: u32 = 1;

/// A whole evaluation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// See [`FORMAT`].
    pub format: u32,
    /// What was asked of what.
    pub asked: Asked,
    /// The cut-off of hit@k and recall@k.
    pub k: usize,
    /// One for each mode that was asked for.
    pub modes: Vec<ModeRun>,
}

/// What was asked of what.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Asked {
    /// Where the questions are from, in words.
    pub questions_from: String,
    /// Questions that have an answer.
    pub answerable: usize,
    /// Questions that have none.
    pub unanswerable: usize,
    /// Expected sources that this profile's vault does not hold, so that nothing can find them.
    pub missing_sources: Vec<String>,
    /// The vault's name.
    pub vault: String,
    /// `public` or `full`.
    pub profile: String,
    /// Notes in the index.
    pub notes: u64,
    /// Passages in the index.
    pub passages: u64,
    /// The embedding model; none: words only.
    pub model: Option<String>,
}

/// What one mode did.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ModeRun {
    /// The mode.
    pub mode: Way,
    /// Why it could not run, in which case nothing else is here.
    pub cannot_run: Option<String>,
    /// Means over the questions that have an answer.
    pub metrics: Vec<Measured>,
    /// hit@1 by type of question, where types are given.
    pub types: Vec<TypeShare>,
    /// The share of answers whose first passage is of a right note and stands under an expected heading.
    pub right_heading: Option<Estimate>,
    /// The share of the questions without an answer that got one.
    pub false_answers: Option<Estimate>,
    /// One for each question, in the order of the questions.
    pub outcomes: Vec<Outcome>,
}

/// A measure by name.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Measured {
    /// Such as `nDCG@10`.
    pub name: String,
    /// Its value.
    #[serde(flatten)]
    pub estimate: Estimate,
}

/// hit@1 of one type of question.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TypeShare {
    /// The type.
    #[serde(rename = "type")]
    pub kind: String,
    /// hit@1.
    #[serde(flatten)]
    pub estimate: Estimate,
}

/// How one question was answered.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// The question's.
    pub id: String,
    /// What was asked.
    pub query: String,
    /// The question's.
    #[serde(rename = "type")]
    pub kind: Option<String>,
    /// Paths of the right notes.
    pub expected: Vec<String>,
    /// Ranks of the right notes that were found, from 1, best first.
    pub ranks: Vec<usize>,
    /// The note that stood first, if any did.
    pub first: Option<String>,
    /// Did the answer say that it has one?
    pub answered: bool,
    /// Does the first passage stand under an expected heading of a right note? None where none is given.
    pub right_heading: Option<bool>,
    /// None where the notes hold no answer.
    pub scores: Option<Scores>,
    /// Milliseconds it took.
    pub milliseconds: f64,
}

impl ModeRun {
    /// A mode that answered every question.
    pub fn of(mode: Way, outcomes: Vec<Outcome>, k: usize) -> ModeRun {
        let scores: Vec<&Scores> = outcomes.iter().filter_map(|outcome| outcome.scores.as_ref()).collect();
        let measured = |metric: Metric| {
            let values: Vec<f64> = scores.iter().map(|scores| metric.of(scores)).collect();
            estimate(&values).map(|estimate| Measured { name: metric.name(k), estimate })
        };
        ModeRun {
            mode,
            cannot_run: None,
            metrics: Metric::ALL.into_iter().filter_map(measured).collect(),
            types: types(&outcomes),
            right_heading: share(outcomes.iter().filter_map(|outcome| outcome.right_heading)),
            false_answers: share(outcomes.iter().filter(|one| one.scores.is_none()).map(|one| one.answered)),
            outcomes,
        }
    }

    /// A mode that could not run.
    pub fn impossible(mode: Way, reason: String) -> ModeRun {
        ModeRun { cannot_run: Some(reason), ..ModeRun::of(mode, Vec::new(), 1) }
    }

    /// Milliseconds per answer.
    pub fn latencies(&self) -> Vec<f64> {
        self.outcomes.iter().map(|outcome| outcome.milliseconds).collect()
    }
}

impl Outcome {
    /// Where the first right note stood.
    pub fn first_right(&self) -> Option<usize> {
        self.ranks.first().copied()
    }

    /// Not the right note first, or an answer where there is none.
    pub fn is_failure(&self) -> bool {
        if self.scores.is_some() { self.first_right() != Some(1) } else { self.answered }
    }
}

fn types(outcomes: &[Outcome]) -> Vec<TypeShare> {
    let mut values: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for outcome in outcomes {
        if let (Some(kind), Some(scores)) = (&outcome.kind, &outcome.scores) {
            values.entry(kind).or_default().push(scores.hit_at_1);
        }
    }
    let share = |(kind, values): (&str, Vec<f64>)| {
        estimate(&values).map(|estimate| TypeShare { kind: kind.to_owned(), estimate })
    };
    values.into_iter().filter_map(share).collect()
}

fn share(facts: impl Iterator<Item = bool>) -> Option<Estimate> {
    estimate(&facts.map(|is_so| f64::from(u8::from(is_so))).collect::<Vec<_>>())
}

/// The median and the 95th percentile, by nearest rank; zeros of no value.
pub fn median_and_95th(values: &[f64]) -> (f64, f64) {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let at = |percent: usize| {
        let rank = (sorted.len() * percent).div_ceil(100).max(1);
        sorted.get(rank - 1).copied().unwrap_or_default()
    };
    (at(50), at(95))
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// An outcome with the right note at `rank`; `None`: not found.
    pub(in crate::eval) fn outcome(id: &str, rank: Option<usize>) -> Outcome {
        let question =
            crate::eval::Question { expected_sources: vec!["right".to_owned()], ..Default::default() };
        let ranked: Vec<&str> = match rank {
            Some(rank) => [vec!["wrong"; rank - 1], vec!["right"]].concat(),
            None => vec!["wrong"],
        };
        Outcome {
            id: id.to_owned(),
            query: format!("query {id}"),
            kind: None,
            expected: question.expected_sources.clone(),
            ranks: rank.into_iter().collect(),
            first: Some(ranked[0].to_owned()),
            answered: true,
            right_heading: None,
            scores: Some(Scores::of(&question, &ranked, 5)),
            milliseconds: 1.0,
        }
    }

    /// An outcome of a question without an answer.
    pub(in crate::eval) fn unanswerable(id: &str, answered: bool) -> Outcome {
        Outcome { scores: None, answered, expected: Vec::new(), ..outcome(id, None) }
    }

    #[test]
    fn outcomes_are_summed_up() {
        let mut outcomes = vec![outcome("a", Some(1)), outcome("b", Some(2)), outcome("c", None)];
        outcomes[0].kind = Some("exact".to_owned());
        outcomes[1].right_heading = Some(false);
        outcomes.extend([unanswerable("d", true), unanswerable("e", false)]);
        let run = ModeRun::of(Way::Keyword, outcomes, 5);
        let means =
            run.metrics.iter().map(|measured| format!("{} {:.3}", measured.name, measured.estimate.mean));
        assert_eq!(
            means.collect::<Vec<_>>()[..4],
            ["hit@1 0.333", "hit@5 0.667", "recall@5 0.667", "MRR@10 0.500"]
        );
        let told =
            |estimate: Option<Estimate>| estimate.map(|one| format!("{:.3} of {}", one.mean, one.count));
        assert_eq!(told(Some(run.types[0].estimate)).as_deref(), Some("1.000 of 1"));
        assert_eq!(told(run.right_heading).as_deref(), Some("0.000 of 1"));
        assert_eq!(told(run.false_answers).as_deref(), Some("0.500 of 2"));
        let failures: Vec<bool> = run.outcomes.iter().map(Outcome::is_failure).collect();
        assert_eq!(failures, [false, true, true, true, false]);
    }

    #[test]
    fn percentiles_are_values_that_were_measured() {
        let to_100: Vec<f64> = (1..=100).rev().map(f64::from).collect();
        assert_eq!(median_and_95th(&to_100), (50.0, 95.0));
        assert_eq!(median_and_95th(&[3.0]), (3.0, 3.0));
        assert_eq!(median_and_95th(&[1.0, 2.0]), (1.0, 2.0));
        assert_eq!(median_and_95th(&[]), (0.0, 0.0));
    }
}
