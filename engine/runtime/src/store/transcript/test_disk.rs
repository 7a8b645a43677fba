//! A failing disk for tests, and helpers shared by the tests of the transcript.

use super::disk::{Disk, SystemDisk};
use super::{Line, TranscriptReader, TranscriptWriter};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard};
use weir_core::stream::{AudioSpan, Span};
use weir_core::transcript::Place;

/// What fails.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Refusal {
    #[default]
    Nothing,
    /// Creating files and adding bytes; truncating and removing work.
    Full,
    /// Every change.
    Everything,
    /// Syncs only.
    Sync,
    /// One call, after this many.
    Once(u64),
}

#[derive(Debug, Default)]
struct State {
    refusal: Refusal,
    calls: u64,
}

/// A disk with planned failures. A failed write leaves half of its bytes behind. It never really
/// syncs: the tests read it back on the same system.
#[derive(Debug, Clone, Default)]
pub(super) struct TestDisk(Arc<Mutex<State>>);

#[derive(Clone, Copy, PartialEq, Eq)]
enum Call {
    Grow,
    Shrink,
    Sync,
}

impl TestDisk {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap()
    }

    pub(super) fn refuse(&self, refusal: Refusal) {
        self.state().refusal = refusal;
    }

    /// Calls so far.
    pub(super) fn calls(&self) -> u64 {
        self.state().calls
    }

    fn ask(&self, call: Call) -> io::Result<()> {
        let mut state = self.state();
        let calls = state.calls;
        state.calls += 1;
        let is_refused = match state.refusal {
            Refusal::Nothing => false,
            Refusal::Full => call == Call::Grow,
            Refusal::Everything => true,
            Refusal::Sync => call == Call::Sync,
            Refusal::Once(after) => calls == after,
        };
        match is_refused {
            true => Err(io::ErrorKind::StorageFull.into()),
            false => Ok(()),
        }
    }

    /// Opens a transcript on it.
    pub(super) fn open(&self, folder: &Path, limit_bytes: u64, turns: u64) -> TranscriptWriter {
        TranscriptWriter::open_on(Box::new(self.clone()), folder, limit_bytes, turns).unwrap()
    }
}

impl Disk for TestDisk {
    fn create(&self, path: &Path) -> io::Result<File> {
        self.ask(Call::Grow)?;
        SystemDisk.create(path)
    }

    fn write_at(&self, file: &File, offset: u64, bytes: &[u8]) -> io::Result<()> {
        let asked = self.ask(Call::Grow);
        let written = match asked {
            Ok(()) => bytes,
            Err(_) => &bytes[..bytes.len() / 2],
        };
        SystemDisk.write_at(file, offset, written)?;
        asked
    }

    fn set_len(&self, file: &File, bytes: u64) -> io::Result<()> {
        self.ask(Call::Shrink)?;
        SystemDisk.set_len(file, bytes)
    }

    fn sync(&self, _: &File) -> io::Result<()> {
        self.ask(Call::Sync)
    }

    fn sync_names(&self, _: &Path) -> io::Result<()> {
        self.ask(Call::Sync)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        self.ask(Call::Shrink)?;
        SystemDisk.remove(path)
    }
}

/// The line of a turn, with a text of this many bytes that contains the turn.
pub(super) fn line_of(turn: u64, text_bytes: usize) -> Line {
    let mut text = format!("<turn {turn}> ");
    while text.len() < text_bytes {
        text.push_str("words ");
    }
    Line {
        stream: "kitchen".to_owned(),
        utterance: format!("u{turn}"),
        speaker: turn.is_multiple_of(2).then(|| "Ana".to_owned()),
        start_ms: 1_000 * turn,
        said_at_unix_ms: turn.is_multiple_of(3).then_some(-5),
        text,
        place: turn.is_multiple_of(5).then(|| Place {
            span: Span::new(7 * turn, 8 * turn),
            audio: turn.is_multiple_of(10).then(|| AudioSpan {
                file: "kitchen.wav".to_owned(),
                span: Span::new(turn, 2 * turn),
            }),
        }),
    }
}

/// Every file of a folder.
pub(super) fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

/// Bytes of all files of a folder.
pub(super) fn disk_bytes(folder: &Path) -> u64 {
    let lengths = files(folder)
        .into_iter()
        .map(|file| file.metadata().unwrap().len());
    lengths.sum()
}

/// Whether any file of a folder contains these bytes.
pub(super) fn is_on_disk(folder: &Path, words: &str) -> bool {
    files(folder).iter().any(|file| {
        let bytes = std::fs::read(file).unwrap();
        bytes
            .windows(words.len())
            .any(|found| found == words.as_bytes())
    })
}

/// Turns below `end` that a new reader finds; checks each line.
pub(super) fn found(folder: &Path, end: u64, text_bytes: usize) -> Vec<u64> {
    let reader = TranscriptReader::open(folder);
    let all = (0..end).filter(|turn| {
        let line = reader.line(*turn);
        if let Some(line) = &line {
            assert_eq!(*line, line_of(*turn, text_bytes));
        }
        line.is_some()
    });
    all.collect()
}
