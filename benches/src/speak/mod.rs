//! Speaks a stream of text: the same stream with a recording, and the text as its reference.
//!
//! The recording's time is the stream's. Output is byte-identical for the same stream, options and
//! programs: no clock is read, and all random values come from the seed.

mod mix;
mod tts;
mod voice;
pub(crate) mod words;

use crate::convert::{apart, file_name};
use crate::stream::{Item, Stream, Turn, TurnAudio};
use anyhow::{Context, Result, bail, ensure};
use mix::{Mixer, levelled};
use std::collections::HashSet;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use voice::{Cast, Voice, Voices};
use weir_core::stream::Span;
use weir_fixtures::Rng;
use words::{Pronunciations, TimedTurn, TimedWord};

const SAMPLES_A_MS: u64 = 16;
/// Silence inside a turn's span before and after the voice.
const LEAD_MS: u64 = 150;
const TAIL_MS: u64 = 220;
/// Silence between the pieces of a long turn.
const PIECE_PAUSE_MS: u64 = 300;
/// Longest overlap of two speakers.
const OVERLAP_MS_MAX: u64 = 1_500;
const OVERLAP_MS_MIN: u64 = 200;
/// Shortest distance from the end of all turns to the start of an overlapping turn.
const REACH_MS: u64 = LEAD_MS + TAIL_MS + OVERLAP_MS_MAX;

/// The command line of `speak`.
#[derive(clap::Args)]
pub(crate) struct SpeakArgs {
    /// A stream file with text
    stream: PathBuf,
    /// Output folder for NAME.stream.jsonl, NAME.wav and NAME.words.jsonl
    #[arg(long)]
    out: PathBuf,
    /// Voices to use; flite also gives the times of words
    #[arg(long, default_value = "both")]
    voices: Voices,
    /// Another synthesiser, run without a shell: `{voice}` is the speaker's number from 0,
    /// `{text_file}` contains the words, `{out}` is the recording to write
    #[arg(long, value_name = "CMD")]
    tts: Option<String>,
    /// Pause between turns in milliseconds, drawn from this range
    #[arg(long, value_name = "A..B", default_value = "200..700", value_parser = pauses)]
    pause_ms: (u32, u32),
    /// Share of turns that begin before the previous speaker ends, 0 to 1
    #[arg(long, default_value_t = 0.0, value_parser = share)]
    overlap: f64,
    /// Level of pink noise in decibels below the speech, -20 to 49 [default: a quiet room]
    #[arg(long, value_name = "X", allow_negative_numbers = true, value_parser = snr)]
    noise_snr_db: Option<f64>,
    /// Seed of voices, pauses, overlaps and noise
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Number of turns; questions about them are kept [default: all]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..))]
    limit_turns: Option<u32>,
}

fn pauses(text: &str) -> Result<(u32, u32)> {
    let expected = "expected A..B in milliseconds, A at most B, both up to 60000";
    let (low, high) = text.split_once("..").context(expected)?;
    let (low, high): (u32, u32) = (low.parse()?, high.parse()?);
    ensure!(low <= high && high <= 60_000, expected);
    Ok((low, high))
}

fn share(text: &str) -> Result<f64> {
    let share: f64 = text.parse()?;
    ensure!((0.0..=1.0).contains(&share), "expected 0 to 1");
    Ok(share)
}

fn snr(text: &str) -> Result<f64> {
    let db: f64 = text.parse()?;
    ensure!((-20.0..=49.0).contains(&db), "expected -20 to 49");
    Ok(db)
}

