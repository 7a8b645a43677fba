//! The store file as redb sees it: private, and overwritten where redb gives space back.

use crate::private;
use redb::backends::FileBackend;
use redb::{BackendError, DatabaseError, StorageBackend};
use std::fs::{File, OpenOptions};
use std::io;
use std::ops::Bound;
use std::path::Path;

/// A store file.
#[derive(Debug)]
pub(super) struct Backend {
    redb: FileBackend,
    /// The same file.
    file: File,
}

impl Backend {
    /// Opens or creates a store file.
    pub(super) fn open(file: &Path) -> Result<Self, DatabaseError> {
        let mut options = OpenOptions::new();
        let file = private::open(file, options.read(true).write(true).create(true))?;
        Ok(Self {
            redb: FileBackend::new(file.try_clone()?)?,
            file,
        })
    }
}

impl StorageBackend for Backend {
    fn len(&self) -> io::Result<u64> {
        self.redb.len()
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        self.redb.read(offset, out)
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        private::set_len(&self.file, len)
    }

    fn sync_data(&self) -> io::Result<()> {
        self.redb.sync_data()?;
        // a file without a name is gone when it is closed
        #[cfg(unix)]
        if std::os::unix::fs::MetadataExt::nlink(&self.file.metadata()?) == 0 {
            let why = "it was deleted while the session was open";
            return Err(io::Error::new(io::ErrorKind::NotFound, why));
        }
        Ok(())
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        self.redb.write(offset, data)
    }

    fn close(&self) -> io::Result<()> {
        self.redb.close()
    }

    fn try_lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<bool, BackendError> {
        self.redb.try_lock_range(start, end)
    }

    fn unlock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<(), BackendError> {
        self.redb.unlock_range(start, end)
    }
}
