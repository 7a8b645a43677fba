//! Notices a live source that delivers faster or slower than its rate says.
//!
//! Times are counted samples, so such a source shifts them, and its voices sound too high or too
//! low for the models. A file in a pipe is much faster than sound, and a pipe that pauses is much
//! slower: neither is a wrong rate. Sound that piled up while nobody read arrives quickly, and the
//! source seems too fast for a while; so a rate is wrong only if two measurements in a row find the
//! same. This module reads no clock: the caller says how long it took.

use std::time::Duration;

/// How long the pace is measured each time: buffers of sound cards even out.
const MEASURED: Duration = Duration::from_secs(30);
/// Deviation from which a rate is wrong; the clocks of sound cards differ by less than a
/// thousandth.
const DEVIATION: f64 = 0.02;
/// Paces beyond this factor are no wrong rate.
const FACTOR_MAX: f64 = 1.7;

/// The pace of one source.
pub(crate) struct SourcePace {
    rate_hz: u32,
    /// Frames and time at the start of the measurement.
    from: Option<(u64, Duration)>,
    frames: u64,
    /// The pace that the measurement before found, if it was wrong.
    wrong: Option<f64>,
    is_told: bool,
}

impl SourcePace {
    pub(crate) fn new(rate_hz: u32) -> Self {
        Self {
            rate_hz,
            from: None,
            frames: 0,
            wrong: None,
            is_told: false,
        }
    }

    /// Counts frames that came until `elapsed` after the start; returns a warning, once.
    pub(crate) fn came(&mut self, frames: u64, elapsed: Duration) -> Option<String> {
        self.frames += frames;
        let (first, began) = *self.from.get_or_insert((self.frames, elapsed));
        let took = elapsed.saturating_sub(began);
        if took < MEASURED || self.is_told {
            return None;
        }
        self.from = Some((self.frames, elapsed));
        let rate_hz = (self.frames - first) as f64 / took.as_secs_f64();
        let pace = rate_hz / f64::from(self.rate_hz);
        let is_near = (1.0 / FACTOR_MAX..FACTOR_MAX).contains(&pace);
        let wrong = (is_near && (pace - 1.0).abs() > DEVIATION).then_some(pace);
        let before = std::mem::replace(&mut self.wrong, wrong);
        if (wrong? - before?).abs() > DEVIATION {
            return None;
        }
        self.is_told = true;
        let how = if pace > 1.0 { "faster" } else { "slower" };
        Some(format!(
            "the source delivers {rate_hz:.0} samples a second and says {}: it is {:.0} % {how}, \
             so times are wrong by as much and speech is recognised worse; a pipe needs its true \
             rate, a microphone another device",
            self.rate_hz,
            (pace - 1.0).abs() * 100.0
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is told while so many frames come each 100 ms.
    fn told(frames: u64, seconds: u64) -> Vec<String> {
        let mut pace = SourcePace::new(16_000);
        let at = |step| Duration::from_millis(100 * step);
        let told = (0..seconds * 10).filter_map(|step| pace.came(frames, at(step)));
        told.collect()
    }

    #[test]
    fn a_wrong_rate_is_told_once() {
        let fast = told(1_764, 120);
        assert_eq!(fast.len(), 1);
        assert!(
            fast[0].contains("delivers 17640 samples a second and says 16000: it is 10 % faster")
        );
        assert!(told(1_500, 120)[0].contains("6 % slower"));
    }

    #[test]
    fn right_rates_files_and_pauses_are_no_wrong_rate() {
        for frames in [1_600, 1_610, 1_590, 160_000, 100] {
            assert_eq!(told(frames, 120), [""; 0], "{frames}");
        }
        assert_eq!(told(1_764, 50), [""; 0], "too early to tell");
    }

    #[test]
    fn a_burst_at_the_start_is_not_counted() {
        let mut pace = SourcePace::new(16_000);
        assert_eq!(pace.came(100_000, Duration::ZERO), None);
        for step in 1..600 {
            assert_eq!(pace.came(1_600, Duration::from_millis(100 * step)), None);
        }
    }

    #[test]
    fn a_source_that_catches_up_is_not_too_fast() {
        // 45 s piled up while nobody read; they arrive within the first 20 s, or within 50
        for steps in [200, 500] {
            let mut pace = SourcePace::new(16_000);
            for step in 0..3_000_u64 {
                let late = if step < steps { 450 * 1_600 / steps } else { 0 };
                let told = pace.came(1_600 + late, Duration::from_millis(100 * step));
                assert_eq!(told, None, "{steps} steps, at {step}");
            }
        }
    }
}
