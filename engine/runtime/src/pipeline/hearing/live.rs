//! Recognises a live source: the feed that reads from a capture thread.
//!
//! It segments and recognises at its own speed. If audio is recorded, marks beside the recording
//! say how far it was recognised. Audio that a killed process left unrecognised is processed first.

mod marks;

use crate::pipeline::driving::stop::{Cancelling, Stop};
use crate::pipeline::driving::worker::Worker;
use crate::pipeline::error::{LiveError, PipelineError};
use crate::pipeline::feed::{Feed, FeedFigures, FeedItem, Notice};
use crate::pipeline::hearing::capturing::Recording;
use crate::pipeline::hearing::diarized::{LabelWhen, Labels};
use crate::pipeline::hearing::live_source::{KeptUntil, LiveStage, Sound, Source};
use crate::pipeline::hearing::live_voice::LiveVoice;
use crate::pipeline::hearing::overflow::{Captured, OverflowQueue};
use crate::pipeline::hearing::preview::PreviewedStream;
use crate::pipeline::hearing::recognition::{LiveStages, Recognition};
use crate::pipeline::hearing::speech::LabelWhich;
use crate::pipeline::hearing::unsettled::Unsettled;
use crate::store::{HeardMarks, Recorded};
use crossbeam_channel::Receiver;
use parking_lot::Mutex;
use std::collections::VecDeque;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};
use weir_asr::{ListenError, Rest, SAMPLE_RATE_HZ, SampleSpan, Spoken};
use weir_core::stream::{StreamStart, Utterance};

/// Longest wait before the feed checks for other work.
const POLL_INTERVAL: Duration = Duration::from_millis(250);
/// Interval of marks while nobody speaks.
const MARK_EVERY: Duration = Duration::from_secs(1);

/// Audio waiting for recognition, per channel, above which no live text is decoded: 1 s.
const PREVIEW_LAG_SAMPLES: u64 = SAMPLE_RATE_HZ as u64;

/// The feed behind a capture thread.
pub struct LiveFeed {
    /// Has an interrupt end what is being recognised, while that can be heard later. Dropped before
    /// the models, whose own end cancels them too.
    cancelling: Option<Cancelling>,
    hearing: Recognition,
    /// The current source, and the ones after it.
    now: Source,
    later: VecDeque<Source>,
    recording: Option<Recording>,
    marks: Option<Arc<Mutex<HeardMarks>>>,
    marked: Instant,
    unsettled: Unsettled,
    /// Voices that were recognised: label and name.
    known: VecDeque<(String, String)>,
    labels: Labels,
    /// When utterances get their speakers.
    label_when: LabelWhen,
    capture: Option<Capture>,
    counted_ms: u64,
    voice: LiveVoice,
}

/// The thread that captures for a feed; dropping it ends and joins it.
pub(crate) struct Capture {
    pub(crate) worker: Option<Worker<()>>,
    pub(crate) stop: Stop,
    pub(crate) news: Receiver<Notice>,
}

impl Drop for Capture {
    fn drop(&mut self) {
        self.stop.set();
    }
}

impl LiveFeed {
    /// A feed of the audio in `capture`: `planes` channels of 16 kHz, interleaved.
    ///
    /// # Errors
    /// Too many channels to keep apart.
    pub fn new(
        hearing: Recognition,
        capture: OverflowQueue,
        planes: u16,
        start: StreamStart,
        recording: Option<Recording>,
    ) -> Result<Self, ListenError> {
        let unsettled = Unsettled {
            capture: capture.clone(),
            planes,
            open: Arc::default(),
        };
        let mut feed = Self {
            now: Source::new(&hearing, Sound::Live(capture), start, planes)?,
            later: VecDeque::new(),
            hearing,
            recording,
            marks: None,
            marked: Instant::now(),
            unsettled,
            known: VecDeque::new(),
            labels: Labels::default(),
            label_when: LabelWhen::Heard,
            capture: None,
            counted_ms: 0,
            voice: LiveVoice::default(),
            cancelling: None,
        };
        feed.track_speakers();
        Ok(feed)
    }

