//! Voice probability of a frame of 16 ms: the detector's contract and two detectors.
//!
//! A detector scores frames; it does not decide where a segment begins or ends. Invariant: the
//! score depends only on this frame and the frames since the last reset.

/// Samples in one frame: 16 ms at 16 kHz.
pub const VOICE_FRAME_SAMPLES: usize = 256;

/// Scores frames of [`VOICE_FRAME_SAMPLES`] samples.
pub trait VoiceActivity: Send {
    /// Voice probability of the next frame, 0 to 1. The frame has `VOICE_FRAME_SAMPLES` samples
    /// within -1 to 1.
    fn score(&mut self, frame: &[f32]) -> f32;

    /// Forgets all frames so far.
    fn reset(&mut self);
}

/// A detector that takes any loud frame for voice. For tests and signals without noise.
#[derive(Debug, Clone)]
pub struct LoudnessDetector {
    threshold: f32,
}

impl LoudnessDetector {
    /// Scores 1 when the root mean square of a frame reaches `threshold`, else 0.
    #[must_use]
    pub fn new(threshold: f32) -> Self {
        Self { threshold }
    }
}

impl VoiceActivity for LoudnessDetector {
    fn score(&mut self, frame: &[f32]) -> f32 {
        let power = frame.iter().map(|s| s * s).sum::<f32>() / frame.len().max(1) as f32;
        if power.sqrt() >= self.threshold {
            1.0
        } else {
            0.0
        }
    }

    fn reset(&mut self) {}
}

/// The default detector: earshot's small neural network, whose weights are inside its crate.
#[cfg(feature = "listen")]
pub struct Earshot {
    detector: Box<earshot::Detector>,
}

#[cfg(feature = "listen")]
impl Earshot {
    /// Makes a detector for one stream; its state takes 8 KB.
    #[must_use]
    pub fn new() -> Self {
        Self {
            detector: earshot::Detector::default_boxed(),
        }
    }
}

#[cfg(feature = "listen")]
impl Default for Earshot {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(feature = "listen")]
impl VoiceActivity for Earshot {
    fn score(&mut self, frame: &[f32]) -> f32 {
        self.detector.predict_f32(frame).clamp(0.0, 1.0)
    }

    fn reset(&mut self) {
        self.detector.reset();
    }
}
