//! The transcript of a session at work: lines are added as utterances are taken in, and looked up
//! for answers by other threads.

use crate::store::transcript::{Line, transcript_folder};
use crate::store::{StoreError, TranscriptReader, TranscriptStats, TranscriptWriter};
use parking_lot::Mutex;
use std::any::Any;
use std::path::Path;
use std::sync::Arc;
use weir_core::session::Session;
use weir_core::talk::BufferedUtterance;
use weir_core::transcript::{Found, Transcript};

/// Adds lines, and tells what could not be kept.
pub struct KeptTranscript {
    writer: TranscriptWriter,
    shared: Arc<SharedTranscript>,
    /// Problems told already.
    told: usize,
    /// Keeps a folder that lives no longer than the session.
    _folder: Option<Box<dyn Any + Send>>,
}

/// What other threads see of it.
pub struct SharedTranscript {
    reader: TranscriptReader,
    stats: Mutex<TranscriptStats>,
}

impl SharedTranscript {
    /// The transcript in a folder, for looking up alone.
    #[must_use]
    pub fn open(folder: &Path) -> Self {
        Self {
            reader: TranscriptReader::open(folder),
            stats: Mutex::default(),
        }
    }

    /// What it held when lines were last made safe.
    #[must_use]
    pub fn stats(&self) -> TranscriptStats {
        *self.stats.lock()
    }
}

impl Transcript for SharedTranscript {
    fn utterance(&self, turn: u64, stream: &str, id: &str) -> Option<String> {
        self.reader.utterance(turn, stream, id)
    }

    fn find(&self, wanted: &dyn Fn(&str, &str, Option<&str>) -> bool) -> Vec<Found> {
        self.reader.find(wanted)
    }
}

impl KeptTranscript {
    /// Opens the transcript in a folder for a session that has heard `turns` utterances.
    ///
    /// # Errors
    /// When the folder cannot be made or read; a session goes on without a transcript then.
    pub fn open(folder: &Path, limit_bytes: u64, turns: u64) -> Result<Self, StoreError> {
        let writer = TranscriptWriter::open(folder, limit_bytes, turns)?;
        let shared = SharedTranscript::open(folder);
        *shared.stats.lock() = writer.stats();
        Ok(Self {
            writer,
            shared: Arc::new(shared),
            told: 0,
            _folder: None,
        })
    }

    /// The transcript in a session's directory; `None` where it keeps none.
    ///
    /// # Errors
    /// As [`Self::open`].
    pub fn beside(dir: &Path, session: &Session) -> Result<Option<Self>, StoreError> {
        let limit_bytes = session.config().transcript_bytes;
        let folder = transcript_folder(dir);
        if limit_bytes == 0 && !folder.exists() {
            return Ok(None);
        }
        let transcript = Self::open(&folder, limit_bytes, session.turns())?;
        Ok(Some(transcript).filter(|_| limit_bytes > 0))
    }

    /// The same in a folder that `guard` removes when the session is over.
    #[must_use]
    pub fn in_scratch(self, guard: Box<dyn Any + Send>) -> Self {
        Self {
            _folder: Some(guard),
            ..self
        }
    }

    /// What other threads see of it.
    #[must_use]
    pub fn shared(&self) -> Arc<SharedTranscript> {
        Arc::clone(&self.shared)
    }

    /// Adds what was just heard.
    pub(super) fn add(&mut self, heard: &BufferedUtterance) {
        let line = Line::of(&heard.utterance, heard.session_ms, heard.said_at_unix_ms);
        self.writer.append(heard.turn, &line);
    }

    /// Lets readers see every line; they are not safe yet.
    pub(super) fn flush(&mut self) {
        self.writer.flush();
        *self.shared.stats.lock() = self.writer.stats();
    }

    /// Makes every line safe.
    pub(super) fn sync(&mut self) {
        self.writer.sync();
        *self.shared.stats.lock() = self.writer.stats();
    }

    /// Problems that were not told yet.
    pub(super) fn problems(&mut self) -> Vec<String> {
        let new = self.writer.problems().get(self.told..).unwrap_or_default();
        self.told += new.len();
        new.to_vec()
    }
}
