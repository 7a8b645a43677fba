//! Medians and tails of many times.

/// Times of one thing done many times, in microseconds.
#[derive(Debug, Clone, Default)]
pub struct Times {
    us: Vec<f64>,
    sorted: bool,
}

impl Times {
    /// One more.
    pub fn add(&mut self, us: f64) {
        self.us.push(us);
        self.sorted = false;
    }

    /// All of them together.
    #[must_use]
    pub fn total(&self) -> f64 {
        self.us.iter().sum()
    }

    /// The time that so many percent are at or below (nearest rank); 0 where nothing was timed.
    pub fn percentile(&mut self, percent: usize) -> f64 {
        if !self.sorted {
            self.us.sort_by(f64::total_cmp);
            self.sorted = true;
        }
        let rank = (self.us.len() * percent).div_ceil(100).max(1);
        self.us.get(rank - 1).copied().unwrap_or(0.0)
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
    }
}
