//! Medians and percentiles of times, and means.

use std::time::Instant;

/// Microseconds since a start.
pub(crate) fn us(since: Instant) -> f64 {
    since.elapsed().as_secs_f64() * 1e6
}

/// Times of a repeated operation, in microseconds.
#[derive(Debug, Clone, Default)]
pub(crate) struct Times(Vec<f64>);

impl Times {
    pub(crate) fn add(&mut self, us: f64) {
        self.0.push(us);
    }

    /// Takes a step, and adds its time.
    pub(crate) fn time<T>(&mut self, step: impl FnOnce() -> T) -> T {
        let began = Instant::now();
        let done = step();
        self.add(us(began));
        done
    }

    pub(crate) fn count(&self) -> usize {
        self.0.len()
    }

    #[cfg(test)]
    pub(crate) fn total(&self) -> f64 {
        self.0.iter().sum()
    }

    /// The times in order, each with the share of them that are not longer.
    pub(crate) fn distribution(&mut self) -> Vec<(f64, f64)> {
        self.0.sort_by(f64::total_cmp);
        let of = self.0.len() as f64;
        let share = |(rank, us): (u32, &f64)| (*us, f64::from(rank) / of);
        (1..).zip(&self.0).map(share).collect()
    }

    /// The given percentile (nearest rank); 0 if there are no times.
    pub(crate) fn percentile(&mut self, percent: usize) -> f64 {
        // fast where they are in order already
        self.0.sort_by(f64::total_cmp);
        let rank = (self.0.len() * percent).div_ceil(100).max(1);
        self.0.get(rank - 1).copied().unwrap_or(0.0)
    }

    /// The 50th, 95th and 99th percentile.
    pub(crate) fn percentiles(&mut self) -> [f64; 3] {
        [50, 95, 99].map(|percent| self.percentile(percent))
    }
}

impl FromIterator<f64> for Times {
    fn from_iter<I: IntoIterator<Item = f64>>(us: I) -> Self {
        Self(us.into_iter().collect())
    }
}

/// The mean of the existing values.
pub(crate) fn mean(values: impl IntoIterator<Item = Option<f64>>) -> Option<f64> {
    let (mut sum, mut of) = (0.0, 0_usize);
    for value in values.into_iter().flatten() {
        sum += value;
        of += 1;
    }
    (of > 0).then(|| sum / of as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_rank_is_taken() {
        let mut times = Times::default();
        assert_eq!(times.percentile(95), 0.0);
        (1..=20).rev().for_each(|us| times.add(f64::from(us)));
        assert_eq!(times.total(), 210.0);
        assert_eq!(times.percentiles(), [10.0, 19.0, 20.0]);
        let distribution = times.distribution();
        assert_eq!(distribution[0], (1.0, 0.05));
        assert_eq!(distribution[19], (20.0, 1.0));
    }

    #[test]
    fn a_mean_leaves_out_what_is_not_there() {
        assert_eq!(mean([Some(1.0), None, Some(0.0)]), Some(0.5));
        assert_eq!(mean([None]), None);
    }
}
