//! Recognises a stream of audio: returns the same stream as text, and its word errors.
//!
//! Each line's audio is recognised separately, as in a paced `weir replay`. A line without
//! recognised words keeps its audio and has no text: its labels stay valid, and a text-only memory
//! skips it. So unrecognised speech counts as lost, not as never spoken.

pub(crate) mod clips;
mod list;
pub(crate) mod model;
pub(crate) mod scored;
mod settings;

use crate::convert::apart;
use crate::speak::words::{self, TimedWord};
use crate::stream::{Item, Stream, Turn};
use crate::wer::{WordErrors, aligned};
use anyhow::{Context, Result, ensure};
use model::{ModelArgs, hearing, refused};
use serde::Serialize;
use std::collections::{BTreeMap, HashMap};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;
use weir_asr::{Recognised, Rest, SampleSpan, Word, open_file};
use weir_engine::pipeline::Recognition;

/// The command line of `hear`.
#[derive(clap::Args)]
pub(crate) struct HearArgs {
    /// A stream file with audio; its text is the reference
    stream: PathBuf,
    /// Output file of the recognised stream: NAME.stream.jsonl
    #[arg(long)]
    out: PathBuf,
    /// Times of the words from `speak` [default: NAME.words.jsonl beside the stream]
    #[arg(long)]
    words: Option<PathBuf>,
    #[command(flatten)]
    model: ModelArgs,
}

/// The command line of `heard-noise`.
#[derive(clap::Args)]
pub(crate) struct NoiseArgs {
    /// Recordings without speech
    #[arg(required = true)]
    files: Vec<PathBuf>,
    #[command(flatten)]
    model: ModelArgs,
}

/// Results of recognising a stream.
#[derive(Serialize)]
struct Row<'a> {
    stream: &'a str,
    model: &'a str,
    beam: u32,
    lines: usize,
    /// Word error rate, both sides normalised.
    wer: Option<f64>,
    #[serde(flatten)]
    errors: WordErrors,
    /// Ids of lines with audio but without recognised words.
    lines_without_words: Vec<String>,
    /// Segments refused by the guards, by reason.
    refused_segments: BTreeMap<&'static str, u64>,
    audio_ms: u64,
    speech_ms: u64,
    /// Processing time as a share of the audio's length.
    real_time_factor: Option<f64>,
    word_times: Option<WordTimes>,
}

/// Distance of recognised word times from the true ones; only words recognised correctly.
#[derive(Serialize)]
struct WordTimes {
    words: usize,
    start_error_ms_p50: u64,
    start_error_ms_p95: u64,
    end_error_ms_p50: u64,
    end_error_ms_p95: u64,
}

/// Recognises a stream, writes it, and prints one JSON line of figures.
///
/// # Errors
/// The stream has no audio, audio or a model cannot be read, or a file cannot be written.
pub(crate) fn run(args: &HearArgs) -> Result<()> {
    apart(&args.stream, &args.out)?;
    let mut stream = Stream::read(&args.stream)?;
    ensure!(
        stream.turns().any(|turn| turn.audio.is_some()),
        "{}: no line has audio; `weir-bench speak` makes some",
        args.stream.display()
    );
    let (hearing, model) = hearing(&args.model)?;
    let mut ears = Ears {
        hearing,
        folder: args.stream.parent().unwrap_or(Path::new(".")),
        times: times(args)?,
        errors: WordErrors::default(),
        off: TimeErrors::default(),
        lost: Vec::new(),
    };
    let (started, total) = (Instant::now(), stream.turns().count());
    let mut done = 0;
    for item in &mut stream.items {
        let Item::Turn(turn) = item else { continue };
        ears.hear(turn)?;
        done += 1;
        if done % 50 == 0 || done == total {
            let minutes = started.elapsed().as_secs_f64() / 60.0;
            let mut err = std::io::stderr();
            writeln!(
                err,
                "{}: {done} of {total} lines, {minutes:.1} min",
                stream.name
            )?;
        }
    }
    let figures = ears.hearing.figures();
    let took_ms = started.elapsed().as_secs_f64() * 1_000.0;
    stream.save(&args.out)?;
    let row = Row {
        stream: &stream.name,
        model: &model,
        beam: args.model.beam,
        lines: total,
        wer: ears.errors.rate(),
        errors: ears.errors,
        lines_without_words: ears.lost,
        refused_segments: refused(&ears.hearing),
        audio_ms: figures.audio_ms,
        speech_ms: figures.speech_ms,
        real_time_factor: (figures.audio_ms > 0).then(|| took_ms / figures.audio_ms as f64),
        word_times: ears.off.figures(),
    };
    writeln!(std::io::stdout(), "{}", serde_json::to_string(&row)?)?;
    Ok(())
}

