//! A transcript on disk beside a measured memory, as a session writes it.

use super::world::STARTED_AT_UNIX_MS;
use anyhow::Result;
use serde::{Deserialize, Serialize};
use std::path::Path;
use tempfile::TempDir;
use weir_core::stream::Utterance;
use weir_engine::store::transcript::{Line, check_transcript_limit};
use weir_engine::store::{TranscriptReader, TranscriptWriter};

/// Turns after which lines are written, without a sync.
const WRITTEN_EVERY: u64 = 16;

/// Size of the transcript at a mark.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(crate) struct OnDisk {
    pub(crate) transcript_limit_bytes: u64,
    /// Lengths of its files.
    pub(crate) transcript_bytes: u64,
    /// Lines that can be looked up.
    pub(crate) transcript_lines: u64,
    pub(crate) transcript_evicted: u64,
}

/// A transcript in a temporary folder.
pub(crate) struct Transcript {
    folder: TempDir,
    writer: TranscriptWriter,
}

impl Transcript {
    /// An empty transcript; `None` if the limit is 0.
    pub(crate) fn new(limit_bytes: u64) -> Result<Option<Self>> {
        check_transcript_limit(limit_bytes)?;
        if limit_bytes == 0 {
            return Ok(None);
        }
        let folder = tempfile::tempdir()?;
        Ok(Some(Self {
            writer: TranscriptWriter::open(folder.path(), limit_bytes, 0)?,
            folder,
        }))
    }

    pub(crate) fn add(&mut self, turn: u64, said: &Utterance) {
        let start_ms = said.span.start_ms;
        let wall = STARTED_AT_UNIX_MS + start_ms as i64;
        self.writer
            .append(turn, &Line::of(said, start_ms, Some(wall)));
        if turn.is_multiple_of(WRITTEN_EVERY) {
            self.writer.flush();
        }
    }

    /// Its size, read from the disk.
    pub(super) fn told(&mut self) -> Result<OnDisk> {
        self.writer.sync();
        let stats = self.writer.stats();
        let files = std::fs::read_dir(self.folder.path())?;
        let lengths = files.map(|file| Ok(file?.metadata()?.len()));
        Ok(OnDisk {
            transcript_limit_bytes: stats.limit_bytes,
            transcript_bytes: lengths.sum::<Result<_>>()?,
            transcript_lines: stats.utterances,
            transcript_evicted: stats.evicted,
        })
    }

    /// Copies the files into a new folder.
    pub(super) fn copy_to(&mut self, folder: &Path) -> Result<()> {
        self.writer.flush();
        std::fs::create_dir(folder)?;
        for file in std::fs::read_dir(self.folder.path())? {
            let file = file?;
            std::fs::copy(file.path(), folder.join(file.file_name()))?;
        }
        Ok(())
    }

    /// Looks lines up.
    pub(crate) fn reader(&mut self) -> TranscriptReader {
        self.writer.flush();
        TranscriptReader::open(self.folder.path())
    }
}
