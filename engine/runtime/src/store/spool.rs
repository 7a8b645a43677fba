//! Records live streams in segments, which are kept until newer recordings need the space.
//!
//! Samples are passed to the operating system at once, so a killed process loses none that
//! [`AudioSpool::append`] accepted; [`AudioSpool::sync`] makes them durable against a crash of the
//! machine. All segments together stay within one limit. The oldest is evicted first, never one
//! that is being written.

use super::error::StoreError;
use super::layout::Layout;
use super::segment::{self, HEAD_BYTES, SAMPLES_MAX, Segment};
use crate::private;
use parking_lot::Mutex;
use std::collections::BTreeSet;
use std::fs::{File, OpenOptions};
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
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
    /// Into the segment with this ordinal.
    Open { file: File, ordinal: u64 },
}

/// The recordings of a session directory.
#[derive(Debug)]
struct Shelf {
    folder: PathBuf,
    bytes_max: u64,
    bytes: u64,
    /// In the order of their ordinals.
    segments: Vec<Segment>,
    /// Ordinals of the segments that are being written.
    open: BTreeSet<u64>,
}

/// Records one stream after another; several spools can share a session directory.
#[derive(Debug)]
pub struct AudioSpool {
    shelf: Arc<Mutex<Shelf>>,
    head: Head,
}

