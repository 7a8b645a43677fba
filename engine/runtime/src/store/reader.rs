//! Readers of a session directory: they read the last published image without waiting for the
//! writer.

use super::error::StoreError;
use super::layout::{Found, Layout};
use super::{lock, tables, view};
use std::path::Path;

/// The last published state of a session.
#[derive(Debug, Clone)]
pub struct Reader {
    seq: u64,
    image: Vec<u8>,
    abandoned: bool,
}

impl Reader {
    /// Reads the last publication; without a view, the newest snapshot.
    ///
    /// # Errors
    /// There is no session, it is newer or damaged, or only the writer can read it.
    pub fn open(dir: &Path) -> Result<Self, StoreError> {
        let layout = Layout::of(dir);
        let no_session = || StoreError::NoSession {
            dir: dir.to_path_buf(),
        };
        if layout.look()? == Found::Nothing {
            return Err(no_session());
        }
        let abandoned = lock::abandoned(&layout);
        let (seq, image) = match view::read(&layout.view())? {
            Some(view) => (view.seq, view.image),
            None if !layout.memory().exists() => return Err(no_session()),
            None => tables::snapshot_of(&layout.memory())?,
        };
        Ok(Self {
            seq,
            image,
            abandoned,
        })
    }

    /// Sequence number of the last input it holds.
    #[must_use]
    pub fn seq(&self) -> u64 {
        self.seq
    }

    /// The image.
    #[must_use]
    pub fn image(&self) -> &[u8] {
        &self.image
    }

    /// Whether a writer died here, so that the journal may be ahead of this image.
    #[must_use]
    pub fn abandoned(&self) -> bool {
        self.abandoned
    }
}