    /// The same for a recording: nobody waits for its words, so a window is recognised when it is
    /// full, and an utterance gets its speakers when nothing later can change them.
    pub(crate) fn unhurried(mut self) -> Result<Self, ListenError> {
        self.label_when = LabelWhen::Stable;
        self.now = self.now.unhurried(&self.hearing)?;
        self.track_speakers();
        Ok(self)
    }

    /// The same with the thread that captures the audio.
    pub(crate) fn captured_by(mut self, capture: Capture) -> Self {
        self.capture = Some(capture);
        self
    }

    /// The same for a session directory: it marks how far audio was recognised, and first processes
    /// recordings left unrecognised there. `kept` is the session's state of its open streams.
    /// Also returns notices about the recordings found.
    ///
    /// # Errors
    /// Recordings cannot be listed.
    pub(crate) fn resuming(
        mut self,
        dir: &Path,
        shared: Arc<Mutex<HeardMarks>>,
        kept: &[KeptUntil],
    ) -> Result<(Self, Vec<Notice>), LiveError> {
        let mut marks = shared.lock();
        let mut notices = Vec::new();
        let mut sources = VecDeque::new();
        for mark in marks.take_left() {
            let kept = kept.iter().find(|kept| kept.stream == mark.stream);
            let from_ms = mark.resumes_at(kept.map(|kept| kept.ms));
            let recorded = Recorded::open(dir, &mark.stream, from_ms)?;
            if recorded.left_ms() == 0 {
                marks.heard(&mark.stream)?;
                continue;
            }
            notices.push(Notice::Note(format!(
                "{}: {} s were recorded and not recognised; processing them now",
                mark.stream,
                recorded.left_ms().div_ceil(1_000)
            )));
            let start = StreamStart::new(mark.stream, mark.started_at_unix_ms);
            let source = Source::new(&self.hearing, Sound::Recorded(recorded), start, 1)?;
            sources.push_back(Source {
                from_ms,
                spoken: mark.spoken,
                said_ms: mark.said_ms.min(from_ms),
                stage: match kept {
                    Some(_) => LiveStage::Recognition,
                    None => LiveStage::Before,
                },
                ..source
            });
        }
        drop(marks);
        self.marks = Some(shared);
        self.mark(&mut notices);
        if let Some(first) = sources.pop_front() {
            sources.push_back(std::mem::replace(&mut self.now, first));
            self.later = sources;
            self.track_speakers();
        }
        Ok((self, notices))
    }

    /// Without its own source: it hears what an earlier process left; `None` if that is nothing.
    pub(crate) fn only_left(mut self) -> Result<Option<Self>, LiveError> {
        let own = self.later.pop_back();
        let own = own.as_ref().unwrap_or(&self.now).start.name.clone();
        if let Some(marks) = &self.marks {
            marks.lock().heard(&own)?;
        }
        let is_left = matches!(self.now.sound, Sound::Recorded(_));
        Ok(is_left.then_some(self))
    }

    /// The work of the threads that decode speech before it is over, once.
    pub fn live_stages(&mut self) -> Option<LiveStages> {
        self.hearing.live_stages()
    }

    /// Numbers speakers after those that the session knows.
    pub(crate) fn after_labels(mut self, labels: Labels) -> Self {
        self.labels = labels;
        self.track_speakers();
        self
    }

    /// Tells the speakers of the current source apart.
    fn track_speakers(&mut self) {
        if self.now.planes == 1 {
            let labels = self.labels.clone();
            self.now.speech.speakers = self.hearing.speakers(self.label_when, labels);
        }
    }

    fn utterance(
        &mut self,
        Spoken {
            said: heard,
            speaker,
        }: &Spoken,
    ) -> Utterance {
        let now = &mut self.now;
        let voice = speaker.and_then(|id| Some(now.speech.speakers.as_mut()?.fed(id)));
        now.spoken += 1;
        let span = now.span(heard.span);
        now.said_ms = now.said_ms.max(span.end_ms);
        let stream = &now.start.name;
        let recording = self.recording.as_ref();
        Utterance {
            id: format!("{stream}#{}", now.spoken),
            stream: stream.clone(),
            speaker: match now.planes {
                1 => voice,
                _ => Some(format!("channel {}", heard.channel + 1)),
            },
            span,
            audio: recording.and_then(|spool| spool.lock().locate(stream, span)),
            confidence: Some(heard.confidence),
            text: heard.text(),
        }
    }

