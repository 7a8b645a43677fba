//! Why weights were not found, fetched or imported.

use std::io::{self, ErrorKind};
use std::path::Path;

use crate::whisper::ConvertError;

/// Why weights were not found, fetched or imported. The message names the cause and what to do.
///
/// Downloaded data stays as a `.part` file and the next pull resumes it, except after a wrong
/// checksum. A failed import leaves no files.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct WeightsError {
    kind: WeightsErrorKind,
    message: String,
}

/// What a caller can do about a [`WeightsError`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum WeightsErrorKind {
    /// The name, address or path does not fit, or the name is taken: give another.
    Request,
    /// A known model is not on this machine: fetch it.
    NotFetched,
    /// A file of a known model has the wrong size: fetch it again.
    Damaged,
    /// Fetching is switched off.
    Offline,
    /// The source cannot be reached, breaks off or is busy: try again later.
    Network,
    /// The source has no such file or repository, or denies access.
    Refused,
    /// The manifest, or what a source sent, is not what it should be: a wrong checksum, size, list.
    Invalid,
    /// There is no model that weir can load.
    Unusable,
    /// The file system: no folder, a full disk, missing permissions.
    Disk,
}

impl WeightsError {
    pub(super) fn new(kind: WeightsErrorKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
        }
    }

    /// What a caller can do about it.
    #[must_use]
    pub fn kind(&self) -> WeightsErrorKind {
        self.kind
    }

    /// There is no folder for models.
    pub(super) fn no_folder() -> Self {
        Self::new(
            WeightsErrorKind::Disk,
            "there is no folder to keep models in: HOME and XDG_CACHE_HOME are not set; give one \
             with --models DIR or WEIR_MODELS",
        )
    }

    /// The name belongs to another model.
    pub(super) fn taken(name: &str, by: &str, advice: &str) -> Self {
        let message = format!("{name} is the name of {by} here; {advice}");
        Self::new(WeightsErrorKind::Request, message)
    }

    /// The path does not lead to weights.
    pub(super) fn not_a_model(path: &Path, reason: &str) -> Self {
        let message = format!(
            "{} is not a model: {reason}; give a ggml file of whisper.cpp, a GGUF file, the folder \
             of another model, or a name from `weir models list`",
            path.display()
        );
        Self::new(WeightsErrorKind::Request, message)
    }

    /// The source offers a file of another size.
    pub(super) fn size(file: &str, source: &str, found: u64, expected: u64) -> Self {
        let message = format!(
            "{file} at {source} has {found} bytes and should have {expected}: something else \
             answers there (a login page, a proxy, a moved file); open the address in a browser, \
             or set HF_ENDPOINT to a mirror"
        );
        Self::new(WeightsErrorKind::Invalid, message)
    }

    /// The file system returned an error when `path` was read.
    pub(super) fn read(path: &Path, error: &io::Error) -> Self {
        let message = format!(
            "{} cannot be read: {error}; check its permissions",
            path.display()
        );
        Self::new(WeightsErrorKind::Disk, message)
    }

    /// The file system returned an error when `path` was written, of which `needed` bytes were
    /// still missing.
    pub(super) fn write(path: &Path, error: &io::Error, needed: u64) -> Self {
        let path = path.display();
        let is_full = matches!(
            error.kind(),
            ErrorKind::StorageFull | ErrorKind::QuotaExceeded
        );
        let message = match is_full {
            true => format!(
                "the disk is full: {path} needs {needed} bytes more; free some space or give \
                 another folder with --models DIR, then run the command again and it goes on from \
                 there"
            ),
            false => format!("{path} cannot be written: {error}; check its permissions"),
        };
        Self::new(WeightsErrorKind::Disk, message)
    }
}

impl From<ConvertError> for WeightsError {
    fn from(error: ConvertError) -> Self {
        Self::new(WeightsErrorKind::Unusable, error.to_string())
    }
}

/// A readable list of file names, shortened if long.
pub(super) fn listed(names: &[&str]) -> String {
    const SHOWN_MAX: usize = 20;
    if names.is_empty() {
        return "nothing".to_owned();
    }
    let shown = names[..names.len().min(SHOWN_MAX)].join(", ");
    match names.len().saturating_sub(SHOWN_MAX) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}
