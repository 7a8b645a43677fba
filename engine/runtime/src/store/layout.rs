//! File names of a session directory, its format, and the kind of an existing directory.

use super::error::StoreError;
use crate::private;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use weir_api::Leftover;

/// Format of the session directory that this program writes, and the newest it reads.
pub const FORMAT: u32 = 1;

const FORMAT_FILE: &str = "weir.session";
const FORMAT_LINE: &str = "weir session, format ";
const MEMORY: &str = "memory.redb";
const VIEW: &str = "view.bin";
const LOCK: &str = "lock";
const AUDIO: &str = "audio";
const TRANSCRIPT: &str = "transcript";
const HEARD_VOICES: &str = "heard_voices.json";
const USES: &str = "uses";

/// A session directory and the names in it.
#[derive(Debug, Clone)]
pub(super) struct Layout {
    dir: PathBuf,
}

/// Content of a directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Found {
    /// Nothing, or the remains of an incomplete creation.
    Nothing,
    /// A session.
    Session,
}

impl Layout {
    /// The layout of a directory, which may not exist.
    pub(super) fn of(dir: &Path) -> Self {
        Self {
            dir: dir.to_path_buf(),
        }
    }

    /// The directory itself.
    pub(super) fn dir(&self) -> &Path {
        &self.dir
    }

    /// The store.
    pub(super) fn memory(&self) -> PathBuf {
        self.dir.join(MEMORY)
    }

    /// What readers used, until the next writer counts it.
    pub(super) fn uses(&self) -> PathBuf {
        self.dir.join(USES)
    }

    /// The readers' image.
    pub(super) fn view(&self) -> PathBuf {
        self.dir.join(VIEW)
    }

    /// The writer's lock.
    pub(super) fn lock(&self) -> PathBuf {
        self.dir.join(LOCK)
    }

    /// The folder of recorded audio.
    pub(super) fn audio(&self) -> PathBuf {
        self.dir.join(AUDIO)
    }

    /// The folder of the transcript.
    pub(super) fn transcript(&self) -> PathBuf {
        self.dir.join(TRANSCRIPT)
    }

    /// The voices that were told apart.
    pub(super) fn heard_voices(&self) -> PathBuf {
        self.dir.join(HEARD_VOICES)
    }

    /// Checks the directory: an error if it is not a session or has a newer format.
    pub(super) fn look(&self) -> Result<Found, StoreError> {
        let failed = StoreError::file(&self.dir, "look into the session directory");
        let entries = match std::fs::read_dir(&self.dir) {
            Ok(entries) => entries,
            Err(wrong) if wrong.kind() == std::io::ErrorKind::NotFound => {
                return Ok(Found::Nothing);
            }
            Err(wrong) if wrong.kind() == std::io::ErrorKind::NotADirectory => {
                return Err(self.foreign("it is a file"));
            }
            Err(wrong) => return Err(failed(wrong)),
        };
        let mut found = Found::Nothing;
        let mut stranger = None;
        for entry in entries {
            let name = entry.map_err(&failed)?.file_name();
            match kind_of(&name) {
                Entry::Session => found = Found::Session,
                Entry::Remains => {}
                Entry::Stranger => stranger = Some(name),
            }
        }
        self.check_format()?;
        match (found, stranger) {
            (Found::Nothing, Some(name)) => {
                Err(self.foreign(&format!("it holds `{}`", name.to_string_lossy())))
            }
            (found, _) => Ok(found),
        }
    }

    fn foreign(&self, why: &str) -> StoreError {
        StoreError::NotASession {
            dir: self.dir.clone(),
            why: why.to_owned(),
        }
    }

    /// Refuses a newer format. A damaged marker refuses nothing: the store and the view name their
    /// own formats, and the next writer writes it anew.
    fn check_format(&self) -> Result<(), StoreError> {
        let file = self.dir.join(FORMAT_FILE);
        match marked_format(&file)? {
            Marked::Format(found) => check_format(&file, found),
            Marked::Absent => Ok(()),
            Marked::Damaged if !self.memory().exists() && !self.view().exists() => {
                Err(StoreError::damaged(&file, "it does not name a format"))
            }
            Marked::Damaged => {
                log::warn!(
                    "{}: it does not name a format, so that of the store counts; the next writer \
                     writes it anew",
                    file.display()
                );
                Ok(())
            }
        }
    }

