//! Errors of a memory.

use crate::pipeline::{ErrorClass, PipelineError, ServiceError};
use crate::sourcefile::SourceFileError;
use crate::store::StoreError;
use weir_core::config::ConfigError;

/// Errors of a memory.
#[derive(Debug, thiserror::Error)]
pub enum MemoryError {
    /// A setting is out of range.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The directory cannot be opened.
    #[error(transparent)]
    Open(#[from] StoreError),
    /// A request failed.
    #[error(transparent)]
    Request(#[from] ServiceError),
    /// A file cannot be part of a source.
    #[error(transparent)]
    SourceFile(#[from] SourceFileError),
    /// The threads of the memory could not start or failed.
    #[error(transparent)]
    Threads(#[from] PipelineError),
}

impl MemoryError {
    /// What a caller can do about it.
    #[must_use]
    pub fn class(&self) -> ErrorClass {
        match self {
            Self::Config(_) | Self::SourceFile(_) => ErrorClass::BadInput,
            Self::Request(error) => error.class(),
            Self::Open(_) => ErrorClass::Storage,
            Self::Threads(error) => ServiceError::from(error).class(),
        }
    }
}
