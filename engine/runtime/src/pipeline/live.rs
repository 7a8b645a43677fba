//! Recognises a live source: the feed behind a capture thread.
//!
//! It segments and recognises at its own speed. If audio is recorded, marks beside the recording
//! say how far it was recognised. Audio that a killed process left unrecognised is processed first.

use super::capturing::Recording;
use super::error::PipelineError;
use super::feed::{Feed, FeedFigures, FeedItem, Notice, Unheard};
use super::overflow::{Captured, OverflowQueue};
use super::preview::PreviewedStream;
use super::recognition::{LiveStages, Recognition};
use super::stop::Stop;
use super::unsettled::Unsettled;
use crate::store::{HeardMark, HeardMarks, Recorded, StoreError};
use std::collections::VecDeque;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};
use weir_asr::{ListenError, Recognised, Recogniser, Rest, SAMPLE_RATE_HZ, SampleSpan, SourceSpec};
use weir_core::stream::{Span, StreamStart, Utterance};

/// Longest wait before the feed checks for other work.
const POLL_INTERVAL: Duration = Duration::from_millis(250);
/// Interval of marks while nobody speaks.
const MARK_EVERY: Duration = Duration::from_secs(1);

/// Audio waiting for recognition, per channel, above which no live text is decoded: 1 s.
const PREVIEW_LAG_SAMPLES: u64 = SAMPLE_RATE_HZ as u64;

/// The feed behind a capture thread.
pub struct LiveFeed {
    hearing: Recognition,
    /// The current source, and the ones after it.
    now: Source,
    later: VecDeque<Source>,
    recording: Option<Recording>,
    marks: Option<HeardMarks>,
    marked: Instant,
    unsettled: Unsettled,
    /// Recognised but not yet fed.
    heard: VecDeque<Recognised>,
    counted_ms: u64,
}

/// One stream being recognised.
struct Source {
    sound: Sound,
    start: StreamStart,
    /// Number of channels of the interleaved samples.
    planes: u16,
    recogniser: Recogniser,
    /// Stream time at which its audio begins.
    from_ms: u64,
    stage: LiveStage,
    /// Number of utterances so far, and the end of the last one.
    spoken: u64,
    said_ms: u64,
    counted_ms: u64,
}

enum Sound {
    Live(OverflowQueue),
    Recorded(Recorded),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LiveStage {
    Before,
    Recognition,
    Draining,
    Ended,
}

impl Source {
    fn new(
        hearing: &Recognition,
        sound: Sound,
        start: StreamStart,
        planes: u16,
    ) -> Result<Self, ListenError> {
        let recogniser = hearing.live_source(&SourceSpec {
            name: start.name.clone(),
            format: "live".to_owned(),
            rate_hz: SAMPLE_RATE_HZ,
            channels: planes,
            frames: None,
        })?;
        Ok(Self {
            sound,
            start,
            planes,
            recogniser,
            from_ms: 0,
            stage: LiveStage::Before,
            spoken: 0,
            said_ms: 0,
            counted_ms: 0,
        })
    }

    fn span(&self, span: SampleSpan) -> Span {
        Span::new(self.from_ms + span.start_ms(), self.from_ms + span.end_ms())
    }

    /// Samples per channel after the start of the first waiting segment, or after the settled part.
    fn open(&self) -> u64 {
        let listener = self.recogniser.listener();
        let settled = match self.stage {
            LiveStage::Before | LiveStage::Recognition => listener.settled(),
            LiveStage::Draining | LiveStage::Ended => listener.samples_heard(),
        };
        let waiting = self.recogniser.waiting();
        let first = waiting.map(|segment| segment.span.start).min();
        listener.samples_heard() - first.unwrap_or(settled).min(settled)
    }