impl AudioSpool {
    /// Opens the recordings of a session directory, repairs headers left by a crash, and evicts
    /// audio over the limit. Once for each open session: [`Self::beside`] gives further spools.
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
        let mut shelf = Shelf {
            bytes: segments.iter().map(Segment::bytes).sum(),
            folder,
            bytes_max,
            segments,
            open: BTreeSet::new(),
        };
        shelf.evict(0)?;
        Ok(Self {
            shelf: Arc::new(Mutex::new(shelf)),
            head: Head::Idle,
        })
    }

    /// A spool for a stream that is recorded at the same time, under the same limit.
    #[must_use]
    pub fn beside(&self) -> Self {
        Self {
            shelf: Arc::clone(&self.shelf),
            head: Head::Idle,
        }
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
                self.leave();
                return written;
            }
            samples = later;
        }
        Ok(())
    }

    /// Number of samples that still fit into the open segment; opens the next one if there is none.
    fn room(&mut self) -> Result<usize, StoreError> {
        let last = match self.head {
            Head::Open { ordinal, .. } => self.shelf.lock().segment(ordinal).cloned(),
            Head::Idle | Head::Next { .. } => None,
        };
        if let Some(last) = last {
            if last.samples < SAMPLES_MAX {
                return Ok((SAMPLES_MAX - last.samples) as usize);
            }
            self.close()?;
            self.head = Head::Next {
                start_ms: last.end_ms(),
                key: last.key,
            };
        }
        match std::mem::replace(&mut self.head, Head::Idle) {
            Head::Next { key, start_ms } => self.make(key, start_ms),
            Head::Idle | Head::Open { .. } => Err(StoreError::NotRecording {
                dir: self.shelf.lock().folder.clone(),
            }),
        }
    }

    fn make(&mut self, key: String, start_ms: u64) -> Result<usize, StoreError> {
        let shelf = &mut *self.shelf.lock();
        shelf.evict(segment::FILE_BYTES_MIN)?;
        let ordinal = shelf.segments.last().map_or(1, |last| last.ordinal + 1);
        let made = Segment {
            ordinal,
            key,
            start_ms,
            samples: 0,
        };
        let path = shelf.folder.join(made.file_name());
        let file = private::open(&path, OpenOptions::new().write(true).create_new(true));
        let mut file = file.map_err(StoreError::file(&path, "make it"))?;
        let written = file.write_all(&segment::head(0));
        written.map_err(StoreError::file(&path, "write audio to it"))?;
        shelf.bytes += made.bytes();
        shelf.segments.push(made);
        shelf.open.insert(ordinal);
        self.head = Head::Open { file, ordinal };
        Ok(SAMPLES_MAX as usize)
    }

    /// Writes samples, which must fit into the open segment.
    fn write(&mut self, samples: &[i16]) -> Result<(), StoreError> {
        let Head::Open { file, ordinal } = &mut self.head else {
            return Ok(());
        };
        let shelf = &mut *self.shelf.lock();
        let Some(mut grown) = shelf.segment(*ordinal).cloned() else {
            return Ok(());
        };
        let (before, written) = (grown.bytes(), grown.samples);
        grown.samples += samples.len() as u64;
        let more = grown.bytes() - before;
        shelf.evict(more)?;
        let path = shelf.folder.join(grown.file_name());
        if let Err(wrong) = file.write_all(&segment::bytes_of(samples)) {
            // the partly written samples were never acknowledged
            let _ = private::set_len(file, HEAD_BYTES + 2 * written);
            return Err(StoreError::file(&path, "write audio to it")(wrong));
        }
        shelf.bytes += more;
        if let Some(segment) = shelf.place(*ordinal) {
            shelf.segments[segment] = grown;
        }
        Ok(())
    }

    /// Updates the header of the open segment and syncs the file.
    ///
    /// # Errors
    /// An I/O error.
    pub fn sync(&mut self) -> Result<(), StoreError> {
        let Some(path) = self.mark()? else {
            return Ok(());
        };
        match &self.head {
            Head::Open { file, .. } => file
                .sync_data()
                .map_err(StoreError::file(&path, "bring audio to disk")),
            _ => Ok(()),
        }
    }

    /// Writes the length of the open segment to its header; returns its path.
    fn mark(&mut self) -> Result<Option<PathBuf>, StoreError> {
        let Head::Open { file, ordinal } = &mut self.head else {
            return Ok(None);
        };
        let shelf = self.shelf.lock();
        let Some(last) = shelf.segment(*ordinal) else {
            return Ok(None);
        };
        let marked = file
            .rewind()
            .and_then(|()| file.write_all(&segment::head(last.samples)))
            .and_then(|()| file.seek(SeekFrom::Start(HEAD_BYTES + 2 * last.samples)));
        let path = shelf.folder.join(last.file_name());
        marked.map_err(StoreError::file(&path, "write its header"))?;
        Ok(Some(path))
    }

    fn close(&mut self) -> Result<(), StoreError> {
        let done = self.sync();
        self.leave();
        done
    }

    /// Writes no more to the open segment.
    fn leave(&mut self) {
        if let Head::Open { ordinal, .. } = std::mem::replace(&mut self.head, Head::Idle) {
            self.shelf.lock().open.remove(&ordinal);
        }
    }

    /// Where a span of a stream was recorded; `None` if its start is not kept. For a span across
    /// segments, names the first one.
    #[must_use]
    pub fn locate(&self, stream: &str, span: Span) -> Option<AudioSpan> {
        let key = segment::key_of(stream);
        let shelf = self.shelf.lock();
        let found = shelf.segments.iter().rev().find(|segment| {
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

impl Shelf {
    fn place(&self, ordinal: u64) -> Option<usize> {
        let found = self
            .segments
            .binary_search_by_key(&ordinal, |it| it.ordinal);
        found.ok()
    }

    fn segment(&self, ordinal: u64) -> Option<&Segment> {
        self.place(ordinal).map(|at| &self.segments[at])
    }

    /// Frees this many bytes; keeps the segments being written.
    fn evict(&mut self, more: u64) -> Result<(), StoreError> {
        let mut at = 0;
        while self.bytes + more > self.bytes_max && at < self.segments.len() {
            let segment = &self.segments[at];
            if self.open.contains(&segment.ordinal) {
                at += 1;
                continue;
            }
            let file = self.folder.join(segment.file_name());
            private::remove(&file).map_err(StoreError::file(&file, "remove it to make room"))?;
            self.bytes -= segment.bytes();
            self.segments.remove(at);
        }
        Ok(())
    }
}

impl Drop for AudioSpool {
    fn drop(&mut self) {
        // the next opening repairs a header that cannot be written now
        let _ = self.mark();
        self.leave();
    }
}
