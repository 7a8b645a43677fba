//! Writes the transcript: appended by turn, bounded, and never stops memory.
//!
//! Lines wait in a small buffer and are written at the latest by [`TranscriptWriter::sync`]. When a
//! write fails, the buffered lines become gaps, the files are truncated to the last complete
//! record, and writing is tried again with the next line.

use super::disk::{Disk, SystemDisk};
use super::segment::{self, ENTRY_BYTES, Entry, HEAD_BYTES, Part};
use super::{Line, TranscriptStats};
use crate::store::error::StoreError;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use weir_core::limits;

/// Maximum number of messages kept for the user.
const PROBLEMS_MAX: usize = 16;

/// Statistics of a segment; its text is not in memory.
#[derive(Debug, Clone, Copy)]
pub(super) struct Segment {
    /// Its first turn.
    pub(super) first: u64,
    /// Turns in its index.
    pub(super) entries: u64,
    /// Turns that have a line.
    pub(super) lines: u64,
    /// Bytes of its records, including the header.
    pub(super) lines_bytes: u64,
    /// Bytes of its index, including the header.
    pub(super) index_bytes: u64,
}

impl Segment {
    /// First turn after it.
    pub(super) fn end(&self) -> u64 {
        self.first.saturating_add(self.entries)
    }

    /// Bytes of both files.
    pub(super) fn bytes(&self) -> u64 {
        self.lines_bytes + self.index_bytes
    }
}

/// The segment being written: its files and pending data.
#[derive(Debug)]
pub(super) struct Tail {
    pub(super) lines: File,
    pub(super) index: File,
    records: Vec<u8>,
    entries: Vec<u8>,
    /// Lines among the entries.
    waiting: u64,
    /// A write failed, and the files may be longer than their valid part.
    torn: bool,
    /// Something was written since the last sync.
    unsynced: bool,
}

impl Tail {
    /// For files that hold only complete records.
    pub(super) fn of(lines: File, index: File) -> Self {
        Self {
            lines,
            index,
            records: Vec::new(),
            entries: Vec::new(),
            waiting: 0,
            torn: false,
            unsynced: true,
        }
    }

    fn forget(&mut self) {
        self.records.clear();
        self.entries.clear();
        self.waiting = 0;
    }

    fn waiting_bytes(&self) -> u64 {
        (self.records.len() + self.entries.len()) as u64
    }

    fn waiting_entries(&self) -> u64 {
        self.entries.len() as u64 / ENTRY_BYTES
    }

    /// Truncates what a failed write left behind.
    fn mend(&mut self, disk: &dyn Disk, good: &Segment) -> io::Result<()> {
        if self.torn {
            disk.set_len(&self.index, Entry::place(good.entries))?;
            disk.set_len(&self.lines, good.lines_bytes)?;
            self.torn = false;
        }
        Ok(())
    }

    /// Writes pending data: records before the entries that locate them.
    fn write(&mut self, disk: &dyn Disk, good: &mut Segment) -> io::Result<()> {
        self.mend(disk, good)?;
        self.torn = true;
        self.unsynced = true;
        disk.write_at(&self.lines, good.lines_bytes, &self.records)?;
        disk.write_at(&self.index, Entry::place(good.entries), &self.entries)?;
        self.torn = false;
        good.lines_bytes += self.records.len() as u64;
        good.entries += self.waiting_entries();
        good.index_bytes = Entry::place(good.entries);
        good.lines += self.waiting;
        Ok(())
    }

    fn sync(&mut self, disk: &dyn Disk) -> io::Result<()> {
        if self.unsynced {
            disk.sync(&self.lines)?;
            disk.sync(&self.index)?;
            self.unsynced = false;
        }
        Ok(())
    }
}

/// Writes the transcript of one session.
#[derive(Debug)]
pub struct TranscriptWriter {
    pub(super) folder: PathBuf,
    pub(super) limit_bytes: u64,
    pub(super) disk: Box<dyn Disk>,
    /// Oldest first. The last one is being written if there is a tail.
    pub(super) segments: Vec<Segment>,
    pub(super) tail: Option<Tail>,
    /// Files set aside and their bytes, oldest first.
    pub(super) damaged: Vec<(PathBuf, u64)>,
    pub(super) next_turn: u64,
    /// Acknowledged turns that had no entry at opening: lost in a crash, or older than the
    /// transcript.
    pub(super) recovered_gaps: u64,
    /// A segment whose file name may not be durable yet.
    unsynced_name: Option<PathBuf>,
    failures: u64,
    problems: Vec<String>,
}

impl TranscriptWriter {
    /// Opens the transcript of a session that has acknowledged this many turns.
    ///
    /// Partial data left by a crash is cut off, and so is every line from `turns` on. Missing turns
    /// below become gaps. An unreadable segment is set aside and reported by [`Self::problems`].
    /// With a limit of 0 nothing is kept, and existing files are removed.
    ///
    /// # Errors
    /// The folder cannot be created or listed. The session can continue without a transcript.
    pub fn open(folder: &Path, limit_bytes: u64, turns: u64) -> Result<Self, StoreError> {
        Self::open_on(Box::new(SystemDisk), folder, limit_bytes, turns)
    }

