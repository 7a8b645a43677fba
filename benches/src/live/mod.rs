//! Live text and live memory: how long after a word is spoken it is shown, committed, answerable.
//!
//! Recordings are played to the pipeline that ships at real pace, as a microphone would, one after
//! another. A word counts as spoken at its end as the model aligns it; where no preview holds the
//! word, its time is interpolated within its utterance.

mod paced;
mod words;

use crate::options::{SpeechArgs, VoiceArgs};
use crate::process::Started;
use crate::timing::Times;
use anyhow::{Context as _, Result, bail};
use paced::Paced;
use serde_json::{Value, json};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;
use weir_asr::{Channels, WhisperConfig, WhisperModel, open_file};
use weir_core::config::{EncoderProfile, SessionConfig};
use weir_core::session::{EncoderStamp, Session};
use weir_core::stream::StreamStart;
use weir_engine::pipeline::{
    Cancellable, CaptureLimits, CaptureParts, Event, Level, LiveFeed, LiveModels, Notice,
    OverflowQueue, Pipeline, PipelineParts, SessionWriter, SourceKind, Stop, capture,
};
use weir_models::{CountTokens, Encode, WordHashEncoder, WordPieceCounter};
use words::{Counts, Shown, counts};

#[derive(clap::Args)]
pub(crate) struct LiveArgs {
    /// Recordings, played one after another at real pace
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Without live text, to compare the processor's time
    #[arg(long)]
    no_live_text: bool,
    #[command(flatten)]
    model: SpeechArgs,
    #[command(flatten)]
    voices: VoiceArgs,
}

/// How recordings are heard.
pub(crate) struct Ears<'a> {
    pub(crate) model: &'a WhisperModel,
    pub(crate) args: &'a SpeechArgs,
    pub(crate) voices: &'a VoiceArgs,
    /// Whether words are shown while they are spoken.
    pub(crate) is_live: bool,
}

/// Plays recordings and prints one JSON line for each, and one for all.
pub(crate) fn run(args: &LiveArgs) -> Result<()> {
    let model = args.model.load()?;
    let ears = Ears {
        model: &model,
        args: &args.model,
        voices: &args.voices,
        is_live: !args.no_live_text,
    };
    let mut all = Totals::default();
    let mut out = std::io::stdout();
    for file in &args.files {
        let mut one = Totals::default();
        one.add(&all.play(file, &ears)?);
        let name = file.display().to_string();
        writeln!(out, "{}", one.row(&name, model.name()))?;
    }
    if args.files.len() > 1 {
        writeln!(out, "{}", all.row("all", model.name()))?;
    }
    Ok(())
}

/// A recording that was played at real pace.
pub(crate) struct Played {
    shown: Shown,
    audio_ms: u64,
    cpu_ms: f64,
}

/// What was measured of recordings.
#[derive(Default)]
pub(crate) struct Totals {
    pub(crate) counts: Counts,
    pub(crate) audio_ms: u64,
    cpu_ms: f64,
}

impl Totals {
    /// Plays a recording at real pace and adds what was measured.
    pub(crate) fn play(&mut self, file: &Path, ears: &Ears<'_>) -> Result<Played> {
        let started = Started::now();
        let played = play(file, ears).with_context(|| file.display().to_string());
        let (shown, audio_ms) = played?;
        let cpu_ms = started.cpu_ms().unwrap_or(0.0);
        let played = Played {
            shown,
            audio_ms,
            cpu_ms,
        };
        self.add(&played);
        Ok(played)
    }

    fn add(&mut self, played: &Played) {
        self.audio_ms += played.audio_ms;
        self.cpu_ms += played.cpu_ms;
        counts(&played.shown, &mut self.counts);
    }

    /// Processor time of all threads as a share of the audio's length, if the system gives it.
    pub(crate) fn cpu(&self) -> Option<f64> {
        (self.cpu_ms > 0.0).then(|| self.cpu_ms / self.audio_ms.max(1) as f64)
    }

