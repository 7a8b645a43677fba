//! Compares Weir's recognition with bare whisper.cpp: same weights, threads and search.
//!
//! Both open and decode the file, and their times include it; model loading is excluded for both.
//! Bare whisper.cpp gets the whole recording at once with its default parameters. CPU time is that
//! of the whole program, all threads: on a busy machine it is more reliable than wall time.

use super::listen;
use crate::options::SpeechArgs;
use crate::process::Started;
use crate::wer::WordErrors;
use anyhow::{Context, Result, ensure};
use serde::Serialize;
use std::io::Write;
use std::path::{Path, PathBuf};
use weir_asr::{Channels, FrontEnd, open_file};
use whisper_rs::{
    FullParams, SamplingStrategy, WhisperContext, WhisperContextParameters, WhisperState,
};

/// The command line of `hear-clips`.
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

/// A recording and its text.
struct Clip {
    path: PathBuf,
    said: String,
}

/// Results for one clip.
#[derive(Serialize)]
struct Row {
    file: String,
    audio_ms: u64,
    weir: Side,
    bare: Side,
}

/// Result of one recogniser.
#[derive(Serialize)]
struct Side {
    text: String,
    ms: f64,
    /// CPU time, if the system gives it (Linux).
    cpu_ms: Option<f64>,
    #[serde(flatten)]
    errors: WordErrors,
}

/// All clips.
#[derive(Serialize)]
struct Total {
    clips: usize,
    audio_ms: u64,
    weir: Sum,
    bare: Sum,
}

#[derive(Serialize, Default)]
struct Sum {
    wer: Option<f64>,
    real_time_factor: f64,
    /// CPU time as a share of the recordings' length.
    cpu_factor: Option<f64>,
    /// Clips without any recognised word.
    without_words: usize,
    #[serde(skip)]
    ms: f64,
    #[serde(skip)]
    cpu_ms: f64,
    #[serde(skip)]
    errors: WordErrors,
}

impl Sum {
    fn add(&mut self, side: &Side) {
        self.ms += side.ms;
        self.cpu_ms += side.cpu_ms.unwrap_or(0.0);
        self.errors.include(side.errors);
        self.without_words += usize::from(side.text.is_empty());
    }

    fn close(&mut self, audio_ms: u64) {
        self.wer = self.errors.rate();
        self.real_time_factor = self.ms / audio_ms.max(1) as f64;
        self.cpu_factor = (self.cpu_ms > 0.0).then(|| self.cpu_ms / audio_ms.max(1) as f64);
    }
}

/// Recognises each clip with both and prints a JSON line for each, and one for all.
pub(crate) fn run(args: &ClipsArgs) -> Result<()> {
    let clips = args.clips()?;
    let mut ears = args.model.hearing(&args.model.load()?)?;
    let bare = Bare::load(&args.model)?;
    let mut total = Total {
        clips: 0,
        audio_ms: 0,
        weir: Sum::default(),
        bare: Sum::default(),
    };
    let mut out = std::io::stdout();
    for clip in &clips {
        let (path, said) = (&clip.path, &clip.said);
        let started = Started::now();
        let mut words = Vec::new();
        let audio_ms = listen(&mut ears, path, &mut |heard| words.push(heard.text()))?;
        let weir = Side::of(words.join(" "), said, started);
        let started = Started::now();
        let bare = Side::of(bare.hear(path)?, said, started);
        total.clips += 1;
        total.audio_ms += audio_ms;
        total.weir.add(&weir);
        total.bare.add(&bare);
        let row = Row {
            file: path.display().to_string(),
            audio_ms,
            weir,
            bare,
        };
        writeln!(out, "{}", serde_json::to_string(&row)?)?;
    }
    total.weir.close(total.audio_ms);
    total.bare.close(total.audio_ms);
    writeln!(out, "{}", serde_json::to_string(&total)?)?;
    Ok(())
}

/// A line's file and text.
pub(super) fn parted<'a>(list: &Path, number: usize, line: &'a str) -> Result<(&'a str, &'a str)> {
    line.split_once('\t')
        .with_context(|| format!("{}, line {}: no tab in it", list.display(), number + 1))
}

impl ClipsArgs {
    /// The clips of the list.
    fn clips(&self) -> Result<Vec<Clip>> {
        let named = self.list.display();
        let list =
            std::fs::read_to_string(&self.list).with_context(|| format!("{named} not read"))?;
        let root = self.root.as_deref().or(self.list.parent());
        let root = root.unwrap_or(Path::new("."));
        let mut clips = Vec::new();
        for (number, line) in list.lines().enumerate() {
            let (file, said) = parted(&self.list, number, line)?;
            clips.push(Clip {
                path: root.join(file),
                said: said.to_owned(),
            });
        }
        ensure!(!clips.is_empty(), "{named}: no clips");
        Ok(clips)
    }
}

impl Side {
    fn of(text: String, said: &str, started: Started) -> Self {
        let (ms, cpu_ms) = (started.wall_ms(), started.cpu_ms());
        let mut errors = WordErrors::default();
        errors.add(said, &text);
        Self {
            text,
            ms,
            cpu_ms,
            errors,
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

/// A whole recording, mixed to one channel at 16 kHz.
fn samples(path: &Path) -> Result<Vec<f32>> {
    let mut source = open_file(path)?;
    let mut front_end = FrontEnd::new(source.spec(), Channels::Mix)?;
    let (mut chunk, mut planes, mut all) = (Vec::new(), Vec::new(), Vec::new());
    loop {
        let last = source.read(&mut chunk)? == 0;
        if last {
            front_end.finish(&mut planes);
        } else {
            front_end.step(&chunk, &mut planes);
        }
        all.extend_from_slice(planes.first().map_or(&[], Vec::as_slice));
        if last {
            return Ok(all);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_without_a_tab_is_named() {
        let list = Path::new("list.tsv");
        let parts = parted(list, 0, "a.wav\tyes");
        assert_eq!(parts.expect("whole"), ("a.wav", "yes"));
        let error = parted(list, 4, "a.wav yes").expect_err("no tab");
        assert_eq!(error.to_string(), "list.tsv, line 5: no tab in it");
    }
}
