//! Hearing a live source: a capture thread that never waits, and the feed behind it.
//!
//! Capture reads, resamples, records, and puts the sound into a [`Capture`] edge; the feed cuts and
//! recognises at its own speed. Recording is for playback: what is said comes from the edge.

use super::error::PipelineError;
use super::feed::{Fed, Feed, FeedFigures, Notice, Unheard};
use super::hearing::Hearing;
use super::spill::{Capture, Captured};
use super::stop::Stop;
use super::worker::{OnEnd, Worker};
use crate::store::AudioSpool;
use crate::stream::{Span, StreamStart, Utterance};
use crossbeam_channel::Sender;
use parking_lot::Mutex;
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;
use weir_asr::{
    AudioSource, Channels, FrontEnd, ListenError, Listener, Recognised, Recovery, SAMPLE_RATE_HZ,
    SampleSpan, Segment, SourceSpec, SourceWarning,
};

/// How long the feed waits before it looks at what else there is to do.
const PATIENCE: Duration = Duration::from_millis(250);

/// A recording in progress, shared by the thread that writes it and the one that cites it.
pub type Recording = Arc<Mutex<AudioSpool>>;

/// What a capture thread works with.
pub struct CaptureParts {
    /// The source.
    pub source: Box<dyn AudioSource>,
    /// Mixed or kept apart.
    pub channels: Channels,
    /// Name of the stream.
    pub stream: String,
    /// Where to record, if anywhere.
    pub recording: Option<Recording>,
    /// The edge to the feed.
    pub capture: Capture,
    /// Ends the capture.
    pub stop: Stop,
    /// Takes what should be known at once; when full, news is logged instead.
    pub notices: Sender<Notice>,
}

/// Starts the capture thread; it ends with its source or at `stop`, and closes the edge.
///
/// # Errors
/// A source that cannot be taken; no thread.
pub fn capture(parts: CaptureParts) -> Result<(Worker<()>, u16), CaptureError> {
    let front_end = FrontEnd::new(parts.source.spec(), parts.channels)
        .map_err(|error| CaptureError::Listen(error.into()))?;
    let planes = u16::try_from(front_end.planes()).unwrap_or(u16::MAX);
    let worker = Worker::spawn("capture", move || {
        let edge = parts.capture.clone();
        let _close = OnEnd(|| edge.close());
        Capturing { parts, front_end }.run();
        Ok(())
    })?;
    Ok((worker, planes))
}