/// Speaks a stream into a folder; progress goes to stderr.
///
/// # Errors
/// The stream has no text, a program is missing or fails, or a folder cannot be written.
pub(crate) fn run(args: &SpeakArgs) -> Result<()> {
    let stream = Stream::read(&args.stream)?;
    let mut stream = limited(stream, args.limit_turns);
    let name = file_name(&stream.name);
    std::fs::create_dir_all(&args.out)
        .with_context(|| format!("{} cannot be made", args.out.display()))?;
    let at = |end: &str| args.out.join(format!("{name}.{end}"));
    apart(&args.stream, &at("stream.jsonl"))?;
    // files are made in a temporary folder and moved when complete
    let work = tempfile::tempdir_in(&args.out)?;
    let mut booth = Booth::new(args, work.path())?;
    let total = stream.turns().count();
    let mut done = 0;
    for item in &mut stream.items {
        match item {
            Item::Turn(turn) => {
                let spoken = booth.say(turn, &format!("{name}.wav"));
                *turn = spoken.with_context(|| format!("turn `{}`", turn.id))?;
                done += 1;
                if done % 50 == 0 || done == total {
                    let minutes = booth.end_ms / 60_000;
                    let mut err = std::io::stderr();
                    writeln!(err, "{name}: {done} of {total} turns, {minutes} min")?;
                }
            }
            // no overlap across a pause
            Item::Break { .. } => booth.last = None,
            Item::Probe(_) => {}
        }
    }
    let (silent, has_words) = booth.finish()?;
    if silent > 0 {
        writeln!(
            std::io::stderr(),
            "{name}: nothing was said in {silent} turns"
        )?;
    }
    std::fs::rename(work.path().join(WAV), at("wav"))?;
    let words = work.path().join(WORDS);
    if has_words {
        std::fs::rename(words, at("words.jsonl"))?;
    } else if at("words.jsonl").exists() {
        std::fs::remove_file(at("words.jsonl"))?;
    }
    stream.save(&at("stream.jsonl"))
}

/// The first turns, with the questions that are only about them.
fn limited(stream: Stream, limit: Option<u32>) -> Stream {
    let Some(limit) = limit else { return stream };
    let (mut kept, mut cut) = (HashSet::new(), false);
    let mut items = Vec::new();
    for item in stream.items {
        let keep = match &item {
            Item::Turn(turn) => {
                cut |= kept.len() == limit as usize;
                !cut && kept.insert(turn.id.clone())
            }
            Item::Break { .. } => !cut,
            Item::Probe(probe) => {
                let evidence = &probe.gold.evidence;
                let proved = !evidence.is_empty() && evidence.iter().all(|id| kept.contains(id));
                !cut || proved
            }
        };
        if keep {
            items.push(item);
        }
    }
    Stream { items, ..stream }
}

const WAV: &str = "mix.wav";
const WORDS: &str = "words.jsonl";

/// State of speaking turns.
struct Booth<'a> {
    args: &'a SpeakArgs,
    folder: &'a Path,
    cast: Cast,
    rng: Rng,
    mixer: Mixer,
    words: BufWriter<File>,
    known: Pronunciations,
    timed_turns: usize,
    silent: usize,
    /// The latest end of any turn so far.
    end_ms: u64,
    /// Speaker and span of the previous turn, if the next may overlap it.
    last: Option<(Option<String>, Span)>,
}

impl<'a> Booth<'a> {
    fn new(args: &'a SpeakArgs, folder: &'a Path) -> Result<Self> {
        let kinds = args.tts.is_none().then_some(args.voices);
        let mut rng = Rng::new(args.seed);
        let noise = rng.next_u64();
        Ok(Self {
            args,
            folder,
            cast: Cast::new(kinds, args.seed),
            rng,
            mixer: Mixer::create(&folder.join(WAV), args.noise_snr_db, noise)?,
            words: BufWriter::new(File::create(folder.join(WORDS))?),
            known: Pronunciations::default(),
            timed_turns: 0,
            silent: 0,
            end_ms: 0,
            last: None,
        })
    }

