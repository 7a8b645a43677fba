//! Looks up lines by turn, alongside a writer and without a lock.
//!
//! Meanwhile the writer may begin, evict or erase segments. A returned line was complete in the
//! file at one moment; anything else is `None`.

use super::Line;
use super::segment::{self, ENTRY_BYTES, Entry, FILE_BYTES_MAX, Part};
use crate::private;
use parking_lot::Mutex;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use weir_core::limits::TRANSCRIPT_OPEN_SEGMENTS_MAX;
use weir_core::transcript::{ScanStep, Transcript, TranscriptUtterance, UtteranceRef};

/// Why there is no line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Missing {
    /// It is evicted, erased or damaged, or was not written.
    Line,
    /// The segment's files do not exist any more, or end before the turn: the segments may have
    /// changed since they were listed.
    Segment,
}

impl From<io::Error> for Missing {
    fn from(wrong: io::Error) -> Self {
        match wrong.kind() {
            // the writer has begun a file or an entry but not completed it
            io::ErrorKind::NotFound | io::ErrorKind::UnexpectedEof => Self::Segment,
            _ => Self::Line,
        }
    }
}

/// The files of a segment, kept open.
#[derive(Debug)]
struct OpenSegment {
    first: u64,
    lines: File,
    index: File,
}

impl OpenSegment {
    fn open(folder: &Path, first: u64) -> io::Result<Self> {
        let open =
            |part: Part| private::open(&part.path(folder, first), OpenOptions::new().read(true));
        let lines = open(Part::Lines)?;
        Part::Lines.check(&lines, first)?;
        let index = open(Part::Index)?;
        Part::Index.check(&index, first)?;
        Ok(Self {
            first,
            lines,
            index,
        })
    }

    /// Whether the files still have their names. Only Unix removes the name of an open file.
    fn is_there(&self) -> bool {
        #[cfg(unix)]
        {
            use std::os::unix::fs::MetadataExt;
            let linked = |file: &File| file.metadata().is_ok_and(|found| found.nlink() > 0);
            linked(&self.lines) && linked(&self.index)
        }
        #[cfg(not(unix))]
        true
    }

    fn entry(&self, turn: u64) -> Result<Entry, Missing> {
        let at = turn - self.first;
        if at >= FILE_BYTES_MAX / ENTRY_BYTES {
            return Err(Missing::Segment);
        }
        let mut index = &self.index;
        index.seek(SeekFrom::Start(Entry::place(at)))?;
        let entry = Entry::read(index)?;
        match entry.is_gap() {
            true => Err(Missing::Line),
            false => Ok(entry),
        }
    }

    fn line(&self, turn: u64) -> Result<Line, Missing> {
        let entry = self.entry(turn)?;
        match self.record(turn, entry) {
            // erased or cut off between the two reads: the index is up to date now
            Err(_) if self.entry(turn)? != entry => self.record(turn, self.entry(turn)?),
            found => found,
        }
    }

    fn record(&self, turn: u64, entry: Entry) -> Result<Line, Missing> {
        if !entry.fits(FILE_BYTES_MAX) {
            return Err(Missing::Line);
        }
        let mut lines = &self.lines;
        let mut record = vec![0; entry.length as usize];
        lines.seek(SeekFrom::Start(u64::from(entry.offset)))?;
        match lines.read_exact(&mut record) {
            Err(_) => Err(Missing::Line),
            Ok(()) => segment::decode(turn, &record).ok_or(Missing::Line),
        }
    }
}

/// Cached state of the folder.
#[derive(Debug, Default)]
struct Known {
    /// First turns of the segments at the last listing, ascending.
    firsts: Vec<u64>,
    /// Open segments, most recently used last.
    open: Vec<OpenSegment>,
}

impl Known {
    /// Lists the folder again; a folder that cannot be listed counts as empty.
    fn list(&mut self, folder: &Path) {
        self.firsts = segment::list(folder).unwrap_or_default().lines;
        self.open.retain(OpenSegment::is_there);
    }

    /// The line of a turn, using the known segments.
    fn line(&mut self, folder: &Path, turn: u64) -> Result<Line, Missing> {
        let after = self.firsts.partition_point(|first| *first <= turn);
        match (after, self.firsts.is_empty()) {
            (_, true) => Err(Missing::Segment),
            (0, false) => Err(Missing::Line),
            (after, false) => self.segment(folder, self.firsts[after - 1])?.line(turn),
        }
    }

