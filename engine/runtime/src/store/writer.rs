//! The one writer of a session directory.
//!
//! An input is acknowledged when [`Writer::append`] returns; dropping the writer at any moment
//! loses nothing acknowledged. After a failed write it accepts no more inputs, so that the journal
//! has no gap.

use super::error::StoreError;
use super::layout::{Found, Layout};
use super::lock::WriterLock;
use super::progress::{InputProgress, KnownInput};
use super::snapshot::{SnapshotWriter, Written};
use super::tables::{self, Extent, Opener, Tables};
use super::view::{self, ViewWriter};
use crate::private;
use crate::streamfile::InputDigest;
use redb::WriteTransaction;
use std::path::Path;
use std::sync::Arc;
use weir_core::limits;
use weir_core::session::Input;

/// Writes one session directory.
pub struct Writer {
    pub(super) layout: Layout,
    pub(super) tables: Arc<Tables>,
    pub(super) lock: WriterLock,
    pub(super) extent: Extent,
    pub(super) created: bool,
    pub(super) stopped: bool,
}

impl std::fmt::Debug for Writer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let dir = self.layout.dir();
        f.debug_struct("Writer")
            .field("dir", &dir)
            .field("extent", &self.extent)
            .finish()
    }
}

impl Writer {
    /// Opens a session directory for writing, or creates one with the image from `first`. An
    /// interrupted creation starts again.
    ///
    /// # Errors
    /// Another writer is running, the directory is not a session, newer or damaged, an I/O error,
    /// or `first` fails.
    pub fn open(
        dir: &Path,
        first: impl FnOnce() -> Result<Vec<u8>, StoreError>,
    ) -> Result<Self, StoreError> {
        Self::open_on(dir, &tables::plain, first)
    }

    /// As [`Self::open`], on a given backend.
    pub(super) fn open_on(
        dir: &Path,
        opener: Opener<'_>,
        first: impl FnOnce() -> Result<Vec<u8>, StoreError>,
    ) -> Result<Self, StoreError> {
        let layout = Layout::of(dir);
        let (found, file) = (layout.look()?, layout.memory());
        // what cannot be made leaves nothing
        let image = (!file.exists()).then(first).transpose()?;
        let is_new = !dir.exists();
        if found == Found::Nothing {
            private::make_folder(dir).map_err(StoreError::file(dir, "make it"))?;
        }
        let lock = WriterLock::take(&layout).inspect_err(|_| {
            if is_new {
                layout.remove_unfinished();
            }
        })?;
        let created = !file.exists();
        if created {
            if layout.view().exists() {
                let what = "it is missing, though the session has a view";
                return Err(StoreError::damaged(&file, what));
            }
            let made = || {
                layout.make()?;
                let gone = || StoreError::damaged(&file, "it was removed just now");
                Tables::make(&file, opener, &image.ok_or_else(gone)?)
            };
            made().inspect_err(|_| {
                if is_new {
                    layout.remove_unfinished();
                }
            })?;
        }
        let tables = Arc::new(Tables::open(&file, opener)?);
        let extent = tables.extent()?;
        layout.make()?;
        Ok(Self {
            layout,
            tables,
            lock,
            extent,
            created,
            stopped: false,
        })
    }

    /// Whether opening created the session.
    #[must_use]
    pub fn created(&self) -> bool {
        self.created
    }

    /// The session directory.
    #[must_use]
    pub fn dir(&self) -> &Path {
        self.layout.dir()
    }

    /// Sequence number of the last input acknowledged; 0 before the first.
    #[must_use]
    pub fn last_seq(&self) -> u64 {
        self.extent.last_seq
    }

    /// The newest snapshot.
    ///
    /// # Errors
    /// It cannot be read or its checksum does not match.
    pub fn image(&self) -> Result<Vec<u8>, StoreError> {
        self.tables.image()
    }

    /// Passes the entry of every input after the newest snapshot to `visit`, in order, and returns
    /// their number; [`Input::from_entry`] reads it.
    ///
    /// # Errors
    /// When the journal cannot be read, or the first error of `visit`.
    pub fn replay(
        &self,
        mut visit: impl FnMut(&[u8]) -> Result<(), String>,
    ) -> Result<u64, StoreError> {
        let file = self.layout.memory();
        let mut replayed = 0;
        self.tables.entries(|seq, entry| {
            visit(entry).map_err(|wrong| {
                StoreError::damaged(&file, format!("journal entry {seq} {wrong}"))
            })?;
            replayed += 1;
            Ok(())
        })?;
        Ok(replayed)
    }

    /// Adds inputs to the journal; when it returns, they are acknowledged. Returns the last
    /// sequence number. One commit and one sync, independent of their number.
    ///
    /// # Errors
    /// It cannot be written, for example on a full disk; then none of them is acknowledged and the
    /// writer accepts no more inputs.
    pub fn append(&mut self, inputs: &[Input]) -> Result<u64, StoreError> {
        self.append_from(inputs, None)
    }

    /// The same for inputs of a replay, with the replay's progress after them.
    ///
    /// # Errors
    /// As [`Self::append`].
    pub fn append_from(
        &mut self,
        inputs: &[Input],
        progress: Option<(&InputDigest, &InputProgress)>,
    ) -> Result<u64, StoreError> {
        self.check_running()?;
        if inputs.is_empty() {
            return Ok(self.extent.last_seq);
        }
        let file = self.layout.memory();
        let entries = inputs
            .iter()
            .map(Input::to_entry)
            .collect::<Result<Vec<_>, _>>();
        let entries = entries.map_err(|wrong| {
            StoreError::file(&file, "serialise an input")(std::io::Error::other(wrong))
        })?;
        let text = progress.map(|(_, progress)| json_of(&file, progress));
        let text = text.transpose()?.unwrap_or_default();
        let progress = progress.map(|(of, _)| (&of.0, text.as_str()));
        let done = self.tables.append(self.extent.last_seq, &entries, progress);
        self.noting(done)?;
        self.extent.last_seq += entries.len() as u64;
        self.extent.journal_bytes += entries.iter().map(|entry| entry.len() as u64).sum::<u64>();
        Ok(self.extent.last_seq)
    }

