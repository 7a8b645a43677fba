//! Paired bootstrap: confidence interval of a mean difference over the same questions.

use serde::Serialize;
use weir_fixtures::Rng;

/// Number of samples.
pub(super) const RESAMPLES: usize = 10_000;
/// Seed of the random generator.
pub(super) const SEED: u64 = 20_240_501;

/// A mean difference with its 95 % interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub(super) struct Interval {
    pub(super) mean: f64,
    pub(super) low: f64,
    pub(super) high: f64,
}

/// Mean of paired differences and the 2.5th and 97.5th percentile of the resampled means; `None` if
/// empty.
pub(super) fn interval(differences: &[f64]) -> Option<Interval> {
    let count = differences.len();
    if count == 0 {
        return None;
    }
    let mut rng = Rng::new(SEED);
    let mut drawn = |_| differences[rng.below(count)];
    let mean = |_| (0..count).map(&mut drawn).sum::<f64>() / count as f64;
    let mut means: Vec<f64> = (0..RESAMPLES).map(mean).collect();
    means.sort_by(f64::total_cmp);
    let tail = RESAMPLES / 40;
    Some(Interval {
        mean: differences.iter().sum::<f64>() / count as f64,
        low: means[tail],
        high: means[RESAMPLES - 1 - tail],
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interval_holds_the_mean_and_is_the_same_each_time() {
        let differences: Vec<f64> = (0..100).map(|n| f64::from(n % 5) - 1.0).collect();
        let found = interval(&differences).expect("there are some");
        assert_eq!(found.mean, 1.0);
        // the standard error is sqrt(2) / 10
        assert!((found.low - 0.723).abs() < 0.03, "{found:?}");
        assert!((found.high - 1.277).abs() < 0.03, "{found:?}");
        assert_eq!(interval(&differences), Some(found));
        let same = interval(&[0.25; 9]).expect("there are some");
        assert_eq!((same.low, same.high), (0.25, 0.25));
        assert_eq!(interval(&[]), None);
    }
}
