//! Why weights were not found, fetched or imported.

use std::io::{self, ErrorKind};
use std::path::Path;

use crate::whisper::ConvertError;

/// Why weights were not found, fetched or imported. The message names the cause.
///
/// Downloaded data stays as a `.part` file and the next pull resumes it, except after a wrong
/// checksum. A failed import leaves no files.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct WeightsError {
    kind: WeightsErrorKind,
    model: String,
    message: String,
}

/// What a caller can do about a [`WeightsError`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum WeightsErrorKind {
    /// The name is neither that of a known model nor a path: give another.
    Unknown,
    /// There is no model at the path: give another.
    NotAModel,
    /// An address of the hub is malformed, or does not say which of several files is meant.
    Address,
    /// It cannot be the name of an imported model: give another.
    Name,
    /// The name belongs to another model: give another name or folder.
    Taken,
    /// The name belongs to an imported model: replace it, or give another name.
    Imported,
    /// A known model is not on this machine: fetch it.
    NotFetched,
    /// A file of a known model has the wrong size: fetch it again.
    Damaged,
    /// The file of an imported model is missing or damaged: import it again.
    Lost,
    /// Fetching is switched off.
    Offline,
    /// The source cannot be reached, breaks off or is busy: try again later.
    Network,
    /// The source has no such file or repository, or denies access.
    Refused,
    /// What a source sent is not what it should be: a wrong checksum, size, list.
    Invalid,
    /// There is no model that weir can load.
    Unusable,
    /// There is no folder for models: name one.
    NoFolder,
    /// The file system: a full disk, missing permissions.
    Disk,
}

impl WeightsErrorKind {
    /// An error of this kind.
    pub(super) fn error(self, message: impl Into<String>) -> WeightsError {
        WeightsError {
            kind: self,
            model: String::new(),
            message: message.into(),
        }
    }
}

impl WeightsError {
    /// What a caller can do about it.
    #[must_use]
    pub fn kind(&self) -> WeightsErrorKind {
        self.kind
    }

    /// The name or address of the model, as a pull takes it; empty if there is none.
    #[must_use]
    pub fn model(&self) -> &str {
        &self.model
    }

    /// The same about a model.
    pub(super) fn about(mut self, model: &str) -> Self {
        model.clone_into(&mut self.model);
        self
    }

    /// There is no folder for models.
    pub(super) fn no_folder() -> Self {
        let message = "there is no folder to keep models in: HOME and XDG_CACHE_HOME are not set";
        WeightsErrorKind::NoFolder.error(message)
    }

    /// The file system returned an error when `path` was read.
    pub(super) fn read(path: &Path, error: &io::Error) -> Self {
        let path = path.display();
        WeightsErrorKind::Disk.error(format!("{path} cannot be read: {error}"))
    }

    /// The file system returned an error when `path` was written, of which `needed` bytes were
    /// still missing.
    pub(super) fn write(path: &Path, error: &io::Error, needed: u64) -> Self {
        let path = path.display();
        WeightsErrorKind::Disk.error(match error.kind() {
            ErrorKind::StorageFull | ErrorKind::QuotaExceeded => format!(
                "the disk is full: {path} needs {needed} bytes more; free some space, then try \
                 again: what came in is kept"
            ),
            _ => format!("{path} cannot be written: {error}"),
        })
    }
}

impl From<ConvertError> for WeightsError {
    fn from(error: ConvertError) -> Self {
        WeightsErrorKind::Unusable.error(error.to_string())
    }
}

/// A readable list of file names, shortened if long.
pub(super) fn listed(names: &[&str]) -> String {
    const SHOWN_MAX: usize = 20;
    match names.len() {
        0 => "nothing".to_owned(),
        1..=SHOWN_MAX => names.join(", "),
        all => format!(
            "{} and {} more",
            names[..SHOWN_MAX].join(", "),
            all - SHOWN_MAX
        ),
    }
}
