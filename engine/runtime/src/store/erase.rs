//! Permanent erasure: rewrites the session's files without the erased data.
//!
//! The store is rewritten and replaced, since a freed page keeps its bytes; the recorded audio
//! becomes silence; the bytes of the old files are overwritten, and the receipt names those that
//! could not be. Audio goes first: after a crash in between, memory still names what is to be
//! erased, and erasing again completes it.

use super::archive::recorded;
use super::error::StoreError;
use super::heard_voices::HeardVoices;
use super::layout::{self, Layout};
use super::segment::{self, SAMPLES_PER_MS};
use super::tables::{self, Extent, Tables};
use super::transcript::TranscriptWriter;
use super::writer::Writer;
use crate::private;
use crate::views;
use std::fs::OpenOptions;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use weir_api::Receipt;
use weir_core::session::{Erased, Erasure, Session};
use weir_core::stream::{AudioSpan, speaker_label};

/// Limits of an erasure, which every receipt names.
const LIMITS: &str = "where the file system or the disk does not write in place (btrfs, ZFS, APFS, \
                      SSDs), and in snapshots, backups and swap, old bytes can remain";

/// The receipt of an erasure whose files are still to be named.
pub(crate) fn receipt_of(erased: Erased) -> Receipt {
    Receipt {
        erased: weir_api::Erased {
            utterances: erased.utterances,
            raw: erased.raw,
            nodes: erased.nodes,
            rewritten: erased.rewritten,
            summaries: erased.summaries,
            beliefs: erased.beliefs,
            facts: erased.facts,
            passages: erased.passages,
        },
        limits: LIMITS.to_owned(),
        ..Receipt::default()
    }
}

/// Files as a receipt shows them.
pub(crate) fn shown(files: impl IntoIterator<Item = PathBuf>) -> impl Iterator<Item = String> {
    files.into_iter().map(|file| file.display().to_string())
}

impl Writer {
    /// Rewrites every file of the session, from a session with the erasure applied, and silences
    /// the recorded audio of erased utterances.
    ///
    /// # Errors
    /// [`StoreError::Unfinished`]: a file cannot be written. Memory is then unchanged, some of the
    /// audio may be silent and some lines gone. A failure of the last step, the view for readers,
    /// is only logged: without it they read the store.
    pub fn erase(
        self,
        session: &Session,
        erasure: &Erasure,
        erased: Erased,
    ) -> Result<(Self, Receipt), StoreError> {
        self.erase_files(session, erasure, erased)
            .map_err(StoreError::unfinished)
    }

    fn erase_files(
        self,
        session: &Session,
        erasure: &Erasure,
        erased: Erased,
    ) -> Result<(Self, Receipt), StoreError> {
        let mut receipt = silenced(&self.layout.audio(), erasure, erased)?;
        receipt
            .files
            .extend(shown(self.erase_lines(session, erasure)?));
        receipt.files.extend(shown(self.erase_voices(session)?));
        let image = session.to_image();
        let (memory, view) = (self.layout.memory(), self.layout.view());
        let seq = self.extent.last_seq;
        self.tables.copy_without_journal(&memory, seq, &image)?;
        let Self {
            layout,
            tables,
            lock,
            created,
            ..
        } = self;
        drop(tables);
        // first the view, which still has the words: readers without it use the store
        let old = [layout::remove(&view)?, layout::put_in_place(&memory)?];
        receipt.not_overwritten.extend(old.into_iter().flatten());
        let tables = Arc::new(Tables::open(&memory, &tables::plain)?);
        let mut writer = Self {
            layout,
            tables,
            lock,
            extent: Extent {
                snapshot_seq: seq,
                snapshot_bytes: image.len() as u64,
                last_seq: seq,
                journal_bytes: 0,
            },
            created,
            stopped: false,
        };
        if let Err(wrong) = writer.publish_image(&image) {
            log::warn!("{wrong}");
        }
        receipt.files.extend(shown([memory, view]));
        receipt.files.sort();
        receipt.files.dedup();
        Ok((writer, receipt))
    }
}

