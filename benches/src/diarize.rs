//! Weir's diarizer on recordings: who speaks when, in RTTM; `scripts/hearing/diarization.py` scores
//! it.
//!
//! RTTM has a line a turn, `SPEAKER RECORDING CHANNEL ONSET DURATION <NA> <NA> NAME <NA> <NA>`,
//! times in seconds (NIST Rich Transcription evaluation plan 2009, appendix A).

use crate::files::{stem, write_whole};
use crate::hear::samples;
use crate::options::VoiceArgs;
use crate::process::Started;
use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};
use weir_asr::{
    Diarizer, DiarizerConfig, SAMPLE_RATE_HZ, SegmentSpeakers as _, SpeakerTurn, join_turns,
};
use weir_engine::pipeline::VoiceModels;

/// Silence inside a speaker's turn that does not end it.
const GAP_SAMPLES: u64 = SAMPLE_RATE_HZ as u64 / 4;

#[derive(clap::Args)]
pub(crate) struct DiarizeArgs {
    /// Recordings to diarize; each is called by its file's name without extension
    #[arg(long, num_args = 1.., required = true, requires = "segmentation")]
    audio: Vec<PathBuf>,
    #[command(flatten)]
    voices: VoiceArgs,
    /// Output file of the turns, in RTTM
    #[arg(long, value_name = "FILE.rttm")]
    out: PathBuf,
}

/// Prints a JSON line for each recording, and writes the turns of all.
pub(crate) fn run(args: &DiarizeArgs) -> Result<()> {
    let models = args.voices.load()?;
    let mut models =
        models.context("--audio needs --segmentation DIR and --speaker-encoder DIR")?;
    let (mut names, mut text) = (BTreeSet::new(), String::new());
    for file in &args.audio {
        let (name, at) = (stem(file)?, file.display());
        ensure!(
            !name.contains(char::is_whitespace) && names.insert(name.clone()),
            "{at}: RTTM calls it `{name}`; rename the file so that this is one word, and only its"
        );
        let heard = diarized(file, &mut models);
        let (turns, mut row) = heard.with_context(|| at.to_string())?;
        row["recording"] = json!(name);
        writeln!(std::io::stdout(), "{row}")?;
        text.extend(turns.iter().map(|turn| line(&name, turn)));
    }
    write_whole(&args.out, |out| Ok(out.write_all(text.as_bytes())?))
}

/// The turns of a recording, and what they cost.
fn diarized(file: &Path, models: &mut VoiceModels) -> Result<(Vec<SpeakerTurn>, Value)> {
    let (segment, embed) = (&mut models.segmenter, &mut models.embedder);
    let mut diarizer = Diarizer::new(&DiarizerConfig::default(), segment.grid())?;
    let (mut turns, started) = (Vec::new(), Started::now());
    let samples = samples(file)?;
    let parts = samples.chunks(SAMPLE_RATE_HZ as usize).map(Some);
    for second in parts.chain([None]) {
        match second {
            Some(second) => diarizer.step(second),
            None => diarizer.finish(),
        }
        while let Some(stable) = diarizer.diarize(segment, embed) {
            turns.extend(stable?);
        }
    }
    let (ms, cpu_ms) = (started.wall_ms(), started.cpu_ms());
    let audio_ms = seconds(diarizer.samples_taken()) * 1e3;
    let (turns, counts) = (join_turns(&turns, GAP_SAMPLES), diarizer.counts());
    let row = json!({
        "audio_ms": audio_ms,
        "ms": ms,
        "cpu_ms": cpu_ms,
        "share_of_one_core": cpu_ms.map(|it| it / audio_ms.max(1.0)),
        "turns": turns.len(),
        "speakers": counts.clusters.speakers,
        "windows": counts.windows,
        "failed_windows": counts.failed_windows,
        "embeddings": counts.embeddings,
    });
    Ok((turns, row))
}

/// A turn in RTTM. All voices that are not known have the name `unknown`.
fn line(recording: &str, turn: &SpeakerTurn) -> String {
    let start = seconds(turn.span.start);
    let length = seconds(turn.span.end) - start;
    let name = turn.speaker.map(|it| it.to_string().replace(' ', "_"));
    let name = name.unwrap_or_else(|| "unknown".to_owned());
    format!("SPEAKER {recording} 1 {start:.6} {length:.6} <NA> <NA> {name} <NA> <NA>\n")
}

fn seconds(samples: u64) -> f64 {
    samples as f64 / f64::from(SAMPLE_RATE_HZ)
}