    /// A segment's files; opens them if needed.
    fn segment(&mut self, folder: &Path, first: u64) -> Result<&OpenSegment, Missing> {
        let at = self.open.iter().position(|open| open.first == first);
        let segment = match at.map(|at| self.open.remove(at)) {
            Some(open) if open.is_there() => open,
            Some(_) => return Err(Missing::Segment),
            None => OpenSegment::open(folder, first)?,
        };
        if self.open.len() == TRANSCRIPT_OPEN_SEGMENTS_MAX {
            self.open.remove(0);
        }
        self.open.push(segment);
        self.open.last().ok_or(Missing::Segment)
    }
}

/// Reads the transcript of one session; threads may share it.
#[derive(Debug)]
pub struct TranscriptReader {
    folder: PathBuf,
    known: Mutex<Known>,
}

impl TranscriptReader {
    /// Sets the folder. It is read at the first look-up and need not exist.
    #[must_use]
    pub fn open(folder: &Path) -> Self {
        Self {
            folder: folder.to_path_buf(),
            known: Mutex::default(),
        }
    }

    /// The line of a turn; `None` if there is none, no longer or not yet.
    #[must_use]
    pub fn line(&self, turn: u64) -> Option<Line> {
        let mut known = self.known.lock();
        let mut found = known.line(&self.folder, turn);
        if let Err(Missing::Segment) = found {
            // segments were begun or evicted since the last listing
            known.list(&self.folder);
            found = known.line(&self.folder, turn);
        }
        found.ok()
    }

    /// The text of a turn, if it belongs to this stream and utterance.
    #[must_use]
    pub fn text(&self, turn: u64, stream: &str, utterance: &str) -> Option<String> {
        let line = self.line(turn)?;
        (line.stream == stream && line.utterance == utterance).then_some(line.text)
    }

    /// Every readable line with its turn, oldest first: for exports, not for answers.
    pub fn lines(&self) -> impl Iterator<Item = (u64, Line)> + '_ {
        let mut known = self.known.lock();
        known.list(&self.folder);
        Lines {
            reader: self,
            turn: known.firsts.first().copied().unwrap_or(0),
            firsts: known.firsts.clone(),
            at: 0,
        }
    }

    /// The first turns of all segments, ascending, and the folder's files.
    pub(super) fn segments(&self) -> (&Path, Vec<u64>) {
        let mut known = self.known.lock();
        known.list(&self.folder);
        (&self.folder, known.firsts.clone())
    }
}

/// All lines of the segments that existed at the start.
struct Lines<'a> {
    reader: &'a TranscriptReader,
    firsts: Vec<u64>,
    /// Index of the current segment.
    at: usize,
    turn: u64,
}

impl Iterator for Lines<'_> {
    type Item = (u64, Line);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let first = *self.firsts.get(self.at)?;
            let next = self.firsts.get(self.at + 1).copied().unwrap_or(u64::MAX);
            let mut known = self.reader.known.lock();
            let found = match known.segment(&self.reader.folder, first) {
                Ok(segment) if self.turn < next => segment.line(self.turn),
                // At its end, evicted or damaged.
                _ => Err(Missing::Segment),
            };
            drop(known);
            let turn = self.turn;
            match found {
                Err(Missing::Segment) => {
                    self.at += 1;
                    self.turn = next;
                }
                found => {
                    self.turn += 1;
                    if let Ok(line) = found {
                        return Some((turn, line));
                    }
                }
            }
        }
    }
}

impl Transcript for TranscriptReader {
    fn utterance(&self, turn: u64, stream: &str, id: &str) -> Option<String> {
        self.text(turn, stream, id)
    }

    fn newest_first(
        &self,
        glance: &mut dyn FnMut(&[u8]) -> ScanStep,
        read: &mut dyn FnMut(TranscriptUtterance),
    ) {
        self.scan(glance, read);
    }

    fn find(&self, wanted: &dyn Fn(&str, &str, Option<&str>) -> bool) -> Vec<UtteranceRef> {
        let named = |line: &Line| wanted(&line.stream, &line.utterance, line.speaker.as_deref());
        let all = self.lines().filter(|(_, line)| named(line));
        all.map(|(turn, line)| UtteranceRef {
            turn,
            stream: line.stream,
            utterance: line.utterance,
        })
        .collect()
    }
}
