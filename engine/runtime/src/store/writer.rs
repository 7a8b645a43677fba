//! The one writer of a session directory.
//!
//! An input is acknowledged when [`Writer::append`] returns; dropping the writer at any moment
//! loses nothing acknowledged. After a write that failed it takes no more, so that the journal has
//! no gap.

use super::error::StoreError;
use super::layout::{Found, Layout};
use super::lock::WriterLock;
use super::progress::{InputProgress, KnownInput};
use super::tables::{self, Extent, Opener, Tables};
use super::view;
use crate::streamfile::InputDigest;
use serde::de::DeserializeOwned;
use std::path::Path;
use weir_core::limits;
use weir_core::session::Input;

/// Writes one session directory.
pub struct Writer {
    pub(super) layout: Layout,
    pub(super) tables: Tables,
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
    /// Opens a session directory for writing; where there is none it is made with the image that
    /// `first` gives. A creation that was interrupted begins anew.
    ///
    /// # Errors
    /// When another writer is there, the directory is something else, newer or damaged, the system
    /// refuses, or `first` fails.
    pub fn open(
        dir: &Path,
        first: impl FnOnce() -> Result<Vec<u8>, StoreError>,
    ) -> Result<Self, StoreError> {
        Self::open_on(dir, &tables::plain, first)
    }

    /// As [`Self::open`], on a backend of the caller's.
    pub(super) fn open_on(
        dir: &Path,
        opener: Opener<'_>,
        first: impl FnOnce() -> Result<Vec<u8>, StoreError>,
    ) -> Result<Self, StoreError> {
        let layout = Layout::of(dir);
        if layout.look()? == Found::Nothing {
            std::fs::create_dir_all(dir).map_err(StoreError::file(dir, "make it"))?;
        }
        let lock = WriterLock::take(&layout)?;
        let file = layout.memory();
        let created = !file.exists();
        if created {
            if layout.view().exists() {
                let what = "it is missing, though the session has a view";
                return Err(StoreError::damaged(&file, what));
            }
            let image = first()?;
            layout.make()?;
            Tables::make(&file, opener, &image)?;
        }
        let tables = Tables::open(&file, opener)?;
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

    /// Whether opening made the session.
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
    /// When it cannot be read or its checksum does not fit.
    pub fn image(&self) -> Result<Vec<u8>, StoreError> {
        self.tables.image()
    }

    /// Gives every input after the newest snapshot to `visit`, in order, and says how many.
    ///
    /// # Errors
    /// When the journal cannot be read, or the first error of `visit`.
    pub fn replay(
        &self,
        visit: impl FnMut(Input) -> Result<(), String>,
    ) -> Result<u64, StoreError> {
        self.replay_as(visit)
    }

    /// As [`Self::replay`], for inputs of an older format.
    pub(super) fn replay_as<I: DeserializeOwned>(
        &self,
        mut visit: impl FnMut(I) -> Result<(), String>,
    ) -> Result<u64, StoreError> {
        let file = self.layout.memory();
        let mut replayed = 0;
        self.tables.entries(|seq, entry| {
            let damaged =
                |what: String| StoreError::damaged(&file, format!("journal entry {seq} {what}"));
            let input = postcard::from_bytes(entry)
                .map_err(|wrong| damaged(format!("cannot be read: {wrong}")))?;
            visit(input).map_err(|wrong| damaged(format!("does not apply: {wrong}")))?;
            replayed += 1;
            Ok(())
        })?;
        Ok(replayed)
    }

    /// Adds inputs to the journal; they are acknowledged when it returns, with the last one's
    /// sequence number. One commit and one sync, however many there are.
    ///
    /// # Errors
    /// When it cannot be written, a full disk among others; then none of them is acknowledged and
    /// the writer takes no more.
    pub fn append(&mut self, inputs: &[Input]) -> Result<u64, StoreError> {
        self.append_from(inputs, None)
    }

    /// The same for inputs of a replay, with how far it is when these are in.
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
            .map(postcard::to_stdvec)
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

    /// Inputs in the journal: how far it goes beyond the newest snapshot.
    #[must_use]
    pub fn journal_entries(&self) -> u64 {
        self.extent.last_seq - self.extent.snapshot_seq
    }

    /// Whether the journal has reached its limit, so that a snapshot is due: entries by
    /// [`limits::JOURNAL_ENTRIES_MAX`], bytes by [`limits::JOURNAL_BYTES_MAX`] or the last
    /// snapshot's length, whichever is more, so that a large memory is not written again for every
    /// few inputs.
    #[must_use]
    pub fn checkpoint_due(&self) -> bool {
        let entries = self.journal_entries();
        let bytes_max = limits::JOURNAL_BYTES_MAX.max(self.extent.snapshot_bytes);
        entries >= limits::JOURNAL_ENTRIES_MAX || self.extent.journal_bytes >= bytes_max
    }

    /// Stores the image of the session after [`Self::last_seq`] and empties the journal, as one.
    ///
    /// # Errors
    /// When it cannot be written; the old snapshot and the journal are then still there.
    pub fn checkpoint_image(&mut self, image: &[u8]) -> Result<(), StoreError> {
        self.check_running()?;
        let done = self.tables.snapshot(self.extent.last_seq, image);
        self.noting(done)?;
        self.extent.snapshot_seq = self.extent.last_seq;
        self.extent.snapshot_bytes = image.len() as u64;
        self.extent.journal_bytes = 0;
        Ok(())
    }

    /// Puts the image of the session after [`Self::last_seq`] where readers find it.
    ///
    /// # Errors
    /// When it cannot be written; readers then still find the last one, and the journal is whole.
    pub fn publish_image(&mut self, image: &[u8]) -> Result<(), StoreError> {
        view::write(&self.layout.view(), self.extent.last_seq, image)
    }

    /// Ends in order, after a last publication: readers need not look for a crash.
    ///
    /// # Errors
    /// When the lock file cannot be written; nothing is lost then.
    pub fn release(self) -> Result<(), StoreError> {
        drop(self.tables);
        self.lock.release()
    }

    /// The name under which an input was replayed, should it be remembered.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn seen(&self, digest: &InputDigest) -> Result<Option<String>, StoreError> {
        self.tables.seen(&digest.0)
    }

    /// How far a replay of an input came that did not come to its end; what cannot be understood
    /// is none.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn progress(&self, digest: &InputDigest) -> Result<Option<InputProgress>, StoreError> {
        let text = self.tables.progress(&digest.0)?;
        Ok(text.and_then(|text| serde_json::from_str(&text).ok()))
    }

    /// Remembers that an input was replayed to its end.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn remember(&mut self, digest: &InputDigest, name: &str) -> Result<(), StoreError> {
        self.check_running()?;
        let done = self.tables.remember(&digest.0, name);
        self.noting(done)
    }

    /// Remembers inputs that another session knows, of which this one is a copy.
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
