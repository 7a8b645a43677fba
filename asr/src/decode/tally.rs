//! Counting shared by all file sources.

use crate::{AudioError, SourceSpec, SourceWarning};

/// Frames read, compared with the frames stated by the header.
pub(super) struct Tally {
    pub(super) spec: SourceSpec,
    pub(super) frames: u64,
    pub(super) warnings: Vec<SourceWarning>,
    pub(super) ended: bool,
}

impl Tally {
    pub(super) fn new(spec: SourceSpec) -> Self {
        Self {
            spec,
            frames: 0,
            warnings: Vec::new(),
            ended: false,
        }
    }

    /// Counts a chunk before it is returned, and refuses NaN and infinite samples.
    pub(super) fn chunk(&mut self, samples: &[f32]) -> Result<usize, AudioError> {
        let channels = usize::from(self.spec.channels);
        if let Some(at) = samples.iter().position(|sample| !sample.is_finite()) {
            self.ended = true;
            return Err(AudioError::NotFinite {
                name: self.spec.name.clone(),
                at_frame: self.frames + (at / channels) as u64,
            });
        }
        self.frames += (samples.len() / channels) as u64;
        Ok(samples.len())
    }

    /// Adds the warnings due at the end of the file, once.
    pub(super) fn end(&mut self, promised_frames: Option<u64>) {
        if std::mem::replace(&mut self.ended, true) {
            return;
        }
        if let Some(expected_frames) = promised_frames.filter(|frames| *frames > self.frames) {
            self.warnings.push(SourceWarning::Truncated {
                name: self.spec.name.clone(),
                expected_frames,
                found_frames: self.frames,
                rate_hz: self.spec.rate_hz,
            });
        }
    }
}
