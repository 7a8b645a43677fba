//! Contracts of the two speaker models: what they take and what they return.
//!
//! An implementation owns its weights and scratch memory. Invariant: its output depends on the
//! samples of one call alone.

use crate::SettingError;

/// Most local speakers that a segmentation model may tell apart in one window.
pub const LOCAL_SPEAKERS_MAX: usize = 3;

/// The window of a segmentation model and where its frames lie, in samples at 16 kHz.
///
/// Frame `i` describes the samples from `offset_samples + i * step_samples`, `step_samples` long.
/// The offset centres the frames in their receptive fields. For pyannote segmentation 3.0 (windows
/// of 10 s, receptive field of 991 samples) that is 589 frames of 270 samples from sample 360 on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FrameGrid {
    /// Samples of a window.
    pub window_samples: usize,
    /// Frames of a window.
    pub frames: usize,
    /// Samples from one frame to the next.
    pub step_samples: usize,
    /// First sample of the first frame.
    pub offset_samples: usize,
}

impl FrameGrid {
    /// First sample of a frame, relative to the window; also one past the last of the frame before.
    pub(super) fn sample(&self, frame: usize) -> usize {
        self.offset_samples + frame * self.step_samples
    }

    /// Refuses a grid without frames, and one whose frames leave the window.
    pub(super) fn check(&self) -> Result<(), SettingError> {
        let inside = self.step_samples > 0 && self.sample(self.frames) <= self.window_samples;
        SettingError::unless(
            self.frames > 0 && inside,
            "frames",
            &self.frames,
            "at least 1, all of them inside the window",
        )
    }
}

/// How active each local speaker is in each frame of a window.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Activities {
    speakers: usize,
    values: Vec<f32>,
}

impl Activities {
    /// Activities in the order `[frame][speaker]`, 0 to 1. Values outside that range are clamped,
    /// and those that are not finite count as 0.
    #[must_use]
    pub fn new(speakers: usize, mut values: Vec<f32>) -> Self {
        for value in &mut values {
            *value = if value.is_finite() {
                value.clamp(0.0, 1.0)
            } else {
                0.0
            };
        }
        Self { speakers, values }
    }

    /// Number of local speakers.
    #[must_use]
    pub fn speakers(&self) -> usize {
        self.speakers
    }

    /// Number of frames; 0 without speakers.
    #[must_use]
    pub fn frames(&self) -> usize {
        self.values.len().checked_div(self.speakers).unwrap_or(0)
    }

    /// The frames in order, each with one value per local speaker.
    pub fn iter(&self) -> impl Iterator<Item = &[f32]> {
        self.values.chunks_exact(self.speakers.max(1))
    }

    /// True when the shape fits a grid; nobody at all fits every grid.
    pub(super) fn fits(&self, grid: &FrameGrid) -> bool {
        let whole = self.values.len() == grid.frames * self.speakers;
        whole && self.speakers <= LOCAL_SPEAKERS_MAX
    }
}

/// Tells the speakers of a short window apart, overlapping speech included.
pub trait SegmentSpeakers: Send {
    /// The window that the model takes, and its frames.
    fn grid(&self) -> FrameGrid;

    /// Activities of the local speakers of one window.
    ///
    /// `samples` are 16 kHz mono, exactly `grid().window_samples` of them; silence pads the window
    /// at the ends of a source. The result has `grid().frames` frames of at most
    /// [`LOCAL_SPEAKERS_MAX`] speakers. Their order means nothing and may differ between windows.
    ///
    /// # Errors
    /// The model cannot be run on this window.
    fn activities(&mut self, samples: &[f32]) -> Result<Activities, SpeakerError>;

    /// Name of the model, for logs and results.
    fn name(&self) -> &str;
}

/// Turns speech of one person into a vector; vectors of one voice have a small cosine distance.
pub trait EmbedSpeaker: Send {
    /// Number of components of a vector.
    fn dimensions(&self) -> usize;

    /// The vector of a voice, of any length above zero.
    ///
    /// `samples` are 16 kHz mono: speech of one local speaker while nobody else speaks, its
    /// stretches joined.
    ///
    /// # Errors
    /// The model cannot be run on these samples.
    fn embed(&mut self, samples: &[f32]) -> Result<Vec<f32>, SpeakerError>;

    /// Name of the model, for logs and results.
    fn name(&self) -> &str;
}

impl<T: SegmentSpeakers + ?Sized> SegmentSpeakers for Box<T> {
    fn grid(&self) -> FrameGrid {
        (**self).grid()
    }

    fn activities(&mut self, samples: &[f32]) -> Result<Activities, SpeakerError> {
        (**self).activities(samples)
    }

    fn name(&self) -> &str {
        (**self).name()
    }
}

impl<T: EmbedSpeaker + ?Sized> EmbedSpeaker for Box<T> {
    fn dimensions(&self) -> usize {
        (**self).dimensions()
    }

    fn embed(&mut self, samples: &[f32]) -> Result<Vec<f32>, SpeakerError> {
        (**self).embed(samples)
    }

    fn name(&self) -> &str {
        (**self).name()
    }
}

/// Why a window could not be diarized.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SpeakerError {
    /// The model ran and failed.
    #[error("{model}: speakers were not recognised: {reason}")]
    Run {
        /// Name of the model.
        model: String,
        /// The reason.
        reason: String,
    },
    /// The model's output has another shape than the model promised.
    #[error("{model}: the output has {actual}; expected {expected}")]
    Shape {
        /// Name of the model.
        model: String,
        /// What was promised.
        expected: String,
        /// What came.
        actual: String,
    },
}
