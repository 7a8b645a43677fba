//! Errors that stop a pipeline, by stage.
//!
//! These errors end the run. Errors that affect only one input or segment are a
//! [`crate::pipeline::Notice`], and the run continues.

use crate::store::StoreError;
use weir_asr::ListenError;
use weir_core::distil::DistilError;
use weir_core::driver::DriverError;
use weir_core::session::InputError;
use weir_models::EncodeError;

/// Why a pipeline stopped.
#[derive(Debug, thiserror::Error)]
pub enum PipelineError {
    /// The operating system could not start a thread.
    #[error("no thread for stage `{stage}`: {source}; close other programs and try again")]
    Spawn {
        /// The stage.
        stage: &'static str,
        /// The system's error.
        source: std::io::Error,
    },
    /// A worker panicked: a bug in the program, not bad input.
    #[error("stage `{stage}` failed unexpectedly ({message}); what was saved stays saved")]
    Panicked {
        /// The stage.
        stage: &'static str,
        /// The panic message.
        message: String,
    },
    /// A worker was asked for its result twice.
    #[error("stage `{stage}` has ended already")]
    Gone {
        /// The stage.
        stage: &'static str,
    },
    /// A stage ended because the next one did; the next one has the cause.
    #[error("stage `{stage}` ended because the next one did")]
    Downstream {
        /// The stage.
        stage: &'static str,
    },
    /// The encoder failed.
    #[error("encoding failed")]
    Encode(#[from] EncodeError),
    /// The distiller failed.
    #[error("distilling failed")]
    Distil(#[from] DistilError),
    /// The session refused an input that the pipeline should have made valid.
    #[error("the memory refused an input")]
    Input(#[from] InputError),
    /// The session directory failed.
    #[error(transparent)]
    SessionLog(#[from] SessionLogError),
    /// The backlog of a live source on disk could not be read.
    #[error("cannot read the audio backlog on disk: {source}")]
    Backlog {
        /// The system's error.
        source: std::io::Error,
    },
}

impl From<DriverError> for PipelineError {
    fn from(error: DriverError) -> Self {
        match error {
            DriverError::Input(error) => Self::Input(error),
            DriverError::Encode(error) => Self::Encode(error),
            DriverError::Distil(error) => Self::Distil(error),
            DriverError::Erase(error) => Self::SessionLog(SessionLogError(Box::new(error))),
        }
    }
}

/// Error of a session log, with the log's own message.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct SessionLogError(pub Box<dyn std::error::Error + Send + Sync>);

/// Why a live source, or the audio that an earlier process left, cannot be recognised.
#[derive(Debug, thiserror::Error)]
pub enum LiveError {
    /// The source.
    #[error(transparent)]
    Listen(#[from] ListenError),
    /// Its recordings.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Its thread.
    #[error(transparent)]
    Pipeline(#[from] PipelineError),
}

impl PipelineError {
    /// Whether another stage has the cause.
    #[must_use]
    pub fn is_echo(&self) -> bool {
        matches!(self, Self::Downstream { .. })
    }
}
