//! Records a microphone in segments, which are kept until newer recordings need the space.
//!
//! Samples are passed to the operating system at once, so a killed process loses none that
//! [`AudioSpool::append`] accepted; [`AudioSpool::sync`] makes them durable against a crash of the
//! machine. All segments together stay within one limit. The oldest is evicted first, never the one
//! being written.

use super::error::StoreError;
use super::layout::Layout;
use super::segment::{self, HEAD_BYTES, SAMPLES_MAX, Segment};
use crate::private;
use std::fs::{File, OpenOptions};
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use weir_core::limits;
use weir_core::stream::{AudioSpan, Span};

/// Prefix of recorded files in spans.
pub(super) const PREFIX: &str = "audio/";

/// Where the next samples are written.
#[derive(Debug)]
enum Head {
    /// Nowhere: no recording has begun, or a write failed.
    Idle,
    /// Into a segment that is created with its first sample.
    Next { key: String, start_ms: u64 },
    /// Into the last segment.
    Open(File),
}

/// Writes the recorded audio of a session; one spool per session.
#[derive(Debug)]
pub struct AudioSpool {
    folder: PathBuf,
    bytes_max: u64,
    bytes: u64,
    segments: Vec<Segment>,
    head: Head,
}

impl AudioSpool {
    /// Opens the recordings of a session directory, repairs headers left by a crash, and evicts
    /// audio over the limit.
    ///
    /// # Errors
    /// The limit is too small, or an I/O error.
    pub fn open(dir: &Path, bytes_max: u64) -> Result<Self, StoreError> {
        if bytes_max < limits::AUDIO_BYTES_MIN {
            return Err(StoreError::AudioLimit {
                bytes: bytes_max,
                min: limits::AUDIO_BYTES_MIN,
            });
        }
        let folder = Layout::of(dir).audio();
        private::make_folder(&folder).map_err(StoreError::file(&folder, "make it"))?;
        let list = segment::list(&folder);
        let segments = list.map_err(StoreError::file(&folder, "list it"))?;
        for found in &segments {
            let file = folder.join(found.file_name());
            segment::repair(&file).map_err(StoreError::file(&file, "repair its header"))?;
        }
        let mut spool = Self {
            bytes: segments.iter().map(Segment::bytes).sum(),
            folder,
            bytes_max,
            segments,
            head: Head::Idle,
        };
        spool.evict(0)?;
        Ok(spool)
    }

    /// Begins a recording, or continues one after a gap, at this time of its stream.
    ///
    /// # Errors
    /// The segment before cannot be closed.
    pub fn begin(&mut self, stream: &str, at_ms: u64) -> Result<(), StoreError> {
        self.close()?;
        self.head = Head::Next {
            key: segment::key_of(stream),
            start_ms: at_ms,
        };
        Ok(())
    }

    /// Adds samples (16 kHz, one channel) after the last ones.
    ///
    /// # Errors
    /// They cannot be written, for example on a full disk. The segment then ends before them; call
    /// `begin` with the time at which the recording continues.
    pub fn append(&mut self, mut samples: &[i16]) -> Result<(), StoreError> {
        while !samples.is_empty() {
            let room = self.room()?;
            let (now, later) = samples.split_at(room.min(samples.len()));
            let written = self.write(now);
            if written.is_err() {
                self.head = Head::Idle;
                return written;
            }
            samples = later;
        }
        Ok(())
    }

    /// Number of samples that still fit into the open segment; opens the next one if there is none.
    fn room(&mut self) -> Result<usize, StoreError> {
        if let (Head::Open(_), Some(last)) = (&self.head, self.segments.last())
            && last.samples == SAMPLES_MAX
        {
            let (key, start_ms) = (last.key.clone(), last.end_ms());
            self.close()?;
            self.head = Head::Next { key, start_ms };
        }
        match std::mem::replace(&mut self.head, Head::Idle) {
            Head::Idle => Err(StoreError::NotRecording {
                dir: self.folder.clone(),
            }),
            Head::Next { key, start_ms } => self.make(key, start_ms),
            open @ Head::Open(_) => {
                self.head = open;
                Ok(self
                    .segments
                    .last()
                    .map_or(0, |last| SAMPLES_MAX - last.samples) as usize)
            }
        }
    }

