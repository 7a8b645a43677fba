//! One writer per session: a file lock that names its holder and ends with the process.
//!
//! The system drops the lock when the process ends, however it ends. The process id stays in the
//! file until a writer closes normally; so the next writer knows whether one died.

use super::error::StoreError;
use super::layout::Layout;
use crate::private;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, Write};
use std::path::PathBuf;
use std::time::Duration;

/// A reader holds the lock briefly when testing it, and a dying writer needs a moment to release
/// it. This many tries, [`BETWEEN`] apart, distinguish them from a writer that stays.
const TRIES: u32 = 10;
const BETWEEN: Duration = Duration::from_millis(20);

/// The held lock.
#[derive(Debug)]
pub(super) struct WriterLock {
    file: File,
    path: PathBuf,
}

impl WriterLock {
    /// Takes the lock of an existing directory.
    pub(super) fn take(layout: &Layout) -> Result<Self, StoreError> {
        let path = layout.lock();
        let failed = StoreError::file(&path, "take the writer's lock");
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true);
        let file = private::open(&path, &mut options).map_err(&failed)?;
        for tried in 1.. {
            match file.try_lock() {
                Ok(()) => break,
                Err(TryLockError::Error(source)) => return Err(failed(source)),
                Err(TryLockError::WouldBlock) if tried < TRIES => std::thread::sleep(BETWEEN),
                Err(TryLockError::WouldBlock) => {
                    let dir = layout.dir().to_path_buf();
                    let pid = holder(layout);
                    return Err(StoreError::InUse { dir, pid });
                }
            }
        }
        let mut lock = Self { file, path };
        lock.write(&format!("{}\n", std::process::id()))?;
        Ok(lock)
    }

    /// Overwrites the last line. In this order, a process that dies midway leaves a file with a
    /// process id: otherwise readers would take a dead writer for one that closed normally.
    fn write(&mut self, text: &str) -> Result<(), StoreError> {
        let written = self
            .file
            .rewind()
            .and_then(|()| self.file.write_all(text.as_bytes()))
            .and_then(|()| self.file.set_len(text.len() as u64));
        written.map_err(StoreError::file(&self.path, "name the writer in it"))
    }

    /// Releases the lock after everything was written.
    pub(super) fn release(mut self) -> Result<(), StoreError> {
        self.write("")
    }
}

/// The lock file, if there is one.
fn read(layout: &Layout) -> std::io::Result<File> {
    private::open(&layout.lock(), OpenOptions::new().read(true))
}

/// The process named in the lock file.
fn holder(layout: &Layout) -> Option<u32> {
    let mut text = String::new();
    let file = read(layout).ok()?;
    // No process id is longer.
    file.take(32).read_to_string(&mut text).ok()?;
    // After a shorter id, the end of a longer old one may follow.
    text.lines().next()?.trim().parse().ok()
}

/// Whether a writer died here: the file names one, and nobody holds the lock.
pub(super) fn abandoned(layout: &Layout) -> bool {
    let Ok(file) = read(layout) else {
        return false;
    };
    holder(layout).is_some() && file.try_lock_shared().is_ok()
}

/// Whether a writer holds the lock now.
pub(super) fn is_held(layout: &Layout) -> bool {
    let tried = read(layout).map(|file| file.try_lock_shared());
    matches!(tried, Ok(Err(TryLockError::WouldBlock)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Regression: the old name was removed before the next was written, and a writer killed in
    /// between left readers with an old view.
    #[test]
    fn a_writer_that_dies_over_its_name_is_missed() {
        let dir = tempfile::tempdir().unwrap();
        let layout = Layout::of(dir.path());
        for (left, missed) in [
            ("", false),
            ("99", true),
            ("99\n45\n", true),
            ("12345\n", true),
        ] {
            std::fs::write(layout.lock(), left).unwrap();
            assert_eq!(abandoned(&layout), missed, "{left:?}");
        }
        let lock = WriterLock::take(&layout).unwrap();
        assert!(is_held(&layout));
        let pid = std::process::id();
        let named = std::fs::read_to_string(layout.lock()).unwrap();
        assert_eq!(named, format!("{pid}\n"), "the longer name is gone");
        lock.release().unwrap();
        assert!(!abandoned(&layout) && !is_held(&layout));
    }
}