    /// Samples per channel taken in so far.
    fn samples(&self) -> u64 {
        self.recogniser.listener().samples_heard()
    }
}

/// The session's state of its running stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptUntil {
    /// Its name.
    pub stream: String,
    /// End of its last stored utterance, in stream time.
    pub ms: u64,
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
        Ok(Self {
            now: Source::new(&hearing, Sound::Live(capture), start, planes)?,
            later: VecDeque::new(),
            hearing,
            recording,
            marks: None,
            marked: Instant::now(),
            unsettled,
            heard: VecDeque::new(),
            counted_ms: 0,
        })
    }

    /// The same for a session directory: it marks how far audio was recognised, and first processes
    /// recordings left unrecognised there. `kept` is the session's state of its running stream.
    /// Also returns notices about the recordings found.
    ///
    /// # Errors
    /// Recordings cannot be listed.
    pub fn resuming(
        mut self,
        dir: &Path,
        kept: Option<&KeptUntil>,
    ) -> Result<(Self, Vec<Notice>), ResumeError> {
        let mut marks = HeardMarks::open(dir);
        let mut notices = Vec::new();
        let mut sources = VecDeque::new();
        for mark in marks.marks().to_vec() {
            let kept = kept.filter(|kept| kept.stream == mark.stream);
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
            let start = StreamStart {
                name: mark.stream,
                started_at_unix_ms: mark.started_at_unix_ms,
            };
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
        self.marks = Some(marks);
        self.mark(&mut notices);
        if let Some(first) = sources.pop_front() {
            sources.push_back(std::mem::replace(&mut self.now, first));
            self.later = sources;
        }
        Ok((self, notices))
    }

    /// The work of the threads that decode speech before it is over, once.
    pub fn live_stages(&mut self) -> Option<LiveStages> {
        self.hearing.live_stages()
    }

    fn utterance(&mut self, heard: &Recognised) -> Utterance {
        let now = &mut self.now;
        now.spoken += 1;
        let span = now.span(heard.span);
        now.said_ms = now.said_ms.max(span.end_ms);
        let stream = &now.start.name;
        let recording = self.recording.as_ref();
        Utterance {
            id: format!("{stream}#{}", now.spoken),
            stream: stream.clone(),
            speaker: (now.planes > 1).then(|| format!("channel {}", heard.channel + 1)),
            span,
            audio: recording.and_then(|spool| spool.lock().locate(stream, span)),
            confidence: Some(heard.confidence),
            text: heard.text(),
        }
    }

    /// The next utterance of the finished segments. If recognition lags, waiting segments are
    /// recognised together.
    fn recognised(&mut self, notices: &mut Vec<Notice>) -> Option<FeedItem> {
        loop {
            if let Some(heard) = self.heard.pop_front() {
                let utterance = self.utterance(&heard);
                return Some(FeedItem::Heard(Box::new(utterance)));
            }
            // recognise waiting segments together, however short
            let now = &mut self.now.recogniser;
            match self.hearing.recognise(now, Rest::Give)? {
                Ok(heard) => {
                    let (stream, from_ms) = (&self.now.start.name, self.now.from_ms);
                    let unheard = |it| Notice::Unheard(Unheard::of(stream, it).later_by(from_ms));
                    notices.extend(heard.refused.into_iter().map(unheard));
                    self.heard.extend(heard.utterances);
                }
                Err(error) => notices.push(Notice::Warning(error.to_string())),
            }
            self.settle();
            self.mark(notices);
        }
    }

    /// Takes audio in; returns whether there was none yet.
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
        match taken {
            Ok(Captured::Sound(samples)) => now.recogniser.step(&samples),
            Ok(Captured::Gap { samples }) => now.gap(samples, notices),
            Ok(Captured::Nothing) => return true,
            Ok(Captured::Closed) => {
                now.recogniser.finish();
                now.stage = LiveStage::Draining;
            }
            Err(failed) => {
                notices.push(Notice::Failed(failed));
                now.recogniser.finish();
                now.stage = LiveStage::Draining;
            }
        }
        self.preview();
        let now = &mut self.now;
        let now_ms = SampleSpan::new(0, now.samples()).len_ms();
        self.hearing.count_audio_ms(now_ms - now.counted_ms);
        self.counted_ms += now_ms - now.counted_ms;
        now.counted_ms = now_ms;
        self.settle();
        if self.marked.elapsed() >= MARK_EVERY {
            self.mark(notices);
        }
        false
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
            };
            self.hearing.offer(stream, &now.recogniser);
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

    /// Marks how far audio was recognised; utterances waiting here count as fed.
    fn mark(&mut self, notices: &mut Vec<Notice>) {
        let Some(marks) = &mut self.marks else {
            return;
        };
        self.marked = Instant::now();
        let now = &self.now;
        if matches!(now.sound, Sound::Live(_)) && self.recording.is_none() {
            return;
        }
        let settled = now.samples() - now.open();
        let ends = self.heard.iter().map(|heard| now.span(heard.span).end_ms);
        let mark = HeardMark {
            stream: now.start.name.clone(),
            started_at_unix_ms: now.start.started_at_unix_ms,
            heard_ms: now.from_ms + SampleSpan::new(0, settled).len_ms(),
            said_ms: ends.fold(now.said_ms, u64::max),
            spoken: now.spoken + self.heard.len() as u64,
        };
        match marks.set(mark) {
            Ok(None) => {}
            Ok(Some(gone)) => notices.push(Notice::Warning(format!(
                "{}: its unrecognised recording will not be processed: too many streams were \
                 interrupted",
                gone.stream
            ))),
            Err(error) => {
                self.marks = None;
                notices.push(Notice::Warning(format!(
                    "{error}; if this process is killed, its unrecognised audio is not processed"
                )));
            }
        }
    }

    /// Switches to the next source, if there is one.
    fn next_source(&mut self) -> Option<()> {
        self.now = self.later.pop_front()?;
        Some(())
    }
}

