//! How loud a live source is, for a meter.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

/// The loudest sample since it was last read; clones share it.
#[derive(Debug, Clone, Default)]
pub struct Level(Arc<AtomicU32>);

impl Level {
    /// Takes samples of one moment.
    pub fn hear(&self, samples: &[f32]) {
        let peak = samples.iter().fold(0.0_f32, |peak, it| peak.max(it.abs()));
        // bits of floats that are not negative are ordered as the floats are
        self.0.fetch_max(peak.to_bits(), Ordering::Relaxed);
    }

    /// The peak since the last call, in decibels below full scale; `None` if nothing was heard.
    #[must_use]
    pub fn take_db(&self) -> Option<f32> {
        let peak = f32::from_bits(self.0.swap(0, Ordering::Relaxed));
        (peak > 0.0).then(|| 20.0 * peak.log10())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_peak_counts_once() {
        let level = Level::default();
        level.hear(&[0.0, -0.5, 0.25]);
        level.hear(&[0.1]);
        let db = level.clone().take_db().expect("something was heard");
        assert!((db + 6.02).abs() < 0.01, "{db}");
        assert_eq!(level.take_db(), None);
    }
}