    fn make(&mut self, key: String, start_ms: u64) -> Result<usize, StoreError> {
        self.evict(segment::FILE_BYTES_MIN)?;
        let made = Segment {
            ordinal: self.segments.last().map_or(1, |last| last.ordinal + 1),
            key,
            start_ms,
            samples: 0,
        };
        let path = self.folder.join(made.file_name());
        let file = private::open(&path, OpenOptions::new().write(true).create_new(true));
        let mut file = file.map_err(StoreError::file(&path, "make it"))?;
        let written = file.write_all(&segment::head(0));
        written.map_err(StoreError::file(&path, "write audio to it"))?;
        self.bytes += made.bytes();
        self.segments.push(made);
        self.head = Head::Open(file);
        Ok(SAMPLES_MAX as usize)
    }

    /// Writes samples, which must fit into the open segment.
    fn write(&mut self, samples: &[i16]) -> Result<(), StoreError> {
        let more = self.segments.last().map_or(0, |last| {
            let mut grown = last.clone();
            grown.samples += samples.len() as u64;
            grown.bytes() - last.bytes()
        });
        self.evict(more)?;
        let (Head::Open(file), Some(last)) = (&mut self.head, self.segments.last_mut()) else {
            return Ok(());
        };
        let path = self.folder.join(last.file_name());
        if let Err(wrong) = file.write_all(&segment::bytes_of(samples)) {
            // the partly written samples were never acknowledged
            let _ = private::set_len(file, HEAD_BYTES + 2 * last.samples);
            return Err(StoreError::file(&path, "write audio to it")(wrong));
        }
        last.samples += samples.len() as u64;
        self.bytes += more;
        Ok(())
    }

    /// Frees this many bytes; keeps the segment being written.
    fn evict(&mut self, more: u64) -> Result<(), StoreError> {
        let open = usize::from(matches!(self.head, Head::Open(_)));
        let mut gone = 0;
        let old = self.segments.len() - open;
        while self.bytes + more > self.bytes_max && gone < old {
            let segment = &self.segments[gone];
            let file = self.folder.join(segment.file_name());
            if let Err(wrong) = private::remove(&file) {
                self.segments.drain(..gone);
                return Err(StoreError::file(&file, "remove it to make room")(wrong));
            }
            self.bytes -= segment.bytes();
            gone += 1;
        }
        self.segments.drain(..gone);
        Ok(())
    }

    /// Updates the header of the open segment and syncs the file.
    ///
    /// # Errors
    /// An I/O error.
    pub fn sync(&mut self) -> Result<(), StoreError> {
        self.mark()?;
        if let (Head::Open(file), Some(last)) = (&self.head, self.segments.last()) {
            let path = self.folder.join(last.file_name());
            file.sync_data()
                .map_err(StoreError::file(&path, "bring audio to disk"))?;
        }
        Ok(())
    }

    /// Writes the length of the open segment to its header.
    fn mark(&mut self) -> Result<(), StoreError> {
        let (Head::Open(file), Some(last)) = (&mut self.head, self.segments.last()) else {
            return Ok(());
        };
        let marked = file
            .rewind()
            .and_then(|()| file.write_all(&segment::head(last.samples)))
            .and_then(|()| file.seek(SeekFrom::Start(HEAD_BYTES + 2 * last.samples)));
        let path = self.folder.join(last.file_name());
        marked.map_err(StoreError::file(&path, "write its header"))?;
        Ok(())
    }

    fn close(&mut self) -> Result<(), StoreError> {
        let done = self.sync();
        self.head = Head::Idle;
        done
    }

    /// Where a span of a stream was recorded; `None` if its start is not kept. For a span across
    /// segments, names the first one.
    #[must_use]
    pub fn locate(&self, stream: &str, span: Span) -> Option<AudioSpan> {
        let key = segment::key_of(stream);
        let found = self.segments.iter().rev().find(|segment| {
            segment.key == key && (segment.start_ms..segment.end_ms()).contains(&span.start_ms)
        })?;
        Some(AudioSpan {
            file: format!("{PREFIX}{}", found.file_name()),
            span: Span::new(
                span.start_ms - found.start_ms,
                span.end_ms.saturating_sub(found.start_ms),
            ),
        })
    }
}

impl Drop for AudioSpool {
    fn drop(&mut self) {
        // the next opening repairs a header that cannot be written now
        let _ = self.mark();
    }
}