    /// Removes what a creation that failed made in a new directory, and the directory: the lock,
    /// which the caller holds, last.
    pub(super) fn remove_unfinished(&self) {
        let made = [FORMAT_FILE, MEMORY].map(|name| self.dir.join(name));
        let halves = made.clone().map(|file| file.with_added_extension("new"));
        for file in halves.iter().chain(&made).chain([&self.lock()]) {
            if let Err(wrong) = private::remove(file) {
                log::warn!("{}: cannot be removed: {wrong}", file.display());
            }
        }
        if let Err(wrong) = std::fs::remove_dir(&self.dir) {
            log::warn!("{}: cannot be removed: {wrong}", self.dir.display());
        }
    }

    /// Creates the directory and writes its format.
    pub(super) fn make(&self) -> Result<(), StoreError> {
        private::make_folder(&self.dir).map_err(StoreError::file(&self.dir, "make it"))?;
        let file = self.dir.join(FORMAT_FILE);
        if let Marked::Format(_) = marked_format(&file)? {
            return Ok(());
        }
        replace(&file, &[format!("{FORMAT_LINE}{FORMAT}\n").as_bytes()])
    }
}

/// What the marker of a directory says.
enum Marked {
    Absent,
    Format(u32),
    /// Nothing that can be read.
    Damaged,
}

fn marked_format(file: &Path) -> Result<Marked, StoreError> {
    let bytes = match private::read(file) {
        Err(wrong) if wrong.kind() == std::io::ErrorKind::NotFound => return Ok(Marked::Absent),
        Err(wrong) => return Err(StoreError::file(file, "read it")(wrong)),
        Ok(bytes) => bytes,
    };
    let text = std::str::from_utf8(&bytes).unwrap_or_default();
    let format = text.trim().strip_prefix(FORMAT_LINE);
    let format = format.and_then(|number| number.parse().ok());
    Ok(match format {
        None | Some(0) => Marked::Damaged,
        Some(format) => Marked::Format(format),
    })
}

/// Refuses a format that this program cannot read.
pub(super) fn check_format(file: &Path, found: u32) -> Result<(), StoreError> {
    match found {
        1..=FORMAT => Ok(()),
        0 => Err(StoreError::damaged(file, "there is no format 0")),
        _ => Err(StoreError::Newer {
            file: file.to_path_buf(),
            found,
            reads: FORMAT,
        }),
    }
}

enum Entry {
    Session,
    Remains,
    Stranger,
}

fn kind_of(name: &OsStr) -> Entry {
    match name.to_str() {
        Some(MEMORY | VIEW | FORMAT_FILE) => Entry::Session,
        Some(LOCK | AUDIO | TRANSCRIPT | HEARD_VOICES) => Entry::Remains,
        Some(name) => match name.strip_suffix(".new") {
            Some(MEMORY | VIEW | FORMAT_FILE | HEARD_VOICES) => Entry::Remains,
            _ => Entry::Stranger,
        },
        None => Entry::Stranger,
    }
}

/// Replaces a file atomically, and overwrites the old one.
pub(super) fn replace(file: &Path, pieces: &[&[u8]]) -> Result<(), StoreError> {
    let replaced = private::replace(file, pieces);
    replaced
        .map(drop)
        .map_err(StoreError::file(file, "write it"))
}

/// Renames a prepared file to its final name, and overwrites the old one if it can be.
pub(super) fn put_in_place(file: &Path) -> Result<Option<Leftover>, StoreError> {
    private::put_in_place(file).map_err(StoreError::file(file, "put it in place"))
}

/// Overwrites, if it can be, and removes a file; a missing file is no error.
pub(super) fn remove(file: &Path) -> Result<Option<Leftover>, StoreError> {
    private::remove(file).map_err(StoreError::file(file, "remove it"))
}
