//! What the transcript's writer asks of the system, so that tests can refuse it.

use crate::store::layout;
use std::fs::{File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::Path;

/// Changes to files. Reading needs no substitute: tests damage the files themselves.
pub(super) trait Disk: std::fmt::Debug + Send + Sync {
    /// Makes a file that must not be there yet, for reading and writing.
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

    /// Brings a file's bytes to disk.
    fn sync(&self, file: &File) -> io::Result<()> {
        file.sync_data()
    }

    /// Brings the names of a file's folder to disk.
    fn sync_names(&self, path: &Path) -> io::Result<()> {
        layout::sync_folder(path).map_err(io::Error::other)
    }

    /// Removes a file; that there is none is no error.
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