impl Source {
    /// Inserts silence for lost audio, so that times stay exact.
    fn gap(&mut self, samples: u64, notices: &mut Vec<Notice>) {
        let planes = self.planes.max(1);
        let frames = samples / u64::from(planes);
        notices.push(Notice::Gap {
            stream: self.start.name.clone(),
            at_ms: self.from_ms + SampleSpan::new(0, self.samples()).len_ms(),
            lost_ms: SampleSpan::new(0, frames).len_ms(),
        });
        let silence = vec![0.0; usize::from(planes) * SAMPLE_RATE_HZ as usize];
        let mut left = samples;
        while left > 0 {
            let piece = left.min(silence.len() as u64);
            self.recogniser.step(&silence[..piece as usize]);
            left -= piece;
        }
    }
}

impl Feed for LiveFeed {
    /// Ends when the capture is closed and all its audio was recognised, not at `stop`: speech
    /// before Ctrl-C is processed. Audio left by an earlier process is not: it stays marked.
    fn next(&mut self, stop: &Stop, notices: &mut Vec<Notice>) -> Option<FeedItem> {
        loop {
            if self.now.stage == LiveStage::Before {
                self.now.stage = LiveStage::Recognition;
                self.mark(notices);
                return Some(FeedItem::Begin(self.now.start.clone()));
            }
            if let Some(item) = self.recognised(notices) {
                return Some(item);
            }
            match self.now.stage {
                LiveStage::Draining => {
                    self.mark(notices);
                    self.now.stage = LiveStage::Ended;
                    return Some(FeedItem::End { whole: None });
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

    fn unsettled(&self) -> Option<Unsettled> {
        Some(self.unsettled.clone())
    }
}

/// Why the audio left by an earlier process cannot be processed.
#[derive(Debug, thiserror::Error)]
pub enum ResumeError {
    /// Its recordings.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Its sound.
    #[error(transparent)]
    Listen(#[from] ListenError),
}
