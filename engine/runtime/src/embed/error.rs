//! Errors of a memory.

use crate::pipeline::PipelineError;
use crate::sourcefile::SourceFileError;
use crate::store::StoreError;
use weir_core::config::ConfigError;
use weir_core::driver::DriverError;

/// Errors of a memory.
#[derive(Debug, thiserror::Error)]
pub enum MemoryError {
    /// A setting is out of range.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The directory cannot be opened.
    #[error(transparent)]
    Open(#[from] StoreError),
    /// A step failed.
    #[error(transparent)]
    Step(#[from] DriverError),
    /// A file cannot be part of a source.
    #[error(transparent)]
    SourceFile(#[from] SourceFileError),
    /// Changes could not be stored.
    #[error(transparent)]
    Write(#[from] PipelineError),
    /// An erasure failed before.
    #[error("the memory was closed by an erasure that failed; open it and erase again")]
    Closed,
}
