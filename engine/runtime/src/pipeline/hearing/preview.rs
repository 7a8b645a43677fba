//! Text while people speak: a thread that decodes open speech beside the feed.
//!
//! The feed offers copies of the open speech; at most one waits. When its segment is closed, the
//! run is cancelled. Invariants: the feed never waits for a preview, and no previewed word reaches
//! the memory.

use crate::pipeline::error::PipelineError;
use crate::pipeline::event::{Event, LiveText, LiveWord};
use crate::pipeline::feed::Notice;
use crate::pipeline::hearing::diarized::SpeakerTrack;
use crate::pipeline::hearing::early::Cancellable;
use crate::pipeline::service::messages::{Snapshot, StageEnd};
use crate::pipeline::service::subscribers::Announcer;
use parking_lot::{Condvar, Mutex};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use weir_asr::{
    GuardsConfig, OpenSpeech, Preview, Previewer, Recogniser, SAMPLE_RATE_HZ, SampleSpan, Segment,
    SettingError, Transcribe, TranscribeError, Word,
};
use weir_core::session::SpeakerNames;
use weir_core::stream::Span;

/// New speech before open speech is decoded again.
const STEP_SAMPLES: u64 = SAMPLE_RATE_HZ as u64 * 7 / 10;

/// The stream that speech belongs to.
#[derive(Clone, Copy)]
pub(crate) struct PreviewedStream<'a> {
    pub(crate) name: &'a str,
    /// Stream time at which its audio begins.
    pub(crate) from_ms: u64,
    /// Whether its channels are speakers.
    pub(crate) split: bool,
    /// Its speakers, if its channels are mixed.
    pub(crate) speakers: Option<&'a SpeakerTrack>,
}

struct Offer {
    stream: String,
    from_ms: u64,
    /// The label of the speaker, as far as it is known.
    speaker: Option<String>,
    /// Whether each channel is a speaker.
    split: bool,
    speech: Segment,
    /// Where the window begins in which it is recognised.
    window_start: u64,
}

struct State {
    waiting: Option<Offer>,
    /// The speech being decoded: its channel and start.
    running: Option<(u16, u64)>,
    /// Time before which no further speech is wanted.
    rests_until: Instant,
    closed: bool,
}

/// Where the feed leaves speech for the thread.
struct Slot {
    state: Mutex<State>,
    filled: Condvar,
    cancel: Arc<AtomicBool>,
}

/// The feed's end.
pub(crate) struct Previews {
    slot: Arc<Slot>,
    /// Until a pipeline takes it.
    stage: Option<PreviewStage>,
    /// The speech offered last: channel, start and end.
    offered: (u16, u64, u64),
}

impl Previews {
    /// Decodes with this model; its words must pass the guards.
    pub(crate) fn new(fast: Cancellable, guards: GuardsConfig) -> Result<Self, SettingError> {
        let state = State {
            waiting: None,
            running: None,
            rests_until: Instant::now(),
            closed: false,
        };
        let slot = Arc::new(Slot {
            state: Mutex::new(state),
            filled: Condvar::new(),
            cancel: fast.cancel,
        });
        Ok(Self {
            stage: Some(PreviewStage {
                slot: Arc::clone(&slot),
                previewer: Previewer::new(fast.model, guards)?,
            }),
            slot,
            offered: (0, 0, 0),
        })
    }

    /// The stage that decodes; `None` the second time.
    pub(crate) fn stage(&mut self) -> Option<PreviewStage> {
        self.stage.take()
    }

