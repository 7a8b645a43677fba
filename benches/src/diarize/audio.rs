//! Weir's diarizer on recordings: hypotheses of who speaks when.

use super::rttm::{Recordings, Turn};
use crate::hear::samples;
use crate::options::VoiceArgs;
use crate::process::Started;
use anyhow::{Context, Result, bail};
use std::io::Write;
use std::path::{Path, PathBuf};
use weir_asr::{
    Diarizer, DiarizerConfig, SAMPLE_RATE_HZ, SegmentSpeakers as _, SpeakerTurn, join_turns,
};
use weir_engine::pipeline::VoiceModels;

/// Silence inside a speaker's turn that does not end it.
const GAP_SAMPLES: u64 = SAMPLE_RATE_HZ as u64 / 4;

/// Where hypotheses come from, if not from files.
#[derive(clap::Args, Default)]
pub(super) struct AudioArgs {
    /// Recordings to diarize; the reference calls each by its file's name without extension
    #[arg(long, num_args = 1.., requires_all = ["segmentation", "speaker_encoder"])]
    audio: Vec<PathBuf>,
    #[command(flatten)]
    voices: VoiceArgs,
    /// Distance above which a voice is a new speaker
    #[arg(long, default_value_t = DiarizerConfig::default().new_distance)]
    new_distance: f32,
    /// Milliseconds from one window to the next
    #[arg(long, default_value_t = DiarizerConfig::default().hop_ms)]
    hop_ms: u32,
    /// Milliseconds of sound behind a frame before its speakers are stable
    #[arg(long, default_value_t = DiarizerConfig::default().latency_ms)]
    latency_ms: u32,
}

impl AudioArgs {
    /// The turns in each recording; `None` without recordings.
    pub(super) fn heard(&self) -> Result<Option<Recordings>> {
        if self.audio.is_empty() {
            return Ok(None);
        }
        let Some(mut models) = self.voices.load()? else {
            bail!("--audio needs both models: --segmentation DIR --speaker-encoder DIR");
        };
        let mut heard = Recordings::new();
        for file in &self.audio {
            let name = file.file_stem().unwrap_or_default().to_string_lossy();
            let turns = self.diarized(file, &mut models);
            let turns = turns.with_context(|| file.display().to_string())?;
            heard.insert(name.into_owned(), turns.iter().map(Turn::from).collect());
        }
        Ok(Some(heard))
    }

    fn diarized(&self, file: &Path, models: &mut VoiceModels) -> Result<Vec<SpeakerTurn>> {
        let (segment, embed) = (&mut models.segmenter, &mut models.embedder);
        let config = DiarizerConfig {
            new_distance: self.new_distance,
            hop_ms: self.hop_ms,
            latency_ms: self.latency_ms,
            ..DiarizerConfig::default()
        };
        let mut diarizer = Diarizer::new(&config, segment.grid())?;
        let (mut turns, started) = (Vec::new(), Started::now());
        let samples = samples(file)?;
        let seconds = samples.chunks(SAMPLE_RATE_HZ as usize).map(Some);
        for second in seconds.chain([None]) {
            match second {
                Some(second) => diarizer.step(second),
                None => diarizer.finish(),
            }
            while let Some(stable) = diarizer.diarize(segment, embed) {
                turns.extend(stable?);
            }
        }
        let took_ms = started.cpu_ms().unwrap_or(0.0);
        let sound_ms = diarizer.samples_taken() as f64 / f64::from(SAMPLE_RATE_HZ) * 1e3;
        let share = took_ms / sound_ms.max(1.0);
        writeln!(
            std::io::stderr(),
            "{}: {share:.3} of one core, {:?}",
            file.display(),
            diarizer.counts()
        )?;
        Ok(join_turns(&turns, GAP_SAMPLES))
    }
}