    /// An empty transcript in a folder.
    pub(super) fn empty(disk: Box<dyn Disk>, folder: &Path, limit_bytes: u64) -> Self {
        Self {
            folder: folder.to_path_buf(),
            limit_bytes,
            disk,
            segments: Vec::new(),
            tail: None,
            damaged: Vec::new(),
            next_turn: 0,
            recovered_gaps: 0,
            unsynced_name: None,
            failures: 0,
            problems: Vec::new(),
        }
    }

    /// Adds the line of a turn. A turn added before is left unchanged; skipped turns become gaps.
    ///
    /// A line that cannot be written is a gap in [`Self::stats`], never an error.
    pub fn append(&mut self, turn: u64, line: &Line) {
        if self.limit_bytes == 0 || turn < self.next_turn {
            return;
        }
        self.next_turn = turn.saturating_add(1);
        if let Err(wrong) = self.put(turn, line) {
            self.note_failure("write", &wrong);
        }
    }

    fn put(&mut self, turn: u64, line: &Line) -> io::Result<()> {
        let record = segment::encode(turn, line)?;
        let length = record.len() as u64;
        // a quarter of the limit leaves space for the segment and its index
        if length > limits::TRANSCRIPT_RECORD_BYTES_MAX.min(self.limit_bytes / 4) {
            return Err(segment::invalid("an utterance is too long for its limit"));
        }
        self.reach(turn, length)?;
        let (Some(tail), Some(last)) = (&mut self.tail, self.segments.last()) else {
            return Ok(());
        };
        let offset = last.lines_bytes + tail.records.len() as u64;
        // Both fit 32 bits: a segment is at most 18 MiB long.
        let entry = Entry {
            offset: offset as u32,
            length: length as u32,
        };
        tail.records.extend_from_slice(&record);
        tail.entries.extend_from_slice(&entry.to_bytes());
        tail.waiting += 1;
        match tail.waiting_bytes() >= limits::TRANSCRIPT_BUFFER_BYTES as u64 {
            true => self.write_out(),
            false => Ok(()),
        }
    }

    /// Moves on to the entry of a turn whose record has this many bytes: fills skipped turns with
    /// gaps, or begins a segment if the open one is full.
    pub(super) fn reach(&mut self, turn: u64, record_bytes: u64) -> io::Result<()> {
        if self.segments.is_empty() && turn > 0 {
            // the first segment's number gives the number of evicted turns: 0
            self.begin(0)?;
        }
        let (Some(tail), Some(last)) = (&mut self.tail, self.segments.last()) else {
            return self.begin(turn);
        };
        let entries = last.entries + tail.waiting_entries();
        let gaps = turn.saturating_sub(last.first + entries);
        let grown = (last.bytes() + tail.waiting_bytes())
            .saturating_add(gaps.saturating_mul(ENTRY_BYTES))
            .saturating_add(ENTRY_BYTES + record_bytes);
        if grown <= segment_bytes_max(self.limit_bytes) || (entries == 0 && gaps == 0) {
            for _ in 0..gaps {
                tail.entries.extend_from_slice(&Entry::GAP.to_bytes());
            }
            return Ok(());
        }
        // pending lines belong to the old segment: if they cannot be written they are lost, and the
        // new segment is tried anyway
        self.flush();
        self.begin(turn)
    }

    /// Begins a segment; the previous one is synced.
    pub(super) fn begin(&mut self, first: u64) -> io::Result<()> {
        // bytes of a failed write must not stay without an entry
        self.mend()?;
        if let Some(mut tail) = self.tail.take()
            && let Err(wrong) = tail.sync(&*self.disk)
        {
            self.note_failure("sync", &wrong);
        }
        let index = self.make(Part::Index, first)?;
        let lines = match self.make(Part::Lines, first) {
            Ok(lines) => lines,
            Err(wrong) => {
                let _ = self.disk.remove(&Part::Index.path(&self.folder, first));
                return Err(wrong);
            }
        };
        self.unsynced_name = Some(Part::Lines.path(&self.folder, first));
        self.tail = Some(Tail::of(lines, index));
        self.segments.push(Segment {
            first,
            entries: 0,
            lines: 0,
            lines_bytes: HEAD_BYTES,
            index_bytes: HEAD_BYTES,
        });
        self.make_room(0)
    }

    fn make(&self, part: Part, first: u64) -> io::Result<File> {
        let path = part.path(&self.folder, first);
        let file = self.disk.create(&path)?;
        match self.disk.write_at(&file, 0, &part.head(first)) {
            Ok(()) => Ok(file),
            Err(wrong) => {
                let _ = self.disk.remove(&path);
                Err(wrong)
            }
        }
    }

