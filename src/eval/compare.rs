//! Two runs side by side: which questions are answered better or worse, and whether the means differ by more
//! than chance. Pure.

use std::cmp::Ordering;
use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use super::Way;
use super::{FORMAT, Measured, Metric, ModeRun, Outcome, Run, estimate};

/// Two runs cannot be compared.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum CompareError {
    /// The former run was written by another version.
    #[error("the former run is of format {0}, and this one of {FORMAT}")]
    Format(u32),
    /// hit@k and recall@k mean other things in the two.
    #[error("the former run was cut off at k = {before}, this one at {now}")]
    Cutoff {
        /// Of the former run.
        before: usize,
        /// Of this one.
        now: usize,
    },
    /// No question was asked in both.
    #[error("the two runs have no question in common")]
    NothingInCommon,
}

/// What became different, by mode; modes that did not run in both are left out.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    /// In the order of this run.
    pub modes: Vec<ModeComparison>,
}

/// What became different in a mode. Questions are the same if id and text are.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ModeComparison {
    /// The mode.
    pub mode: Way,
    /// Questions asked in both runs.
    pub compared: usize,
    /// Questions of the former run only.
    pub only_before: usize,
    /// Questions of this run only.
    pub only_now: usize,
    /// Questions whose first right note stands higher now, or that rightly get no answer any more.
    pub better: Vec<Change>,
    /// The opposite.
    pub worse: Vec<Change>,
    /// This run's mean less the former one's, over the questions of both, with the paired interval.
    pub differences: Vec<Measured>,
}

/// A question that is answered otherwise.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Change {
    /// The question's.
    pub id: String,
    /// The question.
    pub query: String,
    /// In the former run.
    pub before: Place,
    /// In this run.
    pub now: Place,
}

/// How an answer did, in one word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Place {
    /// There is no answer, and none was given.
    Silent,
    /// The rank of the first right note, from 1.
    Rank(usize),
    /// No right note was found.
    NotFound,
    /// There is no answer, and one was given.
    FalseAnswer,
}

impl Place {
    fn of(outcome: &Outcome) -> Place {
        match (&outcome.scores, outcome.first_right()) {
            (Some(_), Some(rank)) => Place::Rank(rank),
            (Some(_), None) => Place::NotFound,
            (None, _) if outcome.answered => Place::FalseAnswer,
            (None, _) => Place::Silent,
        }
    }
}

/// Can a run with the cut-off `k` be compared with this former one?
pub fn check_comparable(before: &Run, k: usize) -> Result<(), CompareError> {
    if before.format != FORMAT {
        return Err(CompareError::Format(before.format));
    }
    if before.k != k {
        return Err(CompareError::Cutoff { before: before.k, now: k });
    }
    Ok(())
}

/// Compares two runs, mode by mode.
pub fn compare(before: &Run, now: &Run) -> Result<Comparison, CompareError> {
    check_comparable(before, now.k)?;
    let both = now.modes.iter().filter_map(|run| {
        let former = before.modes.iter().find(|former| former.mode == run.mode)?;
        (run.cannot_run.is_none() && former.cannot_run.is_none()).then_some((former, run))
    });
    let modes: Vec<ModeComparison> = both.map(|(former, run)| compare_modes(former, run, now.k)).collect();
    if modes.iter().all(|mode| mode.compared == 0) {
        return Err(CompareError::NothingInCommon);
    }
    Ok(Comparison { modes })
}

pub(super) fn compare_modes(before: &ModeRun, now: &ModeRun, k: usize) -> ModeComparison {
    let former: HashMap<(&str, &str), &Outcome> = before.outcomes.iter().map(|one| (key(one), one)).collect();
    let pairs: Vec<(&Outcome, &Outcome)> =
        now.outcomes.iter().filter_map(|one| Some((*former.get(&key(one))?, one))).collect();
    let changed = |wanted: Ordering| {
        let changes = pairs.iter().filter_map(|(before, now)| {
            let (was, is) = (Place::of(before), Place::of(now));
            (is.cmp(&was) == wanted).then(|| Change {
                id: now.id.clone(),
                query: now.query.clone(),
                before: was,
                now: is,
            })
        });
        changes.collect()
    };
    ModeComparison {
        mode: now.mode,
        compared: pairs.len(),
        only_before: before.outcomes.len() - pairs.len(),
        only_now: now.outcomes.len() - pairs.len(),
        better: changed(Ordering::Less),
        worse: changed(Ordering::Greater),
        differences: Metric::ALL.into_iter().filter_map(|metric| difference(&pairs, metric, k)).collect(),
    }
}

