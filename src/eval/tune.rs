//! Which weight of meaning answers one half of the questions best, and whether it does so on the other half,
//! too. Knows nothing of how questions are asked; the same in every run.

use serde::Serialize;

use super::compare::compare_modes;
use super::{Estimate, Half, Metric, ModeRun};

/// Fewer questions in a half tell nothing.
pub const FEWEST_QUESTIONS: usize = 30;

/// The cut-off of measures that have one; those looked at have none.
pub const TUNING_K: usize = 5;

/// What a weight is chosen by.
const CHOSEN_BY: Metric = Metric::NdcgAt10;
/// What is told of the held-out half.
const TOLD: [Metric; 3] = [Metric::HitAt1, Metric::Mrr, CHOSEN_BY];

/// Weights tried first, in hundredths. Neither leg is switched off: questions made from notes share words with
/// them more often than those that people ask.
const LEAST: u32 = 10;
const MOST: u32 = 90;
const STEP: u32 = 10;

/// What was tried, and what came of it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Tuned {
    /// The weight before.
    pub current: f64,
    /// The weight that answers the tuning half best; of equals the nearest to the current one.
    pub best: f64,
    /// All that were tried, in order.
    pub tried: Vec<Tried>,
    /// The current weight and the best one on the held-out half.
    pub held_out: Vec<Gain>,
    /// On the held-out half the whole interval of the difference in nDCG@10 is above zero.
    pub is_better: bool,
}

/// A weight on the tuning half.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Tried {
    /// The weight.
    pub weight: f64,
    /// Its nDCG@10.
    pub ndcg_at_10: f64,
}

/// A measure with both weights.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Gain {
    /// Such as `hit@1`.
    pub name: String,
    /// With the current weight.
    pub before: f64,
    /// With the best one.
    pub after: f64,
    /// The mean of the differences, question by question.
    pub difference: Estimate,
}

/// Chooses a weight on one half and measures it on the other. `ask` asks all questions of a half with a weight.
pub fn tune<E>(current: f64, mut ask: impl FnMut(f64, Half) -> Result<ModeRun, E>) -> Result<Tuned, E> {
    let mut tried: Vec<Tried> = Vec::new();
    let mut attempt = |weight: f64, tried: &mut Vec<Tried>| -> Result<(), E> {
        if tried.iter().all(|other| other.weight.total_cmp(&weight).is_ne()) {
            let run = ask(weight, Half::Tuning)?;
            tried.push(Tried { weight, ndcg_at_10: mean(&run, CHOSEN_BY) });
        }
        Ok(())
    };
    attempt(current, &mut tried)?;
    for weight in every(STEP) {
        attempt(weight, &mut tried)?;
    }
    for near in beside(best(&tried, current)) {
        attempt(near, &mut tried)?;
    }
    let best = best(&tried, current);
    tried.sort_by(|one, other| one.weight.total_cmp(&other.weight));
    let held_out = gains(&ask(current, Half::HeldOut)?, &ask(best, Half::HeldOut)?);
    let is_better =
        held_out.iter().any(|gain| gain.name == CHOSEN_BY.name(TUNING_K) && gain.difference.low > 0.0);
    Ok(Tuned { current, best, tried, held_out, is_better })
}

/// The weights from the least to the most, so many hundredths apart.
fn every(hundredths: u32) -> impl Iterator<Item = f64> {
    (LEAST..=MOST).filter(move |weight| weight.is_multiple_of(hundredths)).map(share)
}

fn share(hundredths: u32) -> f64 {
    f64::from(hundredths) / 100.0
}

/// The weights around one, half a step apart.
fn beside(weight: f64) -> impl Iterator<Item = f64> {
    every(STEP / 2).filter(move |near| (near - weight).abs() < share(STEP))
}

fn best(tried: &[Tried], current: f64) -> f64 {
    let distance = |one: &Tried| (one.weight - current).abs();
    let better = |one: &&Tried, other: &&Tried| {
        one.ndcg_at_10.total_cmp(&other.ndcg_at_10).then_with(|| distance(other).total_cmp(&distance(one)))
    };
    tried.iter().max_by(better).map_or(current, |best| best.weight)
}