impl Writer {
    /// Removes the prints of voices of which nothing is held any more.
    fn erase_voices(&self, session: &Session) -> Result<Option<PathBuf>, StoreError> {
        let (names, held) = (session.speaker_names(), session.speakers());
        HeardVoices::retain(self.layout.dir(), |number| {
            let label = speaker_label(number);
            held.iter().any(|it| it == names.current(&label))
        })
    }

    /// Overwrites the lines of the transcript; returns the files changed.
    fn erase_lines(
        &self,
        session: &Session,
        erasure: &Erasure,
    ) -> Result<Vec<PathBuf>, StoreError> {
        let folder = self.layout.transcript();
        if !folder.exists() || erasure.turns.is_empty() {
            return Ok(Vec::new());
        }
        let limit_bytes = session.config().transcript_bytes;
        let mut lines = TranscriptWriter::open(&folder, limit_bytes, session.turns())?;
        lines
            .erase(&erasure.turns)
            .map_err(StoreError::file(&folder, "erase lines from it"))
    }
}

/// Silences all recorded audio of an erasure, and returns the receipt.
fn silenced(folder: &Path, erasure: &Erasure, session: Erased) -> Result<Receipt, StoreError> {
    let mut receipt = Receipt {
        untraced: erasure.untraced,
        ..receipt_of(session)
    };
    for audio in &erasure.audio {
        if recorded(audio).is_none() {
            receipt.left.push(views::audio(audio));
            continue;
        }
        let (silent_ms, files) = silence(folder, audio)?;
        receipt.audio_ms += silent_ms;
        receipt.files.extend(shown(files));
    }
    Ok(receipt)
}

/// Milliseconds of recorded audio that an erasure would silence in the session's directory.
///
/// # Errors
/// The recordings cannot be listed.
pub fn audio_to_silence(dir: &Path, erasure: &Erasure) -> Result<u64, StoreError> {
    let folder = Layout::of(dir).audio();
    let mut ms = 0;
    for audio in &erasure.audio {
        ms += stretches(&folder, audio)?
            .iter()
            .map(|it| it.ms)
            .sum::<u64>();
    }
    Ok(ms)
}

/// A stretch of a segment, in samples.
struct Stretch {
    path: PathBuf,
    first: u64,
    count: u64,
    ms: u64,
}

/// Where the segments hold a span.
fn stretches(folder: &Path, audio: &AudioSpan) -> Result<Vec<Stretch>, StoreError> {
    let Some(named) = recorded(audio) else {
        return Ok(Vec::new());
    };
    let listed = segment::list(folder).map_err(StoreError::file(folder, "list it"))?;
    let from_ms = named.start_ms.saturating_add(audio.span.start_ms);
    let to_ms = named.start_ms.saturating_add(audio.span.end_ms);
    let mut found = Vec::new();
    for part in listed {
        let (start, end) = (part.start_ms.max(from_ms), part.end_ms().min(to_ms));
        if part.key != named.key || part.ordinal < named.ordinal || start >= end {
            continue;
        }
        let first = (start - part.start_ms) * SAMPLES_PER_MS;
        found.push(Stretch {
            path: folder.join(part.file_name()),
            first,
            count: ((end - start) * SAMPLES_PER_MS).min(part.samples.saturating_sub(first)),
            ms: end - start,
        });
    }
    Ok(found)
}

/// Silences a span in the segments that hold it; returns the milliseconds and the files.
fn silence(folder: &Path, audio: &AudioSpan) -> Result<(u64, Vec<PathBuf>), StoreError> {
    let (mut silenced_ms, mut files) = (0, Vec::new());
    for it in stretches(folder, audio)? {
        zero(&it.path, it.first, it.count)
            .map_err(StoreError::file(&it.path, "erase audio from it"))?;
        silenced_ms += it.ms;
        files.push(it.path);
    }
    Ok((silenced_ms, files))
}

fn zero(path: &Path, first: u64, count: u64) -> std::io::Result<()> {
    let file = private::open(path, OpenOptions::new().write(true))?;
    private::overwrite(&file, segment::HEAD_BYTES + 2 * first, 2 * count)
}