    /// The next utterance of the windows that are complete.
    fn recognised(&mut self, stop: &Stop, notices: &mut Vec<Notice>) -> Option<FeedItem> {
        loop {
            self.label(notices);
            if let Some(heard) = self.now.speech.heard.pop_front() {
                let utterance = self.utterance(&heard);
                return Some(FeedItem::Heard(Box::new(utterance)));
            }
            if let Some((label, name)) = self.known.pop_front() {
                return Some(FeedItem::Recognised { label, name });
            }
            let (before, mut news) = (self.heard_mark(), Vec::new());
            let (now, rest) = (&mut self.now, Rest::Keep);
            let (stream, from_ms) = (&now.start.name, now.from_ms);
            let hearing = &mut self.hearing;
            if !now
                .speech
                .recognise(hearing, rest, stream, from_ms, &mut news)
            {
                return None;
            }
            if self.is_left(stop) {
                // the window was cancelled, and is heard again
                self.set_mark(before, notices);
                return None;
            }
            notices.append(&mut news);
            self.settle();
            self.mark(notices);
        }
    }

    /// Whether the rest is left to the next process: it is recorded.
    fn is_left(&self, stop: &Stop) -> bool {
        stop.is_interrupted() && self.is_kept()
    }

    /// Whether what is not recognised can be heard later.
    fn is_kept(&self) -> bool {
        self.marks.is_some() && self.recording.is_some()
    }

    /// Gives utterances their speakers, as far as those are known.
    fn label(&mut self, notices: &mut Vec<Notice>) {
        let now = &mut self.now;
        let (stream, from_ms) = (&now.start.name, now.from_ms);
        now.speech.label(LabelWhich::Each, stream, from_ms, notices);
        if let Some(speakers) = &mut now.speech.speakers {
            self.known.extend(self.hearing.recognised_voices(speakers));
        }
    }

    /// Takes audio in; returns whether there was none yet, or something is to be told at once.
    fn listen(&mut self, notices: &mut Vec<Notice>) -> bool {
        let now = &mut self.now;
        let taken = match &mut now.sound {
            Sound::Live(capture) => capture
                .take(POLL_INTERVAL)
                .map_err(|source| PipelineError::Backlog { source }.to_string()),
            Sound::Recorded(recorded) => recorded
                .read()
                .map(|samples| match samples.is_empty() {
                    true => Captured::Closed,
                    false => Captured::Sound(
                        samples.iter().map(|&it| f32::from(it) / 32_768.0).collect(),
                    ),
                })
                .map_err(|error| error.to_string()),
        };
        if let Sound::Live(_) = now.sound {
            let unwanted = self.hearing.unwanted().load(Ordering::Acquire);
            now.speech.recogniser.discard_before(unwanted);
        }
        match taken {
            Ok(Captured::Sound(samples)) => {
                now.speech.recogniser.step(&samples);
                now.speech.follow(&mut self.hearing, notices);
            }
            Ok(Captured::Gap { samples }) => now.gap(samples, notices),
            Ok(Captured::Nothing) => return true,
            Ok(Captured::Closed) => self.drain(notices),
            Err(failed) => {
                notices.push(Notice::Failed(failed));
                self.drain(notices);
            }
        }
        self.preview();
        let told = self.tell_voice(notices);
        let now = &mut self.now;
        let now_ms = SampleSpan::new(0, now.samples()).len_ms();
        self.hearing.count_audio_ms(now_ms - now.counted_ms);
        self.counted_ms += now_ms - now.counted_ms;
        now.counted_ms = now_ms;
        self.settle();
        let speakers = self.now.speech.speakers.as_ref();
        self.hearing.keep_voices_if_due(speakers, notices);
        if self.marked.elapsed() >= MARK_EVERY {
            self.mark(notices);
        }
        told
    }

    /// Tells where a voice begins or ends, if somebody waits for that; returns whether it did.
    fn tell_voice(&mut self, notices: &mut Vec<Notice>) -> bool {
        let now = &self.now;
        let is_waited_for = self.hearing.ends_at_pauses() && matches!(now.sound, Sound::Live(_));
        is_waited_for
            && self.voice.tell(
                &now.speech.recogniser, &now.start.name, now.from_ms, notices,
            )
    }