/// Recognises lines one by one and counts.
struct Ears<'a> {
    hearing: Recognition,
    folder: &'a Path,
    times: HashMap<String, Vec<TimedWord>>,
    errors: WordErrors,
    off: TimeErrors,
    lost: Vec<String>,
}

impl Ears<'_> {
    /// Replaces the reference text by the recognised text; a line without audio is unchanged.
    fn hear(&mut self, turn: &mut Turn) -> Result<()> {
        if turn.audio.is_none() {
            return Ok(());
        }
        let heard = recognise(&mut self.hearing, turn, self.folder)?;
        if let (Some(heard), Some(known)) = (&heard, self.times.get(&turn.id)) {
            self.off.add(known, &heard.words);
        }
        let heard = heard.map(|heard| heard.text()).unwrap_or_default();
        let said = std::mem::replace(&mut turn.text, heard);
        self.errors
            .add(&unbracketed(&said), &unbracketed(&turn.text));
        if turn.text.contains(char::is_alphanumeric) {
            turn.audio = None;
        } else {
            turn.text.clear();
            self.lost.push(turn.id.clone());
        }
        Ok(())
    }
}

/// The true word times, if available.
fn times(args: &HearArgs) -> Result<HashMap<String, Vec<TimedWord>>> {
    if let Some(path) = &args.words {
        return words::read(path);
    }
    let name = args
        .stream
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    let beside = name
        .strip_suffix(".stream.jsonl")
        .map(|name| format!("{name}.words.jsonl"));
    match beside.map(|name| args.stream.with_file_name(name)) {
        Some(path) if path.exists() => words::read(&path),
        _ => Ok(HashMap::new()),
    }
}

/// The text of a line; `None` if it has no words.
fn recognise(hearing: &mut Recognition, turn: &Turn, folder: &Path) -> Result<Option<Recognised>> {
    let Some(audio) = &turn.audio else {
        return Ok(None);
    };
    let long_ms = turn.span.end_ms - turn.span.start_ms;
    let span = SampleSpan::from_ms(audio.start_ms, audio.start_ms + long_ms);
    let mut warnings = Vec::new();
    let heard = hearing.hear_span(&folder.join(&audio.named), span, &mut warnings);
    for warning in warnings {
        writeln!(std::io::stderr(), "{}: {warning}", turn.id)?;
    }
    let named = || format!("line `{}`", turn.id);
    let mut heard = heard.with_context(named)?;
    match heard.failed.pop() {
        Some(error) => Err(error).with_context(named),
        None => Ok(heard.said),
    }
}

/// The measure drops text in brackets as not spoken, but `[shares a photo]` is spoken.
fn unbracketed(text: &str) -> String {
    text.replace(['[', ']', '(', ')', '<', '>'], " ")
}

/// Distances of word times in milliseconds.
#[derive(Default)]
struct TimeErrors {
    starts: Vec<u64>,
    ends: Vec<u64>,
}

impl TimeErrors {
    fn add(&mut self, known: &[TimedWord], heard: &[Word]) {
        let known = joined(known);
        let plain: Vec<String> = heard.iter().map(|word| plain(&word.text)).collect();
        for pair in aligned(&known, &plain, |known, heard| known.word == *heard) {
            let (Some(at), Some(of)) = pair else { continue };
            if known[at].word == plain[of] {
                let span = heard[of].span;
                self.starts
                    .push(known[at].start_ms.abs_diff(span.start_ms()));
                self.ends.push(known[at].end_ms.abs_diff(span.end_ms()));
            }
        }
    }

