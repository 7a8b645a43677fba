//! Goes through all lines, newest first, a whole segment at a time.
//!
//! A writer may begin, evict or erase segments meanwhile: a line is handed over only if it was
//! complete when its segment was read, so lines that come or go during the scan may be missing.

use super::Line;
use super::reader::TranscriptReader;
use super::segment::{self, ENTRY_BYTES, Entry, FILE_BYTES_MAX, Part};
use crate::private;
use std::fs::OpenOptions;
use std::io::{self, Read};
use std::path::Path;
use weir_core::transcript::{ScanStep, TranscriptUtterance, UtteranceRef};

impl TranscriptReader {
    /// [`weir_core::transcript::Transcript::newest_first`]. Holds one segment in memory. Segments
    /// that cannot be read are passed over.
    pub(super) fn scan(
        &self,
        glance: &mut dyn FnMut(&[u8]) -> ScanStep,
        read: &mut dyn FnMut(TranscriptUtterance),
    ) {
        let (folder, firsts) = self.segments();
        let mut end = u64::MAX;
        for first in firsts.into_iter().rev() {
            if let Ok(segment) = Segment::read(folder, first)
                && segment.scan(end, glance, read) == Scanned::Stopped
            {
                return;
            }
            end = first;
        }
    }
}

/// How a scan ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Scanned {
    All,
    Stopped,
}

/// The bytes of a segment's files.
struct Segment {
    first: u64,
    lines: Vec<u8>,
    index: Vec<u8>,
}

impl Segment {
    fn read(folder: &Path, first: u64) -> io::Result<Self> {
        // the index first: what it names is in the lines by then
        let index = bytes(folder, first, Part::Index)?;
        let lines = bytes(folder, first, Part::Lines)?;
        Ok(Self {
            first,
            lines,
            index,
        })
    }

    /// Its lines of turns before `end`, newest first.
    fn scan(
        &self,
        end: u64,
        glance: &mut dyn FnMut(&[u8]) -> ScanStep,
        read: &mut dyn FnMut(TranscriptUtterance),
    ) -> Scanned {
        let head = Entry::place(0) as usize;
        let entries = self.index.get(head..).unwrap_or_default();
        let entries = entries.chunks_exact(ENTRY_BYTES as usize);
        for (at, entry) in entries.enumerate().rev() {
            let turn = self.first + at as u64;
            let Some(record) = self.record(entry).filter(|_| turn < end) else {
                continue;
            };
            match glance(record) {
                ScanStep::Skip => {}
                ScanStep::Stop => return Scanned::Stopped,
                ScanStep::Read => segment::decode(turn, record)
                    .into_iter()
                    .for_each(|line| read(line.said(turn))),
            }
        }
        Scanned::All
    }

    /// The record that an entry names; `None` for a gap or a place outside the file.
    fn record(&self, entry: &[u8]) -> Option<&[u8]> {
        let entry = Entry::read(entry).ok()?;
        if entry.is_gap() || !entry.fits(self.lines.len() as u64) {
            return None;
        }
        self.lines.get(entry.offset as usize..entry.end() as usize)
    }
}

/// A file of a segment, whole.
fn bytes(folder: &Path, first: u64, part: Part) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let file = private::open(&part.path(folder, first), OpenOptions::new().read(true))?;
    part.check(&file, first)?;
    let mut from_start = &file;
    io::Seek::rewind(&mut from_start)?;
    from_start.take(FILE_BYTES_MAX).read_to_end(&mut bytes)?;
    Ok(bytes)
}

impl Line {
    fn said(self, turn: u64) -> TranscriptUtterance {
        TranscriptUtterance {
            found: UtteranceRef {
                turn,
                stream: self.stream,
                utterance: self.utterance,
            },
            speaker: self.speaker,
            session_ms: self.start_ms,
            said_at_unix_ms: self.said_at_unix_ms,
            place: self.place,
            text: self.text,
        }
    }
}
