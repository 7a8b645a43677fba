//! What the store finds on this machine.

use std::path::PathBuf;

use super::manifest::{Kind, Model};

/// A model that can be loaded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Located {
    /// The program carries it.
    Embedded {
        /// The model's name.
        name: String,
    },
    /// It lies on disk.
    OnDisk {
        /// The model's name, or the file name of a path that was given.
        name: String,
        /// What it is for.
        kind: Kind,
        /// The file of a speech model or of a GGUF, the folder of any other.
        path: PathBuf,
        /// Who put it there.
        origin: Origin,
    },
}

/// Where a model on disk was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// At the path that was given instead of a name.
    Given,
    /// In the user's folder of models.
    ModelsDir,
    /// In the cache.
    Cache,
}

/// One line of `weir models list`.
#[derive(Debug, Clone)]
pub struct Status {
    /// What the manifest says of it, or the receipt of one that was pulled by its address.
    pub model: Model,
    /// Whether it is here.
    pub state: State,
    /// The size of all its files; of a listed model not known until a pull has begun.
    pub bytes: Option<u64>,
}

/// Whether a model is on this machine. Judged by the sizes of files, so it costs nothing;
/// [`Store::verify`](super::Store::verify) reads them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum State {
    /// The program carries it.
    Embedded,
    /// All files are there, with the right sizes.
    Here {
        /// The file or folder to load.
        path: PathBuf,
    },
    /// A pull was begun.
    Partial {
        /// Bytes that are on disk.
        bytes: u64,
    },
    /// Nothing of it is there.
    Absent,
}

/// What [`Store::verify`](super::Store::verify) found for one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The file.
    pub file: PathBuf,
    /// How it is.
    pub verdict: Verdict,
}

/// How a file is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// Its checksum is right.
    Intact,
    /// It has another size than it should.
    WrongSize {
        /// The right size in bytes.
        expected: u64,
        /// Its size.
        found: u64,
    },
    /// It has the right size and another checksum.
    WrongChecksum {
        /// The right SHA-256.
        expected: String,
        /// Its SHA-256.
        found: String,
    },
    /// Nobody knows what its checksum should be.
    Unknown {
        /// Its SHA-256.
        found: String,
    },
    /// It is not there.
    Missing,
}
