//! How sure a mean is: percentile intervals of the bootstrap (Efron, 1979). Pure, and the same in every run:
//! equal numbers of values are drawn again in equal ways, so that runs can be compared value by value.

use serde::{Deserialize, Serialize};

/// Times the values are drawn again.
const DRAWS: usize = 2000;
const SEED: u64 = 20_260_101;

/// A mean, and the interval that holds 95 % of the means of values drawn again.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    /// The mean.
    pub mean: f64,
    /// 2.5 % of the drawn means lie below.
    pub low: f64,
    /// 2.5 % lie above.
    pub high: f64,
    /// Values it is the mean of.
    pub count: usize,
}

/// The mean of these values and its interval; none of no value. For a paired comparison the values are the
/// differences.
pub fn estimate(values: &[f64]) -> Option<Estimate> {
    if values.is_empty() {
        return None;
    }
    let count = values.len();
    let mean = |sum: f64| sum / count as f64;
    let mut dice = Dice(SEED);
    let mut means: Vec<f64> =
        (0..DRAWS).map(|_| mean((0..count).map(|_| values[dice.below(count)]).sum())).collect();
    means.sort_by(f64::total_cmp);
    let tail = DRAWS / 40;
    let (low, high) = (means[tail - 1], means[DRAWS - tail]);
    Some(Estimate { mean: mean(values.iter().sum()), low, high, count })
}

/// Numbers that look random and are the same in every run (`SplitMix64`; Steele, Lea, Flood, OOPSLA 2014).
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^= mixed >> 31;
        let scaled = (u128::from(mixed) * bound as u128) >> 64;
        usize::try_from(scaled).expect("it is below the bound")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interval_surrounds_its_mean_and_is_the_same_every_time() {
        let values: Vec<f64> = (0..100).map(|index| f64::from(index % 2)).collect();
        let first = estimate(&values).unwrap();
        assert_eq!(Some(first), estimate(&values));
        assert!((first.mean - 0.5).abs() < 1e-9);
        // The normal approximation: 1.96 standard errors of 0.05.
        assert!((first.low - 0.402).abs() < 0.021 && (first.high - 0.598).abs() < 0.021, "{first:?}");
    }

    #[test]
    fn values_that_are_all_the_same_leave_no_doubt() {
        let sure = estimate(&[0.25; 7]).unwrap();
        assert_eq!((sure.mean, sure.low, sure.high, sure.count), (0.25, 0.25, 0.25, 7));
        assert_eq!(estimate(&[]), None);
    }

    #[test]
    fn dice_fall_on_every_side() {
        let mut dice = Dice(1);
        let mut seen = [0_u32; 6];
        (0..6000).for_each(|_| seen[dice.below(6)] += 1);
        assert!(seen.iter().all(|count| (850..1150).contains(count)), "{seen:?}");
    }
}
