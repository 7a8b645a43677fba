//! Compares Weir's recognition with bare whisper.cpp: same weights, threads and search.
//!
//! Both open and decode the file, and their times include it; model loading is excluded for both.
//! Bare whisper.cpp gets the whole recording at once with its default parameters. CPU time is that
//! of the whole program, all threads: on a busy machine it is more reliable than wall time.
//! `scripts/hearing/score.py` counts the word errors.

use super::{listen, samples};
use crate::files::text;
use crate::options::SpeechArgs;
use crate::process::Started;
use anyhow::{Context, Result, ensure};
use serde::Serialize;
use serde_json::{Value, json};
use std::io::Write;
use std::path::{Path, PathBuf};
use whisper_rs::{
    FullParams, SamplingStrategy, WhisperContext, WhisperContextParameters, WhisperState,
};

#[derive(clap::Args)]
pub(crate) struct ClipsArgs {
    /// List of clips, each line with a file and its text, separated by a tab; a missing file is an
    /// error
    list: PathBuf,
    /// Base folder of the files [default: the list's folder]
    #[arg(long, value_name = "DIR")]
    root: Option<PathBuf>,
    #[command(flatten)]
    model: SpeechArgs,
}

/// Result of one recogniser.
#[derive(Serialize)]
struct Side {
    text: String,
    ms: f64,
    /// CPU time, if the system gives it (Linux).
    cpu_ms: Option<f64>,
}

/// Recognises each clip with both and prints a JSON line for each, with what is said in it, and one
/// for all.
pub(crate) fn run(args: &ClipsArgs) -> Result<()> {
    let list = text(&args.list)?;
    let clips = listed(&args.list, &list)?;
    let root = args.root.as_deref().or(args.list.parent());
    let root = root.unwrap_or(Path::new("."));
    let mut ears = args.model.hearing(&args.model.load()?)?;
    let plain = Bare::load(&args.model)?;
    let (mut all_weir, mut all_bare, mut all_ms) = (Vec::new(), Vec::new(), 0);
    let mut out = std::io::stdout();
    for (file, said) in &clips {
        let path = &root.join(file);
        let started = Started::now();
        let mut words = Vec::new();
        let audio_ms = listen(&mut ears, path, &mut |heard| words.push(heard.text()))?;
        let weir = Side::of(words.join(" "), started);
        let started = Started::now();
        let bare = Side::of(plain.hear(path)?, started);
        let row = json!({
            "file": file, "said": said, "audio_ms": audio_ms, "weir": &weir, "bare": &bare,
        });
        writeln!(out, "{row}")?;
        all_weir.push(weir);
        all_bare.push(bare);
        all_ms += audio_ms;
    }
    let (weir, bare) = (sum(&all_weir, all_ms), sum(&all_bare, all_ms));
    let row = json!({"clips": clips.len(), "audio_ms": all_ms, "weir": weir, "bare": bare});
    writeln!(out, "{row}")?;
    Ok(())
}

/// The results of one recogniser for all clips.
fn sum(sides: &[Side], audio_ms: u64) -> Value {
    let share = |ms: f64| ms / audio_ms.max(1) as f64;
    let cpu_ms: f64 = sides.iter().filter_map(|side| side.cpu_ms).sum();
    json!({
        "real_time_factor": share(sides.iter().map(|side| side.ms).sum()),
        // CPU time as a share of the recordings' length
        "cpu_factor": (cpu_ms > 0.0).then(|| share(cpu_ms)),
        // clips without any recognised word
        "without_words": sides.iter().filter(|side| side.text.is_empty()).count(),
    })
}

/// The files and texts of a list.
fn listed<'a>(list: &Path, lines: &'a str) -> Result<Vec<(&'a str, &'a str)>> {
    let named = list.display();
    let parted = lines.lines().enumerate().map(|(number, line)| {
        let parts = line.split_once('\t');
        parts.with_context(|| format!("{named}, line {}: no tab in it", number + 1))
    });
    let clips: Vec<_> = parted.collect::<Result<_>>()?;
    ensure!(!clips.is_empty(), "{named}: no clips");
    Ok(clips)
}

impl Side {
    fn of(text: String, started: Started) -> Self {
        Self {
            text,
            ms: started.wall_ms(),
            cpu_ms: started.cpu_ms(),
        }
    }
}

/// whisper.cpp with its default parameters.
struct Bare<'a> {
    context: WhisperContext,
    args: &'a SpeechArgs,
}

impl<'a> Bare<'a> {
    fn load(args: &'a SpeechArgs) -> Result<Self> {
        let path = args.asr_model.as_ref();
        let path = path.context("name the weights that both take: --asr-model FILE")?;
        let context = WhisperContext::new_with_params(path, WhisperContextParameters::default())?;
        Ok(Self { context, args })
    }

    fn hear(&self, path: &Path) -> Result<String> {
        let samples = samples(path)?;
        let mut state: WhisperState = self.context.create_state()?;
        let mut parameters = FullParams::new(match self.args.beam {
            1 => SamplingStrategy::Greedy { best_of: 1 },
            beam => SamplingStrategy::BeamSearch {
                beam_size: i32::try_from(beam)?,
                patience: -1.0,
            },
        });
        parameters.set_n_threads(i32::try_from(self.args.threads)?);
        parameters.set_print_progress(false);
        state.full(parameters, &samples)?;
        let mut text = String::new();
        for segment in state.as_iter() {
            text += &segment.to_str_lossy()?;
        }
        Ok(text.trim().to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_without_a_tab_is_named() {
        let list = Path::new("list.tsv");
        let clips = listed(list, "a.wav\tyes");
        assert_eq!(clips.expect("whole"), [("a.wav", "yes")]);
        let error = listed(list, "a.wav\tyes\na.wav yes").expect_err("no tab");
        assert_eq!(error.to_string(), "list.tsv, line 2: no tab in it");
    }
}
