//! The speech model with its guards, watched: how many segments were refused, and why.

use anyhow::Result;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use weir_asr::{
    Channels, Decoding, Guards, GuardsConfig, Segment, Transcribe, TranscribeError, Transcript,
    WhisperConfig, WhisperModel, open_file,
};
use weir_engine::pipeline::Hearing;

/// How the speech model listens.
#[derive(clap::Args)]
pub(crate) struct ModelArgs {
    /// Width of the beam search, 1 to 8; 1 is greedy
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=8))]
    pub(super) beam: u32,
    /// A whisper model in ggml format; the small one inside the binary without it
    #[arg(long, value_name = "FILE")]
    pub(super) asr_model: Option<PathBuf>,
    /// Threads for one segment, 1 to 64
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=64))]
    pub(super) threads: u32,
    /// Segments whose words the model trusts less are left out, 0 to 1; without it the model's own
    /// limit
    #[arg(long, value_name = "SHARE")]
    pub(super) min_confidence: Option<f32>,
}

/// Segments refused, by reason.
#[derive(Debug, Clone, Default)]
pub(super) struct Refused(Arc<Mutex<BTreeMap<&'static str, u64>>>);

impl Refused {
    /// How many so far.
    pub(super) fn counts(&self) -> BTreeMap<&'static str, u64> {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }
}

/// A model that counts what its guards refuse of it; they judge after it a second time.
struct Watched<T> {
    model: T,
    limits: GuardsConfig,
    guards: Guards,
    refused: Refused,
}

impl<T: Transcribe> Transcribe for Watched<T> {
    fn transcribe(&mut self, segment: &Segment) -> Result<Transcript, TranscribeError> {
        let transcript = self.model.transcribe(segment)?;
        if let Err(why) = self.guards.judge(segment, transcript.clone()) {
            let mut counts = self
                .refused
                .0
                .lock()
                .unwrap_or_else(PoisonError::into_inner);
            *counts.entry(why.reason()).or_default() += 1;
        }
        Ok(transcript)
    }

    fn name(&self) -> &str {
        self.model.name()
    }

    fn max_segment_ms(&self) -> u32 {
        self.model.max_segment_ms()
    }

    fn guards(&self) -> GuardsConfig {
        self.limits.clone()
    }
}

/// The speech model with what it needs around it, its name, and what its guards refuse.
pub(super) fn hearing(args: &ModelArgs) -> Result<(Hearing, String, Refused)> {
    let model = match &args.asr_model {
        None => WhisperModel::embedded()?,
        Some(path) => WhisperModel::load(path)?,
    };
    let model = model.transcriber(&WhisperConfig {
        threads: args.threads,
        decoding: match args.beam {
            1 => Decoding::Greedy,
            beam => Decoding::Beam(beam),
        },
        ..WhisperConfig::default()
    })?;
    let own = model.guards();
    let limits = GuardsConfig {
        min_confidence: args.min_confidence.unwrap_or(own.min_confidence),
        ..own
    };
    let refused = Refused::default();
    let watched = Watched {
        guards: Guards::new(limits.clone())?,
        limits,
        model,
        refused: refused.clone(),
    };
    let name = watched.name().to_owned();
    let open = Arc::new(|path: &Path| open_file(path));
    let hearing = Hearing::new(Box::new(watched), Channels::Mix, open)?;
    Ok((hearing, name, refused))
}
