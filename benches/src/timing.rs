//! Medians and percentiles of times, and means.

use std::time::Instant;

/// Microseconds since a start.
pub(crate) fn us(since: Instant) -> f64 {
    since.elapsed().as_secs_f64() * 1e6
}

/// Times of a repeated operation, in microseconds.
#[derive(Debug, Clone, Default)]
pub(crate) struct Times {
    us: Vec<f64>,
    sorted: bool,
}

impl Times {
    /// Adds one.
    pub(crate) fn add(&mut self, us: f64) {
        self.us.push(us);
        self.sorted = false;
    }

    /// Adds all of another operation.
    pub(crate) fn extend(&mut self, other: Self) {
        self.us.extend(other.us);
        self.sorted = false;
    }

    /// Number of times.
    pub(crate) fn count(&self) -> usize {
        self.us.len()
    }

    /// Their sum.
    #[cfg(test)]
    pub(crate) fn total(&self) -> f64 {
        self.us.iter().sum()
    }

    /// The times in order, each with the share of them that are not longer.
    pub(crate) fn distribution(&mut self) -> Vec<(f64, f64)> {
        self.sort();
        let of = self.us.len() as f64;
        let ranked = (1..).zip(&self.us);
        ranked
            .map(|(rank, us)| (*us, f64::from(rank) / of))
            .collect()
    }

    fn sort(&mut self) {
        if !self.sorted {
            self.us.sort_by(f64::total_cmp);
            self.sorted = true;
        }
    }

    /// The given percentile (nearest rank); 0 if there are no times.
    pub(crate) fn percentile(&mut self, percent: usize) -> f64 {
        self.sort();
        let rank = (self.us.len() * percent).div_ceil(100).max(1);
        self.us.get(rank - 1).copied().unwrap_or(0.0)
    }
}

/// A running mean of existing values.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Mean {
    sum: f64,
    of: usize,
}

impl Mean {
    /// Adds a value, if there is one.
    pub(crate) fn add(&mut self, value: Option<f64>) {
        if let Some(value) = value {
            self.sum += value;
            self.of += 1;
        }
    }

    /// The mean; `None` if empty.
    pub(crate) fn get(self) -> Option<f64> {
        (self.of > 0).then(|| self.sum / self.of as f64)
    }
}

/// The mean of the existing values.
pub(crate) fn mean(values: impl IntoIterator<Item = Option<f64>>) -> Option<f64> {
    let mut mean = Mean::default();
    values.into_iter().for_each(|value| mean.add(value));
    mean.get()
}

impl FromIterator<f64> for Times {
    fn from_iter<I: IntoIterator<Item = f64>>(us: I) -> Self {
        let us = us.into_iter().collect();
        Self { us, sorted: false }
    }
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
        assert_eq!(times.percentile(50), 10.0);
        assert_eq!(times.percentile(95), 19.0);
        assert_eq!(times.percentile(99), 20.0);
        let distribution = times.distribution();
        assert_eq!(
            (distribution[0], distribution[19]),
            ((1.0, 0.05), (20.0, 1.0))
        );
    }

    #[test]
    fn a_mean_leaves_out_what_is_not_there() {
        assert_eq!(mean([Some(1.0), None, Some(0.0)]), Some(0.5));
        assert_eq!(mean([None]), None);
    }
}
