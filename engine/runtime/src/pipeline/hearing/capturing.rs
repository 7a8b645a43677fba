//! The capture thread of a live source: it never waits for recognition.
//!
//! It reads, resamples, records, and pushes the audio into an [`OverflowQueue`] edge. The recording
//! is for playback, and for recognising later what a killed process left unrecognised.

use crate::pipeline::driving::stop::Stop;
use crate::pipeline::driving::worker::{OnEnd, Worker};
use crate::pipeline::error::LiveError;
use crate::pipeline::feed::Notice;
use crate::pipeline::hearing::level::Level;
use crate::pipeline::hearing::overflow::OverflowQueue;
use crate::pipeline::hearing::source_pace::SourcePace;
use crate::store::AudioSpool;
use crossbeam_channel::Sender;
use parking_lot::Mutex;
use std::sync::Arc;
use std::time::{Duration, Instant};
use weir_asr::{AudioSource, Channels, FrontEnd, Recovery, SAMPLE_RATE_HZ, SourceWarning};

/// Samples of a recording that wait for recognition, above which no more are read: 20 s.
const AHEAD_SAMPLES_MAX: u64 = 20 * SAMPLE_RATE_HZ as u64;
/// How often a recording looks for room.
const ROOM_EVERY: Duration = Duration::from_millis(10);

/// A recording in progress, shared by the thread that writes it and the thread that cites it.
pub type Recording = Arc<Mutex<AudioSpool>>;

/// What a source is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SourceKind {
    /// Somebody speaks now. The source never waits; what is recognised too slowly goes to disk.
    Live,
    /// A recording: it is read as fast as it is recognised, and all of a window at once.
    Recording,
}

/// Inputs of a capture thread.
pub struct CaptureParts {
    /// The source.
    pub source: Box<dyn AudioSource>,
    /// What it is.
    pub kind: SourceKind,
    /// Whether channels are mixed or kept apart.
    pub channels: Channels,
    /// Name of the stream.
    pub stream: String,
    /// Where to record, if anywhere.
    pub recording: Option<Recording>,
    /// The edge to the feed.
    pub capture: OverflowQueue,
    /// How loud the source is.
    pub level: Level,
    /// Ends the capture.
    pub stop: Stop,
    /// Receives notices; when it is full, they are logged instead.
    pub notices: Sender<Notice>,
}

/// Starts the capture thread. It ends with its source or at `stop`, and then closes the edge.
///
/// # Errors
/// The source cannot be used, or no thread can be started.
pub fn capture(parts: CaptureParts) -> Result<(Worker<()>, u16), LiveError> {
    let front_end = FrontEnd::new(parts.source.spec(), parts.channels)
        .map_err(|error| LiveError::Listen(error.into()))?;
    let planes = u16::try_from(front_end.planes()).unwrap_or(u16::MAX);
    let worker = Worker::spawn("capture", move || {
        let edge = parts.capture.clone();
        let _close = OnEnd(|| edge.close());
        Capturing { parts, front_end }.run();
        Ok(())
    })?;
    Ok((worker, planes))
}

struct Capturing {
    parts: CaptureParts,
    front_end: FrontEnd,
}

impl Capturing {
    fn run(mut self) {
        self.record(|spool, stream| spool.begin(stream, 0));
        let spec = self.parts.source.spec();
        let (channels, began) = (u64::from(spec.channels.max(1)), Instant::now());
        let mut pace = SourcePace::new(spec.rate_hz);
        let (mut chunk, mut planes) = (Vec::new(), Vec::new());
        let (mut mixed, mut whole) = (Vec::new(), Vec::new());
        while self.goes_on() {
            let read = self.parts.source.read(&mut chunk);
            self.warn();
            match read {
                Ok(0) => break,
                Ok(_) if self.parts.kind == SourceKind::Recording => {}
                Ok(_) => {
                    let wrong = pace.came(chunk.len() as u64 / channels, began.elapsed());
                    wrong
                        .into_iter()
                        .for_each(|it| self.tell(Notice::Warning(it)));
                }
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

    /// Whether to read on; a recording first waits for its recognition.
    fn goes_on(&self) -> bool {
        let parts = &self.parts;
        while parts.kind == SourceKind::Recording && parts.capture.waiting() > AHEAD_SAMPLES_MAX {
            if !parts.stop.wait_until(Instant::now() + ROOM_EVERY) {
                return false;
            }
        }
        !parts.stop.is_set()
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
        self.parts.level.hear(whole);
        self.record(|spool, _| spool.append(mixed));
        self.parts.capture.push(whole);
    }

    /// Records audio; if recording fails, it stops with a warning, and recognition continues.
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
                "{error}; recording stopped, recognition continues"
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
