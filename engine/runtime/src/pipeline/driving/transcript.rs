//! The transcript of an open session: lines are added as utterances are taken in, and other threads
//! look them up for answers.

use crate::store::transcript::{Line, transcript_folder};
use crate::store::{StoreError, TranscriptReader, TranscriptStats, TranscriptWriter};
use parking_lot::Mutex;
use std::any::Any;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use weir_core::session::{Erasure, Session};
use weir_core::talk::BufferedUtterance;
use weir_core::transcript::{ScanStep, Transcript, TranscriptUtterance, UtteranceRef};

/// Adds lines, and collects write errors.
pub struct KeptTranscript {
    writer: TranscriptWriter,
    shared: Arc<SharedTranscript>,
    /// Number of problems already reported.
    told: usize,
    /// Keeps a temporary folder alive as long as the session.
    _folder: Option<Box<dyn Any + Send>>,
}

/// The readers' side of the transcript.
pub struct SharedTranscript {
    reader: TranscriptReader,
    /// At the last flush of its writer.
    stats: Mutex<Option<TranscriptStats>>,
}

impl SharedTranscript {
    /// The transcript in a folder, read-only.
    #[must_use]
    pub fn open(folder: &Path) -> Self {
        Self {
            reader: TranscriptReader::open(folder),
            stats: Mutex::default(),
        }
    }

    /// Its statistics at the last flush; `None` if it is only read.
    #[must_use]
    pub fn stats(&self) -> Option<TranscriptStats> {
        *self.stats.lock()
    }
}

impl Transcript for SharedTranscript {
    fn utterance(&self, turn: u64, stream: &str, id: &str) -> Option<String> {
        self.reader.utterance(turn, stream, id)
    }

    fn newest_first(
        &self,
        glance: &mut dyn FnMut(&[u8]) -> ScanStep,
        read: &mut dyn FnMut(TranscriptUtterance),
    ) {
        self.reader.newest_first(glance, read);
    }

    fn find(&self, wanted: &dyn Fn(&str, &str, Option<&str>) -> bool) -> Vec<UtteranceRef> {
        self.reader.find(wanted)
    }
}

impl KeptTranscript {
    /// Opens the transcript in a folder for a session that has heard `turns` utterances.
    ///
    /// # Errors
    /// The folder cannot be created or read; the session then continues without a transcript.
    pub fn open(folder: &Path, limit_bytes: u64, turns: u64) -> Result<Self, StoreError> {
        let writer = TranscriptWriter::open(folder, limit_bytes, turns)?;
        let shared = SharedTranscript::open(folder);
        *shared.stats.lock() = Some(writer.stats());
        Ok(Self {
            writer,
            shared: Arc::new(shared),
            told: 0,
            _folder: None,
        })
    }

    /// The transcript in a session's directory; `None` if it keeps none.
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

    /// Keeps `guard`, which deletes the folder when the session ends.
    #[must_use]
    pub fn in_scratch(self, guard: Box<dyn Any + Send>) -> Self {
        Self {
            _folder: Some(guard),
            ..self
        }
    }

    /// The readers' side.
    #[must_use]
    pub fn shared(&self) -> Arc<SharedTranscript> {
        Arc::clone(&self.shared)
    }

    /// Adds an utterance under its speaker's label.
    pub(crate) fn add(&mut self, heard: &BufferedUtterance, label: Option<&str>) {
        let line = Line {
            speaker: label.map(str::to_owned),
            ..Line::of(&heard.utterance, heard.session_ms, heard.said_at_unix_ms)
        };
        self.writer.append(heard.turn, &line);
    }

    /// Makes every line visible to readers, not yet durable.
    pub(crate) fn flush(&mut self) {
        self.writer.flush();
        *self.shared.stats.lock() = Some(self.writer.stats());
    }

    /// Makes every line durable.
    pub(crate) fn sync(&mut self) {
        self.writer.sync();
        *self.shared.stats.lock() = Some(self.writer.stats());
    }

    /// Overwrites the lines of an erasure; returns the files changed.
    pub(crate) fn erase(&mut self, erasure: &Erasure) -> io::Result<Vec<PathBuf>> {
        self.writer.erase(&erasure.turns)
    }

    /// Problems not reported yet.
    pub(crate) fn problems(&mut self) -> Vec<String> {
        let new = self.writer.problems().get(self.told..).unwrap_or_default();
        self.told += new.len();
        new.to_vec()
    }
}
