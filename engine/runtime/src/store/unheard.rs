//! Recorded audio that is not recognised yet: how far each live stream was recognised.
//!
//! While a process listens, a mark per stream is stored beside the recordings; it stays there if
//! the process is killed. It is only a hint: utterances are in the journal, and an old mark costs
//! recognising some seconds again. The file is replaced as a whole.

use super::error::StoreError;
use super::layout::{self, Layout};
use super::lock;
use super::segment::{self, SAMPLES_PER_MS, Segment};
use crate::private;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeSet, VecDeque};
use std::path::{Path, PathBuf};
use weir_api::Unrecognised;

/// The file of the marks, in the folder of recordings.
const MARKS: &str = "unheard.json";
const FORMAT: u32 = 1;
/// Maximum number of marked streams. The oldest is dropped; that needs as many killed processes
/// without a later one that listens.
const STREAMS_MAX: usize = 16;
/// Maximum size of the file.
const BYTES_MAX: u64 = 1 << 20;
/// Samples read at a time: one second.
const PIECE_SAMPLES: u64 = 16_000;

/// How far a recorded stream was recognised.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HeardMark {
    /// Name of the stream.
    pub stream: String,
    /// Wall time of its time 0, in Unix milliseconds.
    pub started_at_unix_ms: Option<i64>,
    /// Stream time before which everything is recognised.
    pub heard_ms: u64,
    /// End of the last utterance passed to memory.
    pub said_ms: u64,
    /// Utterances numbered so far.
    pub spoken: u64,
}

impl HeardMark {
    /// Stream time to resume from after a crash. `kept_ms` is the end of the session's last
    /// utterance if this is its running stream, else `None`.
    #[must_use]
    pub fn resumes_at(&self, kept_ms: Option<u64>) -> u64 {
        match kept_ms {
            // utterances passed to memory but not stored are recognised again
            Some(kept_ms) if kept_ms < self.said_ms => kept_ms,
            Some(kept_ms) => self.heard_ms.max(kept_ms),
            None => self.heard_ms,
        }
    }
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct File {
    format: u32,
    streams: Vec<HeardMark>,
    /// Names of those that the process which wrote the file recognises; earlier builds do not say.
    #[serde(default)]
    here: BTreeSet<String>,
}

/// The marks of a session directory, for the process that listens. All that listens there shares
/// them: the file is written as a whole.
#[derive(Debug)]
pub struct HeardMarks {
    file: PathBuf,
    marks: Vec<HeardMark>,
    /// Names of the streams that this process recognises.
    here: BTreeSet<String>,
}

impl HeardMarks {
    /// Reads the marks of a session directory. Unreadable ones count as none.
    #[must_use]
    pub fn open(dir: &Path) -> Self {
        let file = Layout::of(dir).audio().join(MARKS);
        Self {
            marks: read(&file).streams,
            file,
            here: BTreeSet::new(),
        }
    }

    /// The streams that are marked, the oldest first.
    #[must_use]
    pub fn marks(&self) -> &[HeardMark] {
        &self.marks
    }

    /// The streams that an earlier process left, the oldest first; from now on this process
    /// recognises them.
    pub(crate) fn take_left(&mut self) -> Vec<HeardMark> {
        let (marks, here) = (self.marks.iter(), &mut self.here);
        let left = marks.filter(|mark| here.insert(mark.stream.clone()));
        left.cloned().collect()
    }

    /// Marks a stream that this process recognises; returns the mark dropped for it, if there were
    /// too many.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn set(&mut self, mark: HeardMark) -> Result<Option<HeardMark>, StoreError> {
        let mut gone = None;
        self.here.insert(mark.stream.clone());
        match self.marks.iter_mut().find(|it| it.stream == mark.stream) {
            Some(known) if *known == mark => return Ok(None),
            Some(known) => *known = mark,
            None => {
                if self.marks.len() == STREAMS_MAX {
                    gone = Some(self.marks.remove(0));
                }
                self.marks.push(mark);
            }
        }
        self.write().map(|()| gone)
    }

    /// Removes the mark of a stream that was recognised completely.
    ///
    /// # Errors
    /// When the file cannot be written or removed.
    pub fn heard(&mut self, stream: &str) -> Result<(), StoreError> {
        self.marks.retain(|mark| mark.stream != stream);
        self.here.remove(stream);
        if self.marks.is_empty() {
            return layout::remove(&self.file).map(drop);
        }
        self.write()
    }

    /// Removes the marks of completely recognised streams, after all of their text is in the
    /// journal.
    ///
    /// # Errors
    /// When the file cannot be written or removed, or the recordings cannot be listed.
    pub fn settle(dir: &Path) -> Result<(), StoreError> {
        let mut marks = Self::open(dir);
        for mark in marks.marks.clone() {
            marks.settle_stream(&mark.stream)?;
        }
        Ok(())
    }