    fn figures(mut self) -> Option<WordTimes> {
        self.starts.sort_unstable();
        self.ends.sort_unstable();
        // the nearest-rank percentile
        let at = |all: &[u64], share: usize| {
            let rank = (all.len() * share).div_ceil(100).max(1);
            all.get(rank - 1).copied()
        };
        Some(WordTimes {
            words: self.starts.len(),
            start_error_ms_p50: at(&self.starts, 50)?,
            start_error_ms_p95: at(&self.starts, 95)?,
            end_error_ms_p50: at(&self.ends, 50)?,
            end_error_ms_p95: at(&self.ends, 95)?,
        })
    }
}

/// Joins `it` and `'s` to `its`: the recogniser writes one word.
fn joined(words: &[TimedWord]) -> Vec<TimedWord> {
    let mut out: Vec<TimedWord> = Vec::new();
    for word in words {
        match out.last_mut() {
            Some(last) if word.word.starts_with('\'') => {
                last.word.push_str(&plain(&word.word));
                last.end_ms = word.end_ms;
            }
            _ => out.push(TimedWord {
                word: plain(&word.word),
                ..word.clone()
            }),
        }
    }
    out
}

fn plain(word: &str) -> String {
    let kept = word.chars().filter(|c| c.is_alphanumeric());
    kept.flat_map(char::to_lowercase).collect()
}

/// Results for a recording without speech.
#[derive(Serialize)]
struct NoiseRow<'a> {
    file: String,
    model: &'a str,
    beam: u32,
    audio_ms: u64,
    /// Time classified as speech by the voice detector.
    speech_ms: u64,
    words: usize,
    words_a_minute: f64,
    /// Segments refused by the guards, by reason.
    refused_segments: BTreeMap<&'static str, u64>,
    /// The recognised words, at most the first hundred.
    heard: String,
}

/// Most words quoted for a recording without speech.
const QUOTED_WORDS_MAX: usize = 100;

/// Recognises recordings without speech and prints a JSON line for each.
///
/// # Errors
/// Audio or a model cannot be read; an empty recording is not an error.
pub(crate) fn noise(args: &NoiseArgs) -> Result<()> {
    for file in &args.files {
        let (mut hearing, model) = hearing(&args.model)?;
        let mut words = Vec::new();
        let audio_ms = listen(&mut hearing, file, &mut |heard| {
            words.extend(heard.words.into_iter().map(|word| word.text));
        })?;
        let row = NoiseRow {
            file: file.display().to_string(),
            model: &model,
            beam: args.model.beam,
            audio_ms,
            speech_ms: hearing.figures().speech_ms,
            words: words.len(),
            refused_segments: refused(&hearing),
            words_a_minute: words.len() as f64 * 60_000.0 / audio_ms.max(1) as f64,
            heard: words[..words.len().min(QUOTED_WORDS_MAX)].join(" "),
        };
        writeln!(std::io::stdout(), "{}", serde_json::to_string(&row)?)?;
    }
    Ok(())
}

/// Recognises a whole recording; returns its length in milliseconds.
fn listen(hearing: &mut Recognition, file: &Path, take: &mut dyn FnMut(Recognised)) -> Result<u64> {
    let mut source = open_file(file)?;
    let mut recogniser = hearing.source(source.spec())?;
    let mut chunk = Vec::new();
    loop {
        let last = source.read(&mut chunk)? == 0;
        if last {
            recogniser.finish();
        } else {
            recogniser.step(&chunk);
        }
        while let Some(heard) = hearing.recognise(&mut recogniser, Rest::Keep) {
            heard?.utterances.into_iter().for_each(&mut *take);
        }
        if last {
            let samples = recogniser.listener().samples_heard();
            return Ok(SampleSpan::new(0, samples).len_ms());
        }
    }
}

#[cfg(test)]
mod tests;
