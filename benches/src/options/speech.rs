//! The speech models of a measurement.

use anyhow::{Result, bail};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use weir_asr::{
    AudioContext, Channels, Decoding, WhisperConfig, WhisperDevice, WhisperModel, open_file,
};
use weir_engine::pipeline::{Recognition, VoiceEmbedder, VoiceModels, WindowSegmenter};
use weir_models::{DeviceChoice, SpeakerEncoder, SpeechSegmentation};

/// Options of the speech model.
#[derive(clap::Args, Clone)]
pub(crate) struct SpeechArgs {
    /// Width of the beam search, 1 to 8; 1 is greedy
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=8))]
    pub(crate) beam: u32,
    /// A whisper model in ggml format [default: the built-in tiny.en]
    #[arg(long, value_name = "FILE")]
    pub(crate) asr_model: Option<PathBuf>,
    /// Threads for one segment, 1 to 64
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=64))]
    pub(crate) threads: u32,
    /// How much of its 30 s window the encoder computes: `auto`, which keeps this model's words,
    /// all of it (`full`), or the segment's length and a margin (`scaled`)
    #[arg(long, default_value = "auto", value_parser = audio_context)]
    audio_context: AudioContext,
}

fn audio_context(name: &str) -> Result<AudioContext> {
    Ok(match name {
        "auto" => AudioContext::Auto,
        "full" => AudioContext::Full,
        "scaled" => AudioContext::Scaled,
        _ => bail!("`{name}` is not auto, full or scaled"),
    })
}

impl SpeechArgs {
    /// The requested model on the processor.
    pub(crate) fn load(&self) -> Result<WhisperModel> {
        self.load_on(DeviceChoice::Cpu)
    }

    /// The same on a device; the built-in model always runs on the processor.
    pub(crate) fn load_on(&self, device: DeviceChoice) -> Result<WhisperModel> {
        let device = match device {
            DeviceChoice::Cpu => WhisperDevice::Cpu,
            DeviceChoice::Cuda(number) | DeviceChoice::Metal(number) => {
                WhisperDevice::Gpu(u16::try_from(number)?)
            }
        };
        Ok(match &self.asr_model {
            None => {
                let (name, weights) = (weir_tiny_en::NAME, weir_tiny_en::weights());
                WhisperModel::from_bytes(name, weights, WhisperDevice::Cpu)?
            }
            Some(path) => WhisperModel::load_on(path, device)?,
        })
    }

    /// Its search options.
    pub(crate) fn config(&self) -> WhisperConfig {
        WhisperConfig {
            threads: self.threads,
            decoding: match self.beam {
                1 => Decoding::Greedy,
                beam => Decoding::Beam(beam),
            },
            audio_context: self.audio_context,
            ..WhisperConfig::default()
        }
    }

    /// What recognises recordings with a loaded model.
    pub(crate) fn hearing(&self, model: &WhisperModel) -> Result<Recognition> {
        let model = Box::new(model.transcriber(&self.config())?);
        let open = Arc::new(|path: &Path| open_file(path));
        Ok(Recognition::new(model, Channels::Mix, open)?)
    }
}

/// Where the models are that tell speakers apart.
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