    /// Results of a file, or of all of them. Times in milliseconds.
    fn row(&mut self, file: &str, model: &str) -> Value {
        let cpu = self.cpu();
        let counts = &mut self.counts;
        let ms = |times: &mut Times, percent| times.percentile(percent) / 1e3;
        json!({
            "file": file,
            "model": model,
            "audio_ms": self.audio_ms,
            "words": counts.shown.count(),
            "utterances": counts.answerable.count() + counts.inside.count(),
            // from the end of a word to its first appearance
            "shown_ms_p50": ms(&mut counts.shown, 50),
            "shown_ms_p95": ms(&mut counts.shown, 95),
            // from its end to the moment from which it stays, in a preview or an utterance
            "committed_ms_p50": ms(&mut counts.committed, 50),
            "committed_ms_p95": ms(&mut counts.committed, 95),
            // from the end of an utterance that ends in a pause to the moment it is in memory
            "answerable_ms_p50": ms(&mut counts.answerable, 50),
            "answerable_ms_p95": ms(&mut counts.answerable, 95),
            // the same where somebody goes on at once: these wait for a pause
            "inside_utterances": counts.inside.count(),
            "inside_ms_p50": ms(&mut counts.inside, 50),
            "inside_ms_p95": ms(&mut counts.inside, 95),
            // words committed before their utterance ended
            "committed_words": counts.committed_words,
            // how many of these the utterance has otherwise, or not at all
            "changed_words": counts.changed_words,
            "cpu": cpu,
        })
    }
}

/// Plays one recording to the end of its last utterance.
fn play(file: &Path, ears: &Ears<'_>) -> Result<(Shown, u64)> {
    let mut hearing = ears.args.hearing(ears.model)?;
    if let Some(voices) = ears.voices.load()? {
        hearing = hearing.with_voices(voices);
    }
    if ears.is_live {
        let config = ears.args.config();
        hearing = hearing.with_live_models(LiveModels {
            early: cancellable(ears.model, &config)?,
            preview: cancellable(ears.model, &config.clone().preview())?,
        })?;
    }
    let source = Paced::new(open_file(file)?);
    let began = Arc::clone(&source.began);
    let queue = OverflowQueue::new(&std::env::temp_dir(), CaptureLimits::default());
    let start = StreamStart::new("live", None);
    let stop = Stop::default();
    let (notices, news) = crossbeam_channel::unbounded();
    let (capturing, planes) = capture(CaptureParts {
        source: Box::new(source),
        kind: SourceKind::Live,
        channels: Channels::Mix,
        stream: start.name.clone(),
        recording: None,
        capture: queue.clone(),
        level: Level::default(),
        stop: stop.clone(),
        notices,
    })?;
    let mut feed = LiveFeed::new(hearing, queue, planes, start, None)?;
    let parts = PipelineParts {
        live: feed.live_stages(),
        ..parts()?
    };
    let pipeline = Pipeline::start(parts, Box::new(feed), stop)?;
    let mut shown = Shown::default();
    for event in &pipeline.events() {
        if matches!(event, Event::StageEnded(_)) {
            break;
        }
        shown.take(event, &began);
    }
    let finished = pipeline.finish(&mut |event| shown.take(event, &began))?;
    capturing.join()?;
    news.try_iter().for_each(|notice| shown.notice(notice));
    if let Some(problem) = shown.problem {
        bail!("{problem:?}");
    }
    Ok((shown, finished.figures.audio_ms))
}

fn cancellable(model: &WhisperModel, config: &WhisperConfig) -> Result<Cancellable> {
    let (transcriber, cancel) = model.cancellable(config)?;
    let model = Box::new(transcriber);
    Ok(Cancellable { model, cancel })
}

impl Shown {
    /// Keeps what makes the figures wrong.
    fn notice(&mut self, notice: Notice) {
        let is_fine = matches!(
            notice,
            Notice::Note(_) | Notice::Unheard(_) | Notice::Turn(_) | Notice::Language { .. }
        );
        if !is_fine {
            self.problem.get_or_insert(notice);
        }
    }

    fn take(&mut self, event: Event, began: &paced::Began) {
        let now = Instant::now();
        let Some(began) = began.get() else { return };
        let at_s = now.duration_since(*began).as_secs_f64();
        match event {
            Event::Live(live) => self.live.push((at_s, *live)),
            Event::Heard(heard) => self.heard.push((at_s, *heard)),
            Event::Notice(notice) => self.notice(notice),
            _ => {}
        }
    }
}

/// A memory without files, with word vectors.
fn parts() -> Result<PipelineParts> {
    let encoder: Arc<dyn Encode> = Arc::new(WordHashEncoder::new());
    let counter: Arc<dyn CountTokens> = Arc::new(WordPieceCounter::shared());
    let config = SessionConfig {
        profile: EncoderProfile::word_hash(),
        ..SessionConfig::default()
    };
    let stamp = EncoderStamp::of(encoder.as_ref());
    let session = Session::new(config, stamp, Arc::clone(&counter))?;
    let writer = SessionWriter::in_memory(session);
    Ok(PipelineParts::plain(writer, encoder, counter))
}
