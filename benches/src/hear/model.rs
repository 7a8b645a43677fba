//! The speech model of a measurement, and the counts of its guards.

use anyhow::Result;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use weir_asr::{
    AudioContext, Channels, Decoding, GuardsConfig, Refusal, Strictness, WhisperConfig,
    WhisperDevice, WhisperModel, open_file,
};
use weir_engine::pipeline::Recognition;

/// Options of the speech model.
#[derive(clap::Args, Clone)]
pub(crate) struct ModelArgs {
    /// Width of the beam search, 1 to 8; 1 is greedy
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=8))]
    pub(super) beam: u32,
    /// A whisper model in ggml format [default: the built-in tiny.en]
    #[arg(long, value_name = "FILE")]
    pub(super) asr_model: Option<PathBuf>,
    /// Threads for one segment, 1 to 64
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=64))]
    pub(super) threads: u32,
    /// How much of its 30 s window the encoder computes
    #[arg(long, value_enum, default_value_t)]
    pub(super) audio_context: Context,
    /// Refuse segments with a lower confidence, 0 to 1 [default: that of the guards]
    #[arg(long, value_name = "SHARE")]
    pub(super) min_confidence: Option<f32>,
    /// Use the words of the previous window as a prompt
    #[arg(long)]
    pub(super) previous_text: bool,
    /// Do not decode a suspicious window again at a higher temperature
    #[arg(long)]
    pub(super) no_fallback: bool,
    /// Strictness of the guards
    #[arg(long, value_enum, default_value_t = GuardsArg::Normal)]
    pub(super) guards: GuardsArg,
}

/// The steps of [`Strictness`].
#[derive(clap::ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum GuardsArg {
    /// Accept all words
    Off,
    /// The default limits
    Normal,
    /// Stricter limits
    Strict,
}

impl GuardsArg {
    fn strictness(self) -> Strictness {
        match self {
            Self::Off => Strictness::Off,
            Self::Normal => Strictness::Normal,
            Self::Strict => Strictness::Strict,
        }
    }
}

/// The rules of [`AudioContext`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub(super) enum Context {
    /// A size that keeps this model's words
    #[default]
    Auto,
    /// The full window
    Full,
    /// The segment's length and a margin
    Scaled,
}

/// Segments refused, by reason.
pub(super) fn refused(hearing: &Recognition) -> BTreeMap<&'static str, u64> {
    let counted = Refusal::ALL.map(|why| (why.reason(), hearing.counts().refused(why)));
    counted
        .into_iter()
        .filter(|(_, count)| *count > 0)
        .collect()
}

/// The speech model with its guards, and its name.
pub(super) fn hearing(args: &ModelArgs) -> Result<(Recognition, String)> {
    let model = args.load()?;
    let name = model.name().to_owned();
    Ok((hearing_of(&model, args)?, name))
}

/// The same for a loaded model.
pub(crate) fn hearing_of(model: &WhisperModel, args: &ModelArgs) -> Result<Recognition> {
    let model = Box::new(model.transcriber(&args.config())?);
    let limits = GuardsConfig::default().with(args.guards.strictness());
    let limits = GuardsConfig {
        min_confidence: args.min_confidence.unwrap_or(limits.min_confidence),
        ..limits
    };
    let open = Arc::new(|path: &Path| open_file(path));
    Ok(Recognition::guarded(model, limits, Channels::Mix, open)?)
}

impl ModelArgs {
    /// A model with default settings.
    #[cfg(test)]
    pub(super) fn shipped(beam: u32) -> Self {
        Self {
            beam,
            asr_model: None,
            threads: 1,
            min_confidence: None,
            audio_context: Context::Auto,
            previous_text: false,
            no_fallback: false,
            guards: GuardsArg::Normal,
        }
    }

    /// The requested model.
    pub(crate) fn load(&self) -> Result<WhisperModel> {
        Ok(match &self.asr_model {
            None => {
                let (name, weights) = (weir_tiny_en::NAME, weir_tiny_en::WEIGHTS);
                WhisperModel::from_bytes(name, weights, WhisperDevice::Cpu)?
            }
            Some(path) => WhisperModel::load(path)?,
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
            audio_context: match self.audio_context {
                Context::Auto => AudioContext::Auto,
                Context::Full => AudioContext::Full,
                Context::Scaled => AudioContext::Scaled,
            },
            previous_text: self.previous_text,
            fallback: !self.no_fallback,
            ..WhisperConfig::default()
        }
    }
}