    /// Number of inputs in the journal, after the newest snapshot.
    #[must_use]
    pub fn journal_entries(&self) -> u64 {
        self.extent.last_seq - self.extent.snapshot_seq
    }

    /// Whether the journal has reached so many times its limit; at once a snapshot is due. The
    /// limit of entries is [`limits::JOURNAL_ENTRIES_MAX`]. The limit of bytes is
    /// [`limits::JOURNAL_BYTES_MAX`] or the length of the last snapshot, whichever is more, so that
    /// a large memory is not written again after every few inputs.
    #[must_use]
    pub fn checkpoint_due(&self, times: u64) -> bool {
        let bytes_max = limits::JOURNAL_BYTES_MAX.max(self.extent.snapshot_bytes);
        self.journal_entries() >= times * limits::JOURNAL_ENTRIES_MAX
            || self.extent.journal_bytes >= times * bytes_max
    }

    /// Stores the image of the session after [`Self::last_seq`] and empties the journal in one
    /// transaction.
    ///
    /// # Errors
    /// It cannot be written; the old snapshot and the journal are then unchanged.
    pub fn checkpoint_image(&mut self, image: &[u8]) -> Result<(), StoreError> {
        self.check_running()?;
        let done = self.tables.snapshot(self.extent.last_seq, image);
        self.noting(done)?;
        self.extent.snapshot_seq = self.extent.last_seq;
        self.extent.snapshot_bytes = image.len() as u64;
        self.extent.journal_bytes = 0;
        Ok(())
    }

    /// Writes a snapshot of the session after [`Self::last_seq`] beside this writer, on another
    /// thread.
    #[must_use]
    pub fn snapshot_writer(&self) -> SnapshotWriter {
        SnapshotWriter {
            tables: Arc::clone(&self.tables),
            seq: self.extent.last_seq,
            journal_bytes: self.extent.journal_bytes,
        }
    }

    /// Takes note of a snapshot that was written beside this writer.
    pub fn snapshot_written(&mut self, written: &Written) {
        self.extent.snapshot_seq = written.seq;
        self.extent.snapshot_bytes = written.image_bytes;
        self.extent.journal_bytes -= written.journal_bytes;
    }

    /// Publishes the image of the session after [`Self::last_seq`] for readers.
    ///
    /// # Errors
    /// It cannot be written; readers then still find the last one, and the journal is unchanged.
    pub fn publish_image(&mut self, image: &[u8]) -> Result<(), StoreError> {
        view::write(&self.layout.view(), self.extent.last_seq, image)
    }

    /// Writes views beside this writer, on another thread.
    #[must_use]
    pub fn view(&self) -> ViewWriter {
        ViewWriter(self.layout.view())
    }

    /// Closes normally, after a last publication: readers need not check for a crash.
    ///
    /// # Errors
    /// The lock file cannot be written; nothing is lost then.
    pub fn release(self) -> Result<(), StoreError> {
        drop(self.tables);
        self.lock.release()
    }

    /// The name under which an input was completed, if it is recorded.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn seen(&self, digest: &InputDigest) -> Result<Option<String>, StoreError> {
        self.tables.seen(&digest.0)
    }

    /// The progress of an unfinished input; invalid data counts as none.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn progress(&self, digest: &InputDigest) -> Result<Option<InputProgress>, StoreError> {
        let text = self.tables.progress(&digest.0)?;
        Ok(text.and_then(|text| serde_json::from_str(&text).ok()))
    }

    /// Records that an input was completed.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn remember(&mut self, digest: &InputDigest, name: &str) -> Result<(), StoreError> {
        self.check_running()?;
        let done = self.tables.remember(&digest.0, name);
        self.noting(done)
    }

    /// Records the inputs of another session, of which this one is a copy.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn remember_all(&mut self, known: &[KnownInput]) -> Result<(), StoreError> {
        for input in known {
            let done = match &input.progress {
                None => self.tables.remember(&input.digest.0, &input.stream),
                Some(progress) => {
                    let text = json_of(&self.layout.memory(), progress)?;
                    let from = Some((&input.digest.0, text.as_str()));
                    self.tables.append(self.extent.last_seq, &[], from)
                }
            };
            self.noting(done)?;
        }
        Ok(())
    }

    /// One durable transaction beside the inputs.
    pub(super) fn commit(
        &mut self,
        change: impl FnOnce(&WriteTransaction) -> Result<(), redb::Error>,
    ) -> Result<(), StoreError> {
        self.check_running()?;
        let done = self.tables.commit(change);
        self.noting(done)
    }

    fn check_running(&self) -> Result<(), StoreError> {
        match self.stopped {
            false => Ok(()),
            true => Err(StoreError::Stopped {
                dir: self.layout.dir().to_path_buf(),
            }),
        }
    }

    fn noting(&mut self, done: Result<(), StoreError>) -> Result<(), StoreError> {
        self.stopped |= done.is_err();
        done
    }
}

fn json_of(file: &Path, progress: &InputProgress) -> Result<String, StoreError> {
    serde_json::to_string(progress)
        .map_err(|wrong| StoreError::file(file, "serialise an input")(wrong.into()))
}
