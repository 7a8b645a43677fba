//! Disk operations of the transcript's writer, replaceable in tests.

use crate::store::layout;
use std::fs::{File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::Path;

/// Changes to files. Reads are not replaced: tests damage the files themselves.
pub(super) trait Disk: std::fmt::Debug + Send + Sync {
    /// Creates a new file for reading and writing; it must not exist yet.
    fn create(&self, path: &Path) -> io::Result<File> {
        OpenOptions::new()
            .read(true)
            .write(true)
            .create_new(true)
            .open(path)
    }

    /// Writes all bytes at an offset.
    fn write_at(&self, mut file: &File, offset: u64, bytes: &[u8]) -> io::Result<()> {
        file.seek(SeekFrom::Start(offset))?;
        file.write_all(bytes)
    }

    /// Cuts or lengthens a file.
    fn set_len(&self, file: &File, bytes: u64) -> io::Result<()> {
        file.set_len(bytes)
    }

    /// Syncs a file.
    fn sync(&self, file: &File) -> io::Result<()> {
        file.sync_data()
    }

    /// Syncs the names in a file's folder.
    fn sync_names(&self, path: &Path) -> io::Result<()> {
        layout::sync_folder(path).map_err(io::Error::other)
    }

    /// Removes a file; a missing file is no error.
    fn remove(&self, path: &Path) -> io::Result<()> {
        match std::fs::remove_file(path) {
            Err(wrong) if wrong.kind() != io::ErrorKind::NotFound => Err(wrong),
            _ => Ok(()),
        }
    }
}

/// The disk of the system.
#[derive(Debug)]
pub(super) struct SystemDisk;

impl Disk for SystemDisk {}
