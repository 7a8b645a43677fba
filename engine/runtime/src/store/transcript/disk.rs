//! Disk operations of the transcript's writer, replaceable in tests.

use crate::private;
use std::fs::{File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::Path;

/// Changes to files. Reads are not replaced: tests damage the files themselves.
pub(super) trait Disk: std::fmt::Debug + Send + Sync {
    /// Creates a new file for reading and writing; it must not exist yet.
    fn create(&self, path: &Path) -> io::Result<File> {
        private::open(
            path,
            OpenOptions::new().read(true).write(true).create_new(true),
        )
    }

    /// Writes all bytes at an offset.
    fn write_at(&self, mut file: &File, offset: u64, bytes: &[u8]) -> io::Result<()> {
        file.seek(SeekFrom::Start(offset))?;
        file.write_all(bytes)
    }

    /// Cuts or lengthens a file; what is cut off is overwritten first.
    fn set_len(&self, file: &File, bytes: u64) -> io::Result<()> {
        private::set_len(file, bytes)
    }

    /// Syncs a file.
    fn sync(&self, file: &File) -> io::Result<()> {
        file.sync_data()
    }

    /// Syncs the names in a file's folder.
    fn sync_names(&self, path: &Path) -> io::Result<()> {
        private::sync_folder(path)
    }

    /// Overwrites and removes a file; a missing file is no error.
    fn remove(&self, path: &Path) -> io::Result<()> {
        private::remove(path).map(drop)
    }
}

/// The disk of the system.
#[derive(Debug)]
pub(super) struct SystemDisk;

impl Disk for SystemDisk {}
