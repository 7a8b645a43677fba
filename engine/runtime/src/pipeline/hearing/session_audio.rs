//! Live sources and recordings of an open session: from a source of audio to the feed that hears
//! it.
//!
//! Several sources of one session can be heard at the same time. They share the limit of recorded
//! audio, the marks of what is recognised, the voices told apart, and the numbers of speakers.

use crate::pipeline::driving::stop::Stop;
use crate::pipeline::error::LiveError;
use crate::pipeline::feed::Notice;
use crate::pipeline::hearing::capturing::{CaptureParts, Recording, SourceKind, capture};
use crate::pipeline::hearing::diarized::Labels;
use crate::pipeline::hearing::level::Level;
use crate::pipeline::hearing::live::{Capture, LiveFeed};
use crate::pipeline::hearing::live_source::KeptUntil;
use crate::pipeline::hearing::overflow::{CaptureLimits, OverflowQueue};
use crate::pipeline::hearing::recognition::Recognition;
use crate::store::{AudioSpool, HeardMarks, HeardVoices, StoreError};
use parking_lot::Mutex;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use weir_asr::AudioSource;
use weir_core::session::Session;
use weir_core::stream::StreamStart;

/// Notices of a capture that wait for its feed; further ones are logged.
const NOTICES_MAX: usize = 64;

/// What the sources of an open session share.
pub struct SessionAudio {
    dir: PathBuf,
    /// Gives each source a spool of its own; `None` if nothing is recorded.
    spool: Option<AudioSpool>,
    marks: Arc<Mutex<HeardMarks>>,
    /// Of the model that was used first.
    voices: Mutex<Option<Arc<Mutex<HeardVoices>>>>,
    labels: Labels,
}

impl SessionAudio {
    /// Opens what a session directory has; once for each open session. Records up to
    /// `record_bytes` of audio, if any: without a recording, evidence has no sound, and what a
    /// killed process did not recognise is lost.
    ///
    /// # Errors
    /// The recordings cannot be read, or the limit is too small.
    pub fn open(dir: &Path, record_bytes: Option<u64>) -> Result<Self, StoreError> {
        let spool = record_bytes.map(|bytes| AudioSpool::open(dir, bytes));
        Ok(Self {
            dir: dir.to_path_buf(),
            spool: spool.transpose()?,
            marks: Arc::new(Mutex::new(HeardMarks::open(dir))),
            voices: Mutex::default(),
            labels: Labels::default(),
        })
    }

    fn recording(&self) -> Option<Recording> {
        let spool = self.spool.as_ref()?;
        Some(Arc::new(Mutex::new(spool.beside())))
    }

    /// Has a recognition find the session's voices again, and keep those that it hears.
    fn share_voices(&self, hearing: &mut Recognition) -> Result<(), StoreError> {
        let Some(model) = hearing.voice_model() else {
            return Ok(());
        };
        let mut shared = self.voices.lock();
        let voices = match &*shared {
            Some(known) => Arc::clone(known),
            None => Arc::new(Mutex::new(HeardVoices::open(&self.dir, model)?)),
        };
        hearing.share_voices(Arc::clone(&voices));
        *shared = Some(voices);
        Ok(())
    }
}

/// A source that is to be heard for a session.
pub struct LiveParts<'a> {
    /// The source. It ends by itself, or soon after `stop`: whoever drops the feed waits for it.
    pub source: Box<dyn AudioSource>,
    /// What it is.
    pub kind: SourceKind,
    /// Recognises it.
    pub hearing: Recognition,
    /// Its stream. The name is new in the session, since the ids of utterances begin with it.
    pub start: StreamStart,
    /// The session as it is now.
    pub session: &'a Session,
    /// What it shares with the session's other sources; `None` for a session without a directory.
    pub audio: Option<&'a SessionAudio>,
    /// Ends the capture; what was captured is still recognised.
    pub stop: Stop,
}

/// A source that is being captured, and the feed that hears it.
pub struct Live {
    /// Dropping it ends the capture.
    pub feed: LiveFeed,
    /// How loud the source is.
    pub level: Level,
    /// About audio that an earlier process left unrecognised: this feed hears it first.
    pub notices: Vec<Notice>,
}

impl SessionAudio {
    /// The feed of what an earlier process recorded and did not recognise; `None` if that is
    /// nothing.
    ///
    /// # Errors
    /// The recordings cannot be read.
    pub fn left(
        &self,
        session: &Session,
        mut hearing: Recognition,
    ) -> Result<Option<LiveFeed>, LiveError> {
        self.share_voices(&mut hearing)?;
        let nothing = OverflowQueue::new(&self.dir, CaptureLimits::default());
        let start = StreamStart::new("nothing", None);
        let feed = LiveFeed::new(hearing, nothing, 1, start, self.recording())?;
        let feed = feed
            .unhurried()?
            .after_labels(self.labels.clone().after(session.speaker_names().labels()));
        let kept: Vec<KeptUntil> = session.streams().map(KeptUntil::of).collect();
        let (feed, _) = feed.resuming(&self.dir, Arc::clone(&self.marks), &kept)?;
        feed.only_left()
    }
}

impl Live {
    /// Starts to capture.
    ///
    /// # Errors
    /// The source cannot be used, what an earlier process left cannot be read, or no thread can be
    /// started.
    pub fn start(parts: LiveParts<'_>) -> Result<Self, LiveError> {
        let LiveParts {
            source,
            kind,
            mut hearing,
            start,
            session,
            audio,
            stop,
        } = parts;
        let unread = audio.and_then(|it| it.share_voices(&mut hearing).err());
        let recording = audio.and_then(SessionAudio::recording);
        let folder = audio.map_or_else(std::env::temp_dir, |it| it.dir.clone());
        let edge = OverflowQueue::new(&folder, CaptureLimits::default());
        let level = Level::default();
        let (notices, news) = crossbeam_channel::bounded(NOTICES_MAX);
        let (worker, planes) = capture(CaptureParts {
            source,
            kind,
            channels: hearing.channels(),
            stream: start.name.clone(),
            recording: recording.clone(),
            capture: edge.clone(),
            level: level.clone(),
            stop: stop.clone(),
            notices,
        })?;
        // ends the capture if something fails below
        let capture = Capture {
            worker: Some(worker),
            stop,
            news,
        };
        let labels = audio.map_or_else(Labels::default, |it| it.labels.clone());
        let labels = labels.after(session.speaker_names().labels());
        let mut feed = LiveFeed::new(hearing, edge, planes, start, recording)?;
        if kind == SourceKind::Recording {
            feed = feed.unhurried()?;
        }
        feed = feed.after_labels(labels).captured_by(capture);
        let (feed, mut notices) = match audio {
            Some(audio) => {
                let kept: Vec<KeptUntil> = session.streams().map(KeptUntil::of).collect();
                feed.resuming(&audio.dir, Arc::clone(&audio.marks), &kept)?
            }
            None => (feed, Vec::new()),
        };
        notices.extend(unread.map(|error| Notice::Warning(error.to_string())));
        Ok(Self {
            feed,
            level,
            notices,
        })
    }
}
