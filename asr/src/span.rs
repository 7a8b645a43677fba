//! Positions in a source, counted in samples at 16 kHz.
//!
//! Every time in this crate is such a count since the source began. It never comes from a clock or
//! from the nominal length of a chunk, so a time stays exact however voice activity cuts the audio.
//! Milliseconds are used only for display.

/// Sampling rate after the front end, in Hz.
pub const SAMPLE_RATE_HZ: u32 = 16_000;

/// Samples in one millisecond.
pub(crate) const SAMPLES_PER_MS: u64 = SAMPLE_RATE_HZ as u64 / 1_000;

/// A half-open stretch `[start, end)` of a source, in samples at 16 kHz since it began.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct SampleSpan {
    /// First sample.
    pub start: u64,
    /// One past the last sample.
    pub end: u64,
}

impl SampleSpan {
    /// Makes a span; an end before its start gives an empty span at the start.
    #[must_use]
    pub fn new(start: u64, end: u64) -> Self {
        Self {
            start,
            end: end.max(start),
        }
    }

    /// Makes the widest span inside a range of milliseconds.
    #[must_use]
    pub fn from_ms(start_ms: u64, end_ms: u64) -> Self {
        Self::new(start_ms * SAMPLES_PER_MS, end_ms * SAMPLES_PER_MS)
    }

    /// Start in whole milliseconds, rounded down.
    #[must_use]
    pub fn start_ms(self) -> u64 {
        self.start / SAMPLES_PER_MS
    }

    /// End in whole milliseconds, rounded down.
    #[must_use]
    pub fn end_ms(self) -> u64 {
        self.end / SAMPLES_PER_MS
    }

    /// Length in samples.
    #[must_use]
    pub fn len(self) -> u64 {
        self.end.saturating_sub(self.start)
    }

    /// Length in whole milliseconds, rounded down.
    #[must_use]
    pub fn len_ms(self) -> u64 {
        self.len() / SAMPLES_PER_MS
    }

    /// True when the span has no samples.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.end <= self.start
    }

    /// The smallest span that contains both.
    #[must_use]
    pub fn hull(self, other: Self) -> Self {
        Self {
            start: self.start.min(other.start),
            end: self.end.max(other.end),
        }
    }

    /// Number of samples in both spans.
    #[must_use]
    pub fn overlap(self, other: Self) -> u64 {
        self.end
            .min(other.end)
            .saturating_sub(self.start.max(other.start))
    }
}