fn key(outcome: &Outcome) -> (&str, &str) {
    (&outcome.id, &outcome.query)
}

fn difference(pairs: &[(&Outcome, &Outcome)], metric: Metric, k: usize) -> Option<Measured> {
    let scored = pairs.iter().filter_map(|(before, now)| Some((before.scores?, now.scores?)));
    let values: Vec<f64> = scored.map(|(before, now)| metric.of(&now) - metric.of(&before)).collect();
    estimate(&values).map(|estimate| Measured { name: metric.name(k), estimate })
}

#[cfg(test)]
mod tests {
    use super::super::Asked;
    use super::super::run::tests::{outcome, unanswerable};
    use super::*;

    fn run(outcomes: Vec<Outcome>) -> Run {
        let asked = Asked {
            questions_from: String::new(),
            answerable: 0,
            unanswerable: 0,
            missing_sources: Vec::new(),
            vault: String::new(),
            profile: String::new(),
            notes: 0,
            passages: 0,
            model: None,
        };
        Run { format: FORMAT, asked, k: 5, modes: vec![ModeRun::of(Way::Keyword, outcomes, 5)] }
    }

    #[test]
    fn better_and_worse_are_told_apart() {
        let before = run(vec![
            outcome("up", Some(3)),
            outcome("down", Some(1)),
            outcome("lost", Some(9)),
            outcome("same", Some(2)),
            outcome("gone", Some(1)),
            unanswerable("quiet", true),
            unanswerable("loud", false),
        ]);
        let now = run(vec![
            outcome("up", Some(1)),
            outcome("down", Some(2)),
            outcome("lost", None),
            outcome("same", Some(2)),
            outcome("new", Some(1)),
            unanswerable("quiet", false),
            unanswerable("loud", true),
        ]);
        let compared = compare(&before, &now).unwrap();
        let [mode] = &compared.modes[..] else { panic!("{compared:?}") };
        let told = |changes: &[Change]| -> Vec<(String, Place, Place)> {
            changes.iter().map(|change| (change.id.clone(), change.before, change.now)).collect()
        };
        assert_eq!(
            told(&mode.better),
            [
                ("up".to_owned(), Place::Rank(3), Place::Rank(1)),
                ("quiet".to_owned(), Place::FalseAnswer, Place::Silent),
            ]
        );
        assert_eq!(
            told(&mode.worse),
            [
                ("down".to_owned(), Place::Rank(1), Place::Rank(2)),
                ("lost".to_owned(), Place::Rank(9), Place::NotFound),
                ("loud".to_owned(), Place::Silent, Place::FalseAnswer),
            ]
        );
        assert_eq!((mode.compared, mode.only_before, mode.only_now), (6, 1, 1));
        // Of up, down, lost and same: hit@1 +1, -1, 0, 0; reciprocal rank +2/3, -1/2, -1/9, 0.
        let mean = |index: usize| mode.differences[index].estimate.mean;
        assert!(mean(0).abs() < 1e-12);
        assert!((mean(3) - (2.0 / 3.0 - 0.5 - 1.0 / 9.0) / 4.0).abs() < 1e-12);
    }

    #[test]
    fn runs_that_cannot_be_compared_are_refused() {
        let now = run(vec![outcome("a", Some(1))]);
        let refused = |change: fn(&mut Run)| {
            let mut before = now.clone();
            change(&mut before);
            compare(&before, &now).err()
        };
        assert_eq!(refused(|_| {}), None);
        assert_eq!(refused(|run| run.format = 9), Some(CompareError::Format(9)));
        assert_eq!(refused(|run| run.k = 3), Some(CompareError::Cutoff { before: 3, now: 5 }));
        let other = |run: &mut Run| run.modes[0].outcomes[0].query.push('?');
        assert_eq!(refused(other), Some(CompareError::NothingInCommon));
        assert_eq!(refused(|run| run.modes.clear()), Some(CompareError::NothingInCommon));
    }
}