fn mean(run: &ModeRun, metric: Metric) -> f64 {
    let name = metric.name(TUNING_K);
    let measured = run.metrics.iter().find(|measured| measured.name == name);
    measured.map_or(0.0, |measured| measured.estimate.mean)
}

fn gains(before: &ModeRun, after: &ModeRun) -> Vec<Gain> {
    let differences = compare_modes(before, after, TUNING_K).differences;
    let gain = |metric: Metric| {
        let name = metric.name(TUNING_K);
        let difference = differences.iter().find(|difference| difference.name == name)?.estimate;
        Some(Gain { name, before: mean(before, metric), after: mean(after, metric), difference })
    };
    TOLD.into_iter().filter_map(gain).collect()
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::super::run::tests::outcome;
    use super::*;
    use crate::eval::Way;

    /// `right` of 40 questions are answered right, the others with the right note second.
    fn run(right: usize) -> ModeRun {
        let outcomes =
            (0..40).map(|number| outcome(&number.to_string(), Some(if number < right { 1 } else { 2 })));
        ModeRun::of(Way::Hybrid, outcomes.collect(), TUNING_K)
    }

    /// Which weight wins, whether it is proposed, and the weights tried, from how many are right with each.
    fn outcome_of(current: f64, right: impl Fn(f64, Half) -> usize) -> (f64, bool, Vec<f64>) {
        let tuned = tune(current, |weight, half| Ok::<_, Infallible>(run(right(weight, half)))).unwrap();
        (tuned.best, tuned.is_better, tuned.tried.iter().map(|tried| tried.weight).collect())
    }

    /// Most at .65, fewer the farther away.
    fn peak(weight: f64) -> usize {
        let distance = (weight - 0.65).abs() * 40.0;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 0 to 26")]
        let lost = distance.round() as usize;
        30_usize.saturating_sub(lost)
    }

    #[test]
    fn the_best_weight_of_the_tuning_half_is_held_against_the_other() {
        let (best, is_better, tried) = outcome_of(0.4, |weight, _| peak(weight));
        assert_eq!((best, is_better), (0.65, true));
        assert_eq!(tried, [0.1, 0.2, 0.3, 0.4, 0.5, 0.55, 0.6, 0.65, 0.7, 0.8, 0.9]);
        // What wins on one half only is not proposed.
        let on_one_half = |weight, half| if half == Half::Tuning { peak(weight) } else { 20 };
        assert!(!outcome_of(0.4, on_one_half).1);
        let lost_on_the_other =
            |weight, half| if half == Half::Tuning { peak(weight) } else { 40 - peak(weight) };
        assert!(!outcome_of(0.4, lost_on_the_other).1);
    }

    #[test]
    fn where_weights_are_equal_the_current_one_stays() {
        for current in [0.4, 0.437, 0.0, 1.0] {
            let (best, is_better, tried) = outcome_of(current, |_, _| 20);
            assert_eq!((best, is_better), (current, false));
            assert!(tried.contains(&current) && tried.is_sorted(), "{tried:?}");
        }
    }

    #[test]
    fn the_gain_is_told_with_both_values() {
        let right = |weight: f64, _| if weight > 0.5 { 30 } else { 10 };
        let tuned = tune(0.4, |weight, half| Ok::<_, Infallible>(run(right(weight, half)))).unwrap();
        let told: Vec<(&str, f64, f64)> =
            tuned.held_out.iter().map(|gain| (&*gain.name, gain.before, gain.after)).collect();
        assert_eq!(told[0], ("hit@1", 0.25, 0.75));
        assert_eq!((told[1].0, told[2].0), ("MRR@10", "nDCG@10"));
        let gain = &tuned.held_out[0].difference;
        assert!((gain.mean - 0.5).abs() < 1e-12 && gain.low > 0.3 && gain.high < 0.7, "{gain:?}");
    }
}