/// Why a live source could not be taken up.
#[derive(Debug, thiserror::Error)]
pub enum CaptureError {
    /// The source.
    #[error(transparent)]
    Listen(#[from] ListenError),
    /// The thread.
    #[error(transparent)]
    Pipeline(#[from] PipelineError),
}

struct Capturing {
    parts: CaptureParts,
    front_end: FrontEnd,
}

impl Capturing {
    fn run(mut self) {
        self.record(|spool, stream| spool.begin(stream, 0));
        let (mut chunk, mut planes) = (Vec::new(), Vec::new());
        let (mut mixed, mut whole) = (Vec::new(), Vec::new());
        while !self.parts.stop.is_set() {
            let read = self.parts.source.read(&mut chunk);
            self.warn();
            match read {
                Ok(0) => break,
                Ok(_) => {}
                Err(error) if error.recovery() == Recovery::SkipChunk => continue,
                Err(error) => {
                    self.tell(Notice::Failed(error.to_string()));
                    break;
                }
            }
            self.front_end.step(&chunk, &mut planes);
            self.put(&planes, &mut mixed, &mut whole);
        }
        self.front_end.finish(&mut planes);
        self.put(&planes, &mut mixed, &mut whole);
        self.record(|spool, _| spool.sync());
    }

    fn put(&mut self, planes: &[Vec<f32>], mixed: &mut Vec<i16>, whole: &mut Vec<f32>) {
        let len = planes.first().map_or(0, Vec::len);
        if len == 0 {
            return;
        }
        mixed.clear();
        whole.clear();
        for at in 0..len {
            let mut sum = 0.0;
            for plane in planes {
                whole.push(plane[at]);
                sum += plane[at];
            }
            mixed.push((sum / planes.len() as f32 * 32_767.0) as i16);
        }
        self.record(|spool, _| spool.append(mixed));
        self.parts.capture.push(whole);
    }

    /// Records; a recording that fails ends with a warning, and hearing goes on.
    fn record(
        &mut self,
        act: impl FnOnce(&mut AudioSpool, &str) -> Result<(), crate::store::StoreError>,
    ) {
        let Some(recording) = &self.parts.recording else {
            return;
        };
        let done = act(&mut recording.lock(), &self.parts.stream);
        if let Err(error) = done {
            self.parts.recording = None;
            self.tell(Notice::Warning(format!(
                "{error}; no more sound is recorded, hearing goes on"
            )));
        }
    }

    fn warn(&mut self) {
        let mut warnings = Vec::new();
        self.parts.source.take_warnings(&mut warnings);
        for warning in warnings {
            let text = warning.to_string();
            self.tell(match warning {
                SourceWarning::DeviceBack { .. } => Notice::Note(text),
                _ => Notice::Warning(text),
            });
        }
    }

    fn tell(&self, notice: Notice) {
        if let Err(untold) = self.parts.notices.try_send(notice) {
            log::warn!("{:?}", untold.into_inner());
        }
    }
}

/// The feed behind a capture thread.
pub struct LiveFeed {
    hearing: Hearing,
    capture: Capture,
    listener: Listener,
    start: StreamStart,
    recording: Option<Recording>,
    /// Channels of the interleaved samples.
    planes: u16,
    segments: VecDeque<Segment>,
    cut: Vec<Segment>,
    /// Recognised, and not yet fed.
    heard: VecDeque<Recognised>,
    stage: LiveStage,
    spoken: u64,
    counted_ms: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LiveStage {
    Before,
    Hearing,
    Draining,
    Ended,
}

impl LiveFeed {
    /// A feed of what `capture` holds: `planes` channels of 16 kHz, interleaved.
    ///
    /// # Errors
    /// More channels than can be kept apart.
    pub fn new(
        hearing: Hearing,
        capture: Capture,
        planes: u16,
        start: StreamStart,
        recording: Option<Recording>,
    ) -> Result<Self, ListenError> {
        let listener = hearing.listener(&SourceSpec {
            name: start.name.clone(),
            format: "live".to_owned(),
            rate_hz: SAMPLE_RATE_HZ,
            channels: planes,
            frames: None,
        })?;
        Ok(Self {
            hearing,
            capture,
            listener,
            start,
            recording,
            planes,
            segments: VecDeque::new(),
            cut: Vec::new(),
            heard: VecDeque::new(),
            stage: LiveStage::Before,
            spoken: 0,
            counted_ms: 0,
        })
    }

    fn utterance(&mut self, heard: &Recognised) -> Utterance {
        self.spoken += 1;
        let span = Span::new(heard.span.start_ms(), heard.span.end_ms());
        let stream = &self.start.name;
        let recording = self.recording.as_ref();
        Utterance {
            id: format!("{stream}#{}", self.spoken),
            stream: stream.clone(),
            speaker: (self.planes > 1).then(|| format!("channel {}", heard.channel + 1)),
            span,
            audio: recording.and_then(|spool| spool.lock().locate(stream, span)),
            confidence: Some(heard.confidence),
            text: heard.text(),
        }
    }

    /// The next utterance of the segments that are cut. Where recognition lags, those that wait
    /// are heard together.
    fn recognised(&mut self, notices: &mut Vec<Notice>) -> Option<Fed> {
        loop {
            if let Some(heard) = self.heard.pop_front() {
                let utterance = self.utterance(&heard);
                return Some(Fed::Heard(Box::new(utterance)));
            }
            let window = self.window()?;
            let heard = self.hearing.hear(&window);
            for segment in window {
                self.listener.recycle(segment);
            }
            match heard {
                Ok(heard) => {
                    let unheard = |it| Notice::Unheard(Unheard::of(&self.start.name, it));
                    notices.extend(heard.refused.into_iter().map(unheard));
                    self.heard.extend(heard.utterances);
                }
                Err(error) => notices.push(Notice::Warning(error.to_string())),
            }
        }
    }

    /// What waits, as much of it as fits one window.
    fn window(&mut self) -> Option<Vec<Segment>> {
        let mut packer = self.hearing.packer();
        while let Some(segment) = self.segments.pop_front() {
            let full = packer.push(segment);
            if full.is_some() {
                // the segment that did not fit is the first of the next window
                let next = packer.finish().into_iter().flatten();
                next.for_each(|segment| self.segments.push_front(segment));
                return full;
            }
        }
        packer.finish()
    }

    /// Takes sound in; returns whether there may be more.
    fn listen(&mut self, notices: &mut Vec<Notice>) -> bool {
        match self.capture.take(PATIENCE) {
            Ok(Captured::Sound(samples)) => self.listener.step(&samples, &mut self.cut),
            Ok(Captured::Gap { samples }) => self.gap(samples, notices),
            Ok(Captured::Nothing) => return true,
            Ok(Captured::Closed) => {
                self.listener.finish(&mut self.cut);
                self.stage = LiveStage::Draining;
            }
            Err(source) => {
                notices.push(Notice::Failed(
                    PipelineError::Backlog { source }.to_string(),
                ));
                self.listener.finish(&mut self.cut);
                self.stage = LiveStage::Draining;
            }
        }
        self.segments.extend(self.cut.drain(..));
        let now_ms = SampleSpan::new(0, self.listener.samples_heard()).len_ms();
        self.hearing.count_audio_ms(now_ms - self.counted_ms);
        self.counted_ms = now_ms;
        false
    }

    /// Silence in the place of what was lost, so that times stay exact.
    fn gap(&mut self, samples: u64, notices: &mut Vec<Notice>) {
        let frames = samples / u64::from(self.planes.max(1));
        let at_ms = SampleSpan::new(0, self.listener.samples_heard()).len_ms();
        notices.push(Notice::Warning(format!(
            "{} ms of sound were lost at {at_ms} ms: recognition lags and the disk takes no more",
            frames * 1_000 / u64::from(SAMPLE_RATE_HZ)
        )));
        let silence = vec![0.0; usize::from(self.planes.max(1)) * SAMPLE_RATE_HZ as usize];
        let mut left = samples;
        while left > 0 {
            let piece = left.min(silence.len() as u64);
            self.listener
                .step(&silence[..piece as usize], &mut self.cut);
            left -= piece;
        }
    }
}

impl Feed for LiveFeed {
    /// Ends when the capture is closed and everything it held was heard, not at `stop`: what was
    /// said before Ctrl-C is worked through.
    fn next(&mut self, _stop: &Stop, notices: &mut Vec<Notice>) -> Option<Fed> {
        if self.stage == LiveStage::Before {
            self.stage = LiveStage::Hearing;
            return Some(Fed::Begin(self.start.clone()));
        }
        loop {
            if let Some(item) = self.recognised(notices) {
                return Some(item);
            }
            match self.stage {
                LiveStage::Draining => {
                    self.stage = LiveStage::Ended;
                    return Some(Fed::End { whole: None });
                }
                LiveStage::Ended => return None,
                LiveStage::Before | LiveStage::Hearing => {
                    if self.listen(notices) {
                        return Some(Fed::Idle);
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
}
