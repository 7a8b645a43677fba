//! Search results of the store.

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

/// One line of `weir models list`.
#[derive(Debug, Clone)]
pub struct Status {
    /// Its manifest entry, or the receipt of a model pulled by address.
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
