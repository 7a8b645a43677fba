//! Percentiles in bounded memory.
//!
//! A percentile is the nearest rank: the smallest value that is at least as large as that share of
//! all values. A [`Histogram`] holds counts only.

/// Buckets between two powers of two, as a power of two: 128 of them are at most 0.8 % wide each.
const STEP_BITS: u32 = 7;
const STEPS: usize = 1 << STEP_BITS;
/// Below [`STEPS`] every value has its own bucket; above, each power of two has [`STEPS`] buckets.
const BUCKETS: usize = STEPS * (u64::BITS - STEP_BITS + 1) as usize;

/// Counts of values in buckets that widen with the value: 58 KiB, independent of the input.
///
/// Values below 128 are exact; a percentile of larger ones is off by at most 0.4 %, half a bucket.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Histogram {
    counts: Vec<u64>,
    count: u64,
    total: u64,
    min: u64,
    max: u64,
}

impl Default for Histogram {
    fn default() -> Self {
        Self::new()
    }
}

impl Histogram {
    /// An empty histogram, with all memory allocated.
    #[must_use]
    pub fn new() -> Self {
        Self {
            counts: vec![0; BUCKETS],
            count: 0,
            total: 0,
            min: u64::MAX,
            max: 0,
        }
    }

    /// Counts one value.
    pub fn record(&mut self, value: u64) {
        self.counts[bucket_of(value)] += 1;
        self.count += 1;
        self.total = self.total.saturating_add(value);
        self.min = self.min.min(value);
        self.max = self.max.max(value);
    }

    /// Number of values recorded.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Their sum.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.total
    }

    /// The largest value, exact; `None` if there is none.
    #[must_use]
    pub fn max(&self) -> Option<u64> {
        (self.count > 0).then_some(self.max)
    }

    /// The percentile, `percent` in `0.0..=100.0`; `None` when nothing was recorded.
    #[must_use]
    pub fn percentile(&self, percent: f64) -> Option<u64> {
        let rank = rank_of(self.count, percent)?;
        let mut below = 0;
        let bucket = self.counts.iter().position(|count| {
            below += count;
            below >= rank
        })?;
        Some(middle_of(bucket).clamp(self.min, self.max))
    }
}

/// Which of `count` values in ascending order is the percentile, the first being 1.
fn rank_of(count: u64, percent: f64) -> Option<u64> {
    // Rounding does not matter here: 2^53 values are never recorded.
    let rank = (count as f64 * percent.clamp(0.0, 100.0) / 100.0).ceil() as u64;
    (count > 0).then(|| rank.clamp(1, count))
}

fn bucket_of(value: u64) -> usize {
    let bits = u64::BITS - value.leading_zeros();
    let shift = bits.saturating_sub(STEP_BITS + 1);
    // Above STEPS the highest bit of `value >> shift` is always set and counts one power of two.
    shift as usize * STEPS + (value >> shift) as usize
}

fn middle_of(bucket: usize) -> u64 {
    if bucket < 2 * STEPS {
        return bucket as u64;
    }
    let shift = bucket / STEPS - 1;
    let first = ((bucket - shift * STEPS) as u64) << shift;
    first + ((1 << shift) >> 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The exact percentile of values in ascending order; `None` for no values.
    fn nearest_rank(sorted: &[u64], percent: f64) -> Option<u64> {
        let rank = rank_of(sorted.len() as u64, percent)?;
        sorted.get(rank as usize - 1).copied()
    }

    #[test]
    fn the_largest_value_has_a_bucket() {
        assert_eq!(bucket_of(u64::MAX), BUCKETS - 1);
        let mut all = Histogram::new();
        all.record(u64::MAX);
        assert_eq!(all.percentile(50.0), Some(u64::MAX));
    }

    #[test]
    fn nearest_rank_as_it_is_defined() {
        let five = [15, 20, 35, 40, 50];
        let at = |percent| nearest_rank(&five, percent);
        assert_eq!(
            [at(0.0), at(5.0), at(30.0), at(40.0), at(50.0), at(100.0)],
            [15, 15, 20, 20, 35, 50].map(Some)
        );
        assert_eq!(nearest_rank(&[], 50.0), None);
    }

    proptest! {
        #[test]
        fn a_histogram_is_within_four_in_a_thousand(
            mut values in prop::collection::vec(
                prop_oneof![0u64..300, 0u64..100_000, any::<u64>()], 1..200),
            percent in 0.0f64..=100.0,
        ) {
            let mut all = Histogram::new();
            values.iter().for_each(|value| all.record(*value));
            values.sort_unstable();
            let exact = nearest_rank(&values, percent).unwrap() as f64;
            let found = all.percentile(percent).unwrap() as f64;
            prop_assert!((found - exact).abs() <= exact * 0.004, "{found} for {exact}");
            prop_assert_eq!(all.max(), values.last().copied());
        }
    }
}
