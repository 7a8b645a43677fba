//! The models of voices as the diarizer of `weir-asr` takes them, and the voices that are known.
//!
//! It only translates shapes: a window, its frames, the activity of each speaker.

use std::sync::Arc;
use weir_asr::{Activities, EmbedSpeaker, FrameGrid, KnownVoice, SegmentSpeakers, SpeakerError};
use weir_models::{EncodeSpeaker, SegmentSpeech, VoiceError};

/// The models that tell speakers apart, and enrolled voices. All sources of a feed share them.
pub struct VoiceModels {
    /// Tells the speakers of a window apart.
    pub segmenter: Box<dyn SegmentSpeakers>,
    /// Turns speech into the vector of a voice.
    pub embedder: Box<dyn EmbedSpeaker>,
    /// Enrolled voices, whose speakers get their names.
    pub known: Vec<KnownVoice>,
}

/// A segmentation model.
pub struct WindowSegmenter(pub Arc<dyn SegmentSpeech>);

impl SegmentSpeakers for WindowSegmenter {
    fn grid(&self) -> FrameGrid {
        let window = self.0.window();
        FrameGrid {
            window_samples: window.samples_max,
            frames: window.frames_in(window.samples_max),
            step_samples: window.frame_step,
            // frames are centred in what the model sees of them
            offset_samples: window.middle_of(0).saturating_sub(window.frame_step / 2),
        }
    }

    fn activities(&mut self, samples: &[f32]) -> Result<Activities, SpeakerError> {
        let frames = self.0.segment(samples);
        let frames = frames.map_err(|error| failed(self.0.name(), &error))?;
        let values = frames.probabilities();
        let speakers = values.first().map_or(0, |frame| frame.len());
        Ok(Activities::new(speakers, values.concat()))
    }

    fn name(&self) -> &str {
        self.0.name()
    }
}

/// An encoder of voices.
pub struct VoiceEmbedder(pub Arc<dyn EncodeSpeaker>);

impl EmbedSpeaker for VoiceEmbedder {
    fn dimensions(&self) -> usize {
        self.0.dimension()
    }

    fn embed(&mut self, samples: &[f32]) -> Result<Vec<f32>, SpeakerError> {
        let vector = self.0.encode_speaker(samples);
        vector.map_err(|error| failed(&self.0.identity().name, &error))
    }

    fn name(&self) -> &str {
        &self.0.identity().name
    }
}

fn failed(model: &str, error: &VoiceError) -> SpeakerError {
    SpeakerError::Run {
        model: model.to_owned(),
        reason: error.to_string(),
    }
}