    /// Ends the current source.
    fn drain(&mut self, notices: &mut Vec<Notice>) {
        self.now.stage = LiveStage::Draining;
        let speech = &mut self.now.speech;
        speech.recogniser.finish();
        speech.follow(&mut self.hearing, notices);
        speech.end(&mut self.hearing, notices);
    }

    /// Shows what is being said, unless recognition lags: then that comes first.
    fn preview(&mut self) {
        let now = &self.now;
        let Sound::Live(capture) = &now.sound else {
            return;
        };
        let lag = capture.waiting() / u64::from(now.planes.max(1));
        if lag <= PREVIEW_LAG_SAMPLES {
            let stream = PreviewedStream {
                name: &now.start.name,
                from_ms: now.from_ms,
                split: now.planes > 1,
                speakers: now.speech.speakers.as_ref(),
            };
            self.hearing.offer(stream, &now.speech.recogniser);
        }
    }

    /// Publishes how much is not recognised yet.
    fn settle(&self) {
        let left_ms = match &self.now.sound {
            Sound::Live(_) => 0,
            Sound::Recorded(recorded) => recorded.left_ms(),
        };
        let open = self.now.open() + SampleSpan::from_ms(0, left_ms).len();
        self.unsettled.open.store(open, Ordering::Relaxed);
    }

    /// Passes on what the capture tells, and how it failed.
    fn take_news(&mut self, notices: &mut Vec<Notice>) {
        let Some(capture) = &mut self.capture else {
            return;
        };
        if let Some(ended) = capture.worker.take_if(|it| it.is_finished())
            && let Err(error) = ended.join()
        {
            notices.push(Notice::Failed(error.to_string()));
        }
        notices.extend(capture.news.try_iter());
    }

    /// Switches to the next source, if there is one.
    fn next_source(&mut self) -> Option<()> {
        self.now = self.later.pop_front()?;
        self.track_speakers();
        Some(())
    }
}

impl Feed for LiveFeed {
    /// Ends when the capture is closed and all its audio was recognised, not at `stop`: speech
    /// before it is processed. Audio left by an earlier process is not: it stays marked. An
    /// interrupt leaves all audio to the next process, if it is recorded.
    fn next(&mut self, stop: &Stop, notices: &mut Vec<Notice>) -> Option<FeedItem> {
        loop {
            self.take_news(notices);
            if self.is_kept() && self.cancelling.is_none() {
                self.cancelling = Some(stop.cancelling(self.hearing.cancels()));
            }
            if self.is_left(stop) {
                self.mark(notices);
                return None;
            }
            if self.now.stage == LiveStage::Before {
                self.now.stage = LiveStage::Recognition;
                self.mark(notices);
                return Some(FeedItem::Begin(self.now.start.clone()));
            }
            if let Some(item) = self.recognised(stop, notices) {
                return Some(item);
            }
            if self.is_left(stop) {
                return None;
            }
            match self.now.stage {
                LiveStage::Draining => {
                    let speakers = self.now.speech.speakers.as_ref();
                    self.hearing.keep_voices(speakers, notices);
                    self.mark(notices);
                    self.now.stage = LiveStage::Ended;
                    let stream = self.now.start.name.clone();
                    return Some(FeedItem::End {
                        stream,
                        whole: None,
                    });
                }
                LiveStage::Ended => self.next_source()?,
                LiveStage::Before | LiveStage::Recognition => {
                    if stop.is_set() && matches!(self.now.sound, Sound::Recorded(_)) {
                        self.now.stage = LiveStage::Draining;
                    } else if self.listen(notices) {
                        return Some(FeedItem::Idle);
                    }
                }
            }
        }
    }

    fn figures(&self) -> FeedFigures {
        FeedFigures {
            done: self.counted_ms,
            ..self.hearing.figures()
        }
    }

    fn stored(&mut self, stream: &str, notices: &mut Vec<Notice>) {
        let settled = self
            .marks
            .as_ref()
            .map(|it| it.lock().settle_stream(stream));
        if let Some(Err(error)) = settled {
            notices.push(Notice::Warning(error.to_string()));
        }
    }

    fn unsettled(&self) -> Option<Unsettled> {
        Some(self.unsettled.clone())
    }
}