    /// The same for one stream.
    pub(crate) fn settle_stream(&mut self, stream: &str) -> Result<(), StoreError> {
        let Some(mark) = self.marks.iter().find(|mark| mark.stream == stream) else {
            return Ok(());
        };
        let folder = self.file.parent().unwrap_or(Path::new("."));
        match Recorded::in_folder(folder, stream, mark.heard_ms)?.left_ms() {
            0 => self.heard(stream),
            _ => Ok(()),
        }
    }

    fn write(&self) -> Result<(), StoreError> {
        let failed = StoreError::file(&self.file, "mark in it what was heard");
        let file = File {
            format: FORMAT,
            streams: self.marks.clone(),
            here: self.here.clone(),
        };
        let text = serde_json::to_vec(&file).map_err(std::io::Error::from);
        let folder = self.file.parent().unwrap_or(Path::new("."));
        text.and_then(|text| {
            private::make_folder(folder)?;
            private::replace(&self.file, &[&text]).map(drop)
        })
        .map_err(failed)
    }
}

fn read(file: &Path) -> File {
    let is_small = std::fs::metadata(file).is_ok_and(|about| about.len() <= BYTES_MAX);
    let text = is_small.then(|| private::read(file).unwrap_or_default());
    let read = text.and_then(|text| serde_json::from_slice::<File>(&text).ok());
    read.filter(|read| read.format == FORMAT)
        .unwrap_or_default()
}

/// Unrecognised audio in a session directory. Takes no lock and changes nothing.
#[must_use]
pub fn unrecognised(dir: &Path) -> Vec<Unrecognised> {
    let layout = Layout::of(dir);
    let File { streams, here, .. } = read(&layout.audio().join(MARKS));
    if streams.is_empty() {
        return Vec::new();
    }
    let segments = segment::list(&layout.audio()).unwrap_or_default();
    let is_open = lock::is_held(&layout);
    let of = |mark: HeardMark| {
        let key = segment::key_of(&mark.stream);
        let kept = segments.iter().filter(|segment| segment.key == key);
        let from = |it: &Segment| it.start_ms.max(mark.heard_ms);
        let waiting = kept.map(|it| it.whole_end_ms().saturating_sub(from(it)));
        Unrecognised {
            waiting_ms: waiting.sum(),
            live: is_open && here.contains(&mark.stream),
            stream: mark.stream,
            from_ms: mark.heard_ms,
        }
    };
    streams.into_iter().map(of).collect()
}

/// Reads the recording of a stream from a given time, with silence for missing parts.
#[derive(Debug)]
pub struct Recorded {
    folder: PathBuf,
    segments: VecDeque<Segment>,
    /// Stream time of the next sample, in samples.
    at: u64,
}

impl Recorded {
    /// The recordings of `stream` from `from_ms` on.
    ///
    /// # Errors
    /// When the folder cannot be read.
    pub fn open(dir: &Path, stream: &str, from_ms: u64) -> Result<Self, StoreError> {
        Self::in_folder(&Layout::of(dir).audio(), stream, from_ms)
    }

    fn in_folder(folder: &Path, stream: &str, from_ms: u64) -> Result<Self, StoreError> {
        let key = segment::key_of(stream);
        let segments = segment::list(folder).map_err(StoreError::file(folder, "list it"))?;
        let segments = segments
            .into_iter()
            .filter(|segment| segment.key == key && segment.end_ms() > from_ms);
        Ok(Self {
            folder: folder.to_path_buf(),
            segments: segments.collect(),
            at: from_ms * SAMPLES_PER_MS,
        })
    }

    /// Milliseconds left.
    #[must_use]
    pub fn left_ms(&self) -> u64 {
        let end_ms = self.segments.back().map_or(0, Segment::whole_end_ms);
        end_ms.saturating_sub(self.at / SAMPLES_PER_MS)
    }

