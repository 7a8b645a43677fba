//! A session directory that is built beside its place and moved there when it is whole.

use super::error::StoreError;
use super::layout::{Found, Layout};
use super::lock;
use crate::private;
use std::path::{Path, PathBuf};

/// A session directory under construction; removed unless it is put in place.
#[derive(Debug)]
pub struct Draft {
    place: PathBuf,
    dir: PathBuf,
}

impl Draft {
    /// A draft of the session in `place`; `None` if a session is there. Removes what an earlier
    /// one left that was killed.
    ///
    /// # Errors
    /// The place has something else, another process builds a draft of it, or an I/O error.
    pub fn of(place: &Path) -> Result<Option<Self>, StoreError> {
        let layout = Layout::of(place);
        if layout.look()? == Found::Session {
            return Ok(None);
        }
        // a folder that exists may be named `.`
        let place = place.canonicalize().unwrap_or_else(|_| place.to_path_buf());
        let name = place.file_name().unwrap_or_default().to_string_lossy();
        let dir = place.with_file_name(format!(".{name}.draft"));
        for layout in [layout, Layout::of(&dir)] {
            if lock::is_held(&layout) {
                let dir = layout.dir().to_path_buf();
                return Err(StoreError::InUse { dir, pid: None });
            }
        }
        let draft = Self { place, dir };
        draft.remove()?;
        Ok(Some(draft))
    }

    /// The directory to build the session in.
    #[must_use]
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// Moves the closed session to its place.
    ///
    /// # Errors
    /// It cannot be moved.
    pub fn put_in_place(self) -> Result<(), StoreError> {
        // remove what an interrupted creation left there
        let there = Layout::of(&self.place);
        for file in [there.lock(), private::prepared(&there.memory())] {
            private::remove(&file).map_err(StoreError::file(&file, "remove it"))?;
        }
        private::sync_folder(&Layout::of(&self.dir).lock())
            .and_then(|()| std::fs::rename(&self.dir, &self.place))
            .and_then(|()| private::sync_folder(&self.place))
            .map_err(StoreError::file(&self.place, "put the session there"))
    }

    fn remove(&self) -> Result<(), StoreError> {
        private::remove_all(&self.dir).map_err(StoreError::file(&self.dir, "remove it"))
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        if let Err(wrong) = self.remove() {
            log::warn!("{wrong}");
        }
    }
}