    /// Frees this many bytes: files set aside go first, then whole oldest segments, never the last.
    pub(super) fn make_room(&mut self, more: u64) -> io::Result<()> {
        let mut over = (self.bytes() + more).saturating_sub(self.limit_bytes);
        while over > 0 && !self.damaged.is_empty() {
            let (path, bytes) = &self.damaged[0];
            self.disk.remove(path)?;
            over = over.saturating_sub(*bytes);
            self.damaged.remove(0);
        }
        while over > 0 && self.segments.len() > 1 {
            let oldest = self.segments[0];
            self.remove_segment(oldest.first)?;
            over = over.saturating_sub(oldest.bytes());
            self.segments.remove(0);
        }
        match over {
            0 => Ok(()),
            _ => Err(io::Error::other("its limit leaves no room")),
        }
    }

    /// Removes both files, `.lines` first: an index alone is recognised as the rest of a removal.
    pub(super) fn remove_segment(&self, first: u64) -> io::Result<()> {
        self.disk.remove(&Part::Lines.path(&self.folder, first))?;
        self.disk.remove(&Part::Index.path(&self.folder, first))
    }

    /// Writes pending lines without a sync: readers see them, and a killed process loses none.
    pub fn flush(&mut self) {
        if let Err(wrong) = self.write_out() {
            self.note_failure("write", &wrong);
        }
    }

    pub(super) fn write_out(&mut self) -> io::Result<()> {
        let waiting = self.tail.as_ref().map_or(0, Tail::waiting_bytes);
        if waiting == 0 {
            return Ok(());
        }
        let room = self.make_room(waiting);
        let (Some(tail), Some(last)) = (&mut self.tail, self.segments.last_mut()) else {
            return Ok(());
        };
        let written = room.and_then(|()| tail.write(&*self.disk, last));
        tail.forget();
        if written.is_err() {
            // repeated before the next write if it fails
            let _ = tail.mend(&*self.disk, last);
        }
        written
    }

    /// Writes pending lines and syncs: records, then index. Call it before committing the session's
    /// journal, so that every acknowledged turn has its line.
    ///
    /// A failure is counted, reported by [`Self::problems`], and tried again with the next sync.
    pub fn sync(&mut self) {
        self.flush();
        let mut synced = match &mut self.tail {
            Some(tail) => tail.sync(&*self.disk),
            None => Ok(()),
        };
        if let (Ok(()), Some(path)) = (&synced, &self.unsynced_name) {
            synced = self.disk.sync_names(path);
            if synced.is_ok() {
                self.unsynced_name = None;
            }
        }
        if let Err(wrong) = synced {
            self.note_failure("sync", &wrong);
        }
    }

    /// Truncates what a failed write left in the files.
    pub(super) fn mend(&mut self) -> io::Result<()> {
        match (&mut self.tail, self.segments.last()) {
            (Some(tail), Some(last)) => tail.mend(&*self.disk, last),
            _ => Ok(()),
        }
    }

    /// Current statistics. Buffered lines are not counted yet, neither as lines nor as gaps.
    #[must_use]
    pub fn stats(&self) -> TranscriptStats {
        let utterances = self.segments.iter().map(|segment| segment.lines).sum();
        let evicted = self.segments.first().map_or(0, |oldest| oldest.first);
        let waiting = self.tail.as_ref().map_or(0, |tail| tail.waiting);
        TranscriptStats {
            bytes: self.bytes(),
            utterances,
            evicted,
            gaps: self
                .next_turn
                .saturating_sub(evicted + utterances + waiting),
            limit_bytes: self.limit_bytes,
        }
    }

    pub(super) fn bytes(&self) -> u64 {
        let segments: u64 = self.segments.iter().map(Segment::bytes).sum();
        segments + self.damaged.iter().map(|(_, bytes)| bytes).sum::<u64>()
    }

    /// The turn that comes next.
    #[must_use]
    pub fn next_turn(&self) -> u64 {
        self.next_turn
    }

    /// Number of failed writes and syncs since opening.
    #[must_use]
    pub fn failures(&self) -> u64 {
        self.failures
    }

    /// Messages for the user: segments set aside, and the first write error.
    #[must_use]
    pub fn problems(&self) -> &[String] {
        &self.problems
    }

    pub(super) fn note(&mut self, problem: String) {
        if self.problems.len() < PROBLEMS_MAX {
            self.problems.push(problem);
        }
    }

    pub(super) fn note_failure(&mut self, doing: &str, wrong: &io::Error) {
        self.failures += 1;
        if self.failures == 1 {
            let folder = self.folder.display();
            self.note(format!(
                "{folder}: cannot {doing} the transcript: {wrong}; memory continues, \
                 and the transcript is tried again with the next utterance"
            ));
        }
    }
}

impl Drop for TranscriptWriter {
    fn drop(&mut self) {
        // lines that cannot be written now become gaps for the next writer
        let _ = self.write_out();
    }
}

/// Bytes of a segment, both files, before the next begins.
pub(super) fn segment_bytes_max(limit_bytes: u64) -> u64 {
    (limit_bytes / limits::TRANSCRIPT_SEGMENT_PART).clamp(
        limits::TRANSCRIPT_SEGMENT_BYTES_MIN,
        limits::TRANSCRIPT_SEGMENT_BYTES_MAX,
    )
}