    /// Speaks one turn into the recording; returns the turn with its position.
    fn say(&mut self, turn: &Turn, wav: &str) -> Result<Turn> {
        if turn.text.trim().is_empty() {
            bail!("has no text to speak");
        }
        let voice = self.cast.of(turn.speaker.as_deref())?;
        let (mut start_ms, mut at_ms) = (None, 0);
        let mut words = Vec::new();
        let mut heard = false;
        for piece in tts::pieces(&turn.text) {
            let speech = tts::speak(&piece, &voice, self.args.tts.as_deref(), self.folder)?;
            let long_ms = (speech.samples.len() as u64).div_ceil(SAMPLES_A_MS);
            heard |= long_ms > 0;
            match start_ms {
                None => {
                    let start = self.place(turn, LEAD_MS + long_ms + TAIL_MS);
                    start_ms = Some(start);
                    at_ms = start + LEAD_MS;
                }
                Some(_) => at_ms += PIECE_PAUSE_MS,
            }
            if let Voice::Flite { .. } = voice {
                words.extend(self.timed(&piece, &voice, &speech, at_ms)?);
            }
            self.mixer
                .add(at_ms * SAMPLES_A_MS, &levelled(speech.samples))?;
            at_ms += long_ms;
            self.mixer
                .settle(at_ms.saturating_sub(REACH_MS) * SAMPLES_A_MS)?;
        }
        self.silent += usize::from(!heard);
        let start_ms = start_ms.context("has no words")?;
        let span = Span::new(start_ms, at_ms + TAIL_MS);
        self.end_ms = self.end_ms.max(span.end_ms);
        self.last = Some((turn.speaker.clone(), span));
        self.tell(&turn.id, words)?;
        Ok(Turn {
            span,
            audio: Some(TurnAudio {
                named: wav.to_owned(),
                start_ms,
            }),
            ..turn.clone()
        })
    }

    /// Start of a turn of that length: after a pause, or inside the previous turn.
    fn place(&mut self, turn: &Turn, long_ms: u64) -> u64 {
        let (low, high) = self.args.pause_ms;
        let pause_ms = self.rng.range(f64::from(low), f64::from(high) + 1.0) as u64;
        let (overlaps, depth) = (self.rng.chance(self.args.overlap), self.rng.unit());
        let after_ms = self.end_ms + pause_ms;
        match &self.last {
            Some((speaker, span)) if overlaps && *speaker != turn.speaker => {
                let shorter_ms = (span.end_ms - span.start_ms).min(long_ms);
                let most_ms = (shorter_ms / 2).clamp(OVERLAP_MS_MIN, OVERLAP_MS_MAX);
                let over_ms = OVERLAP_MS_MIN as f64 + depth * (most_ms - OVERLAP_MS_MIN) as f64;
                // the silence at the ends of both is not speech
                let earliest_ms = self.end_ms.saturating_sub(REACH_MS).max(span.start_ms);
                let start_ms = span
                    .end_ms
                    .saturating_sub(over_ms as u64 + LEAD_MS + TAIL_MS);
                start_ms.max(earliest_ms)
            }
            _ if self.end_ms == 0 => 0,
            _ => after_ms,
        }
    }

    /// The words of one piece, in milliseconds of the recording.
    fn timed(
        &mut self,
        piece: &str,
        voice: &Voice,
        speech: &tts::Speech,
        at_ms: u64,
    ) -> Result<Vec<TimedWord>> {
        let words = tts::flite_words(piece, voice, self.folder)?;
        let ms_of = |samples: usize| samples as f64 / SAMPLES_A_MS as f64;
        let (phones, known) = (&speech.printed, &mut self.known);
        let whole_s = ms_of(speech.whole) / 1_000.0;
        let found = words::timed(phones, &words, whole_s, known, &tts::flite_phones)?;
        let trimmed_ms = ms_of(speech.trimmed);
        let ms = |s: f64| (at_ms as f64 + s * 1_000.0 - trimmed_ms).round().max(0.0) as u64;
        let timed = found.into_iter().map(|(word, start_s, end_s)| TimedWord {
            word,
            start_ms: ms(start_s),
            end_ms: ms(end_s),
        });
        Ok(timed.collect())
    }

    fn tell(&mut self, id: &str, words: Vec<TimedWord>) -> Result<()> {
        if words.is_empty() {
            return Ok(());
        }
        self.timed_turns += 1;
        let turn = TimedTurn {
            utterance: id.to_owned(),
            words,
        };
        serde_json::to_writer(&mut self.words, &turn)?;
        self.words.write_all(b"\n")?;
        Ok(())
    }

    /// Finishes the files; returns the number of silent turns, and whether any has word times.
    fn finish(mut self) -> Result<(usize, bool)> {
        self.words.flush()?;
        self.mixer.finish(self.end_ms * SAMPLES_A_MS)?;
        Ok((self.silent, self.timed_turns > 0))
    }
}

#[cfg(test)]
mod tests;