    /// The next second of 16 kHz mono, or less; empty at the end.
    ///
    /// # Errors
    /// When a file cannot be read.
    pub fn read(&mut self) -> Result<Vec<i16>, StoreError> {
        while let Some(segment) = self.segments.front() {
            let start = segment.start_ms * SAMPLES_PER_MS;
            if self.at < start {
                let gap = (start - self.at).min(PIECE_SAMPLES);
                self.at += gap;
                return Ok(vec![0; gap as usize]);
            }
            let path = self.folder.join(segment.file_name());
            let samples = match segment::read(&path, self.at - start, PIECE_SAMPLES) {
                // evicted meanwhile: replaced by silence
                Err(wrong) if wrong.kind() == std::io::ErrorKind::NotFound => Vec::new(),
                read => read.map_err(StoreError::file(&path, "read audio from it"))?,
            };
            if !samples.is_empty() {
                self.at += samples.len() as u64;
                return Ok(samples);
            }
            self.segments.pop_front();
        }
        Ok(Vec::new())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::AudioSpool;

    fn mark(stream: &str, heard_ms: u64, said_ms: u64) -> HeardMark {
        HeardMark {
            stream: stream.to_owned(),
            started_at_unix_ms: Some(1_000),
            heard_ms,
            said_ms,
            spoken: 3,
        }
    }

    #[test]
    fn what_memory_did_not_write_down_is_heard_again() {
        let mark = mark("a", 9_000, 8_000);
        assert_eq!(mark.resumes_at(Some(8_000)), 9_000);
        assert_eq!(mark.resumes_at(Some(9_500)), 9_500);
        assert_eq!(mark.resumes_at(Some(5_000)), 5_000);
        assert_eq!(mark.resumes_at(Some(0)), 0);
        assert_eq!(mark.resumes_at(None), 9_000);
    }

    #[test]
    fn marks_are_read_again_and_go_with_the_last_stream() {
        let dir = tempfile::tempdir().expect("a folder");
        let mut marks = HeardMarks::open(dir.path());
        assert_eq!(marks.marks(), []);
        for n in 0..=STREAMS_MAX {
            let gone = marks.set(mark(&format!("s{n}"), 5, 5)).expect("written");
            assert_eq!(gone.is_some(), n == STREAMS_MAX);
        }
        marks.set(mark("s3", 7, 6)).expect("written");
        let read = HeardMarks::open(dir.path());
        assert_eq!(read.marks().len(), STREAMS_MAX);
        assert_eq!(read.marks()[0].stream, "s1");
        assert_eq!(read.marks()[2], mark("s3", 7, 6));
        for n in 1..=STREAMS_MAX {
            marks.heard(&format!("s{n}")).expect("written");
        }
        assert!(!dir.path().join("audio").join(MARKS).exists());
        marks.heard("s1").expect("there is none");
        // damaged marks must not prevent listening
        std::fs::write(dir.path().join("audio").join(MARKS), b"{").expect("written");
        assert_eq!(HeardMarks::open(dir.path()).marks(), []);
    }

    /// Regression: a source that ended within a millisecond left "1 s" unrecognised for ever.
    #[test]
    fn less_than_a_millisecond_does_not_wait() {
        let dir = tempfile::tempdir().expect("a folder");
        let mut spool = AudioSpool::open(dir.path(), 1 << 30).expect("it opens");
        spool.begin("live 1", 0).expect("it begins");
        spool.append(&[1; 3 * 16_000 + 1]).expect("written");
        drop(spool);
        let mut marks = HeardMarks::open(dir.path());
        marks.set(mark("live 1", 3_000, 2_000)).expect("written");
        assert_eq!(unrecognised(dir.path())[0].waiting_ms, 0);
        HeardMarks::settle(dir.path()).expect("written");
        assert_eq!(unrecognised(dir.path()), []);
    }

    #[test]
    fn what_waits_is_read_back_with_silence_in_its_gaps() {
        let dir = tempfile::tempdir().expect("a folder");
        let mut spool = AudioSpool::open(dir.path(), 1 << 30).expect("it opens");
        spool.begin("live 1", 0).expect("it begins");
        spool.append(&vec![1; 3 * 16_000]).expect("written");
        spool.begin("live 1", 5_000).expect("it goes on");
        spool.append(&vec![2; 16_000]).expect("written");
        spool.begin("live 2", 0).expect("another");
        spool.append(&vec![9; 16_000]).expect("written");
        let mut marks = HeardMarks::open(dir.path());
        marks.set(mark("live 1", 2_500, 2_000)).expect("written");
        let waits = Unrecognised {
            stream: "live 1".to_owned(),
            from_ms: 2_500,
            waiting_ms: 1_500,
            live: false,
        };
        assert_eq!(unrecognised(dir.path()), [waits]);
        let mut recorded = Recorded::open(dir.path(), "live 1", 2_500).expect("it opens");
        assert_eq!(recorded.left_ms(), 3_500);
        let mut all = Vec::new();
        loop {
            let samples = recorded.read().expect("read");
            if samples.is_empty() {
                break;
            }
            assert!(samples.len() as u64 <= PIECE_SAMPLES);
            all.extend(samples);
        }
        let expected = [vec![1; 8_000], vec![0; 32_000], vec![2; 16_000]].concat();
        assert!(all == expected, "{} samples", all.len());
        assert_eq!(recorded.left_ms(), 0);
    }
}