    /// Offers the open speech of a source, if it has grown and the thread is idle. Cancels the run
    /// of speech that is no longer open, or is being recognised as a whole.
    pub(crate) fn offer(&mut self, stream: PreviewedStream<'_>, source: &Recogniser) {
        if self.stage.is_some() {
            return; // nobody decodes
        }
        let mut state = self.slot.state.lock();
        let open = || {
            let open = source.listener().open_speech();
            open.filter(|it| !it.is_closing())
        };
        let is_open = |at: (u16, u64)| open().any(|it| (it.channel, it.span.start) == at);
        if state.running.is_some_and(|at| !is_open(at)) {
            self.slot.cancel.store(true, Ordering::Relaxed);
        }
        if state.running.is_some() || Instant::now() < state.rests_until {
            return;
        }
        let grown = |speech: &OpenSpeech<'_>| {
            let (channel, start, end) = self.offered;
            let is_same = (speech.channel, speech.span.start) == (channel, start);
            let known = if is_same { end } else { speech.span.start };
            speech.voice_end.saturating_sub(known)
        };
        let Some(speech) = open().max_by_key(grown) else {
            return;
        };
        if grown(&speech) >= STEP_SAMPLES {
            self.offered = (speech.channel, speech.span.start, speech.span.end);
            state.waiting = Some(Offer {
                stream: stream.name.to_owned(),
                from_ms: stream.from_ms,
                split: stream.split,
                speaker: match stream.split {
                    true => Some(format!("channel {}", speech.channel + 1)),
                    false => stream
                        .speakers
                        .and_then(|it| it.speaking(speech.span.start)),
                },
                speech: Segment {
                    language: source.language(),
                    ..speech.to_segment()
                },
                window_start: source.forming_start().unwrap_or(speech.span.start),
            });
            self.slot.filled.notify_one();
        }
    }
}

impl Drop for Previews {
    fn drop(&mut self) {
        self.slot.state.lock().closed = true;
        self.slot.cancel.store(true, Ordering::Relaxed);
        self.slot.filled.notify_one();
    }
}

/// The thread's end. It ends with its feed.
pub(crate) struct PreviewStage {
    slot: Arc<Slot>,
    previewer: Previewer<Box<dyn Transcribe>>,
}

impl PreviewStage {
    /// Decodes until the feed ends; names of speakers are those of the newest snapshot.
    pub(crate) fn run(
        mut self,
        announcer: &Announcer,
        snapshot: &Snapshot,
    ) -> Result<StageEnd, PipelineError> {
        let mut has_failed = false;
        while let Some(offer) = self.take() {
            if has_failed {
                continue; // until the feed ends
            }
            let began = Instant::now();
            let preview = self.previewer.preview(&offer.speech, offer.window_start);
            self.rest(began.elapsed());
            match preview {
                Ok(None) | Err(TranscribeError::Cancelled { .. }) => {}
                Ok(Some(preview)) => {
                    let session = Arc::clone(&snapshot.read());
                    let names = session.speaker_names();
                    let text = live_text(&offer, &preview, names);
                    announcer.tell(Event::Live(Box::new(text)));
                }
                Err(error) => {
                    let why = format!("{error}; text appears only when somebody pauses");
                    announcer.tell(Event::Notice(Notice::Warning(why)));
                    has_failed = true;
                }
            }
        }
        Ok(StageEnd::Nothing)
    }

    /// Waits for speech; `None` when the feed has ended.
    fn take(&self) -> Option<Offer> {
        let mut state = self.slot.state.lock();
        loop {
            if state.closed {
                return None;
            }
            if let Some(offer) = state.waiting.take() {
                state.running = Some((offer.speech.channel, offer.speech.span.start));
                self.slot.cancel.store(false, Ordering::Relaxed);
                return Some(offer);
            }
            self.slot.filled.wait(&mut state);
        }
    }

    /// Rests as long as the run took: previews use half of one core at most.
    fn rest(&self, took: Duration) {
        let mut state = self.slot.state.lock();
        state.running = None;
        state.rests_until = Instant::now() + took;
    }
}

fn live_text(offer: &Offer, preview: &Preview, names: &SpeakerNames) -> LiveText {
    let span =
        |it: SampleSpan| Span::new(offer.from_ms + it.start_ms(), offer.from_ms + it.end_ms());
    let word = |word: &Word| LiveWord {
        text: word.text.clone(),
        span: span(word.span),
    };
    LiveText {
        stream: offer.stream.clone(),
        speaker: offer
            .speaker
            .as_deref()
            .map(|it| names.current(it).to_owned()),
        channel: offer.split.then_some(preview.channel + 1),
        span: span(preview.span),
        committed: preview.committed.iter().map(word).collect(),
        fresh: preview.fresh,
        tentative: preview.tentative.iter().map(word).collect(),
    }
}
