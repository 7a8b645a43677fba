//! The models that tell speakers apart, from flags.

use anyhow::Result;
use std::path::PathBuf;
use std::sync::Arc;
use weir_engine::pipeline::{VoiceEmbedder, VoiceModels, WindowSegmenter};
use weir_models::{SpeakerEncoder, SpeechSegmentation};

/// Where the models are.
#[derive(clap::Args, Default)]
pub(crate) struct VoiceArgs {
    /// Folder of segmentation-3.0
    #[arg(long, value_name = "DIR", requires = "speaker_encoder")]
    segmentation: Option<PathBuf>,
    /// Folder of CAM++
    #[arg(long, value_name = "DIR", requires = "segmentation")]
    speaker_encoder: Option<PathBuf>,
}

impl VoiceArgs {
    /// The models; `None` without flags.
    pub(crate) fn load(&self) -> Result<Option<VoiceModels>> {
        let (Some(segmentation), Some(encoder)) = (&self.segmentation, &self.speaker_encoder)
        else {
            return Ok(None);
        };
        let segmenter = WindowSegmenter(Arc::new(SpeechSegmentation::load(segmentation)?));
        let embedder = VoiceEmbedder(Arc::new(SpeakerEncoder::load(encoder)?));
        Ok(Some(VoiceModels {
            segmenter: Box::new(segmenter),
            embedder: Box::new(embedder),
            known: Vec::new(),
        }))
    }
}
