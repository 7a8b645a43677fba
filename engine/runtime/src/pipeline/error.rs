//! What can stop a pipeline, stage by stage.
//!
//! An error here ends the run; what only spoils one input or one segment is a
//! [`super::Notice`] and work goes on.

use weir_core::distil::DistilError;
use weir_core::driver::DriverError;
use weir_core::session::InputError;
use weir_models::EncodeError;

/// Why a pipeline stopped.
#[derive(Debug, thiserror::Error)]
pub enum PipelineError {
    /// The system gives no thread.
    #[error("no thread for stage `{stage}`: {source}; close other programs and try again")]
    Spawn {
        /// The stage.
        stage: &'static str,
        /// What the system says.
        source: std::io::Error,
    },
    /// A worker unwound: a mistake in the program, not in the input.
    #[error("stage `{stage}` failed unexpectedly ({message}); what was saved stays saved")]
    Panicked {
        /// The stage.
        stage: &'static str,
        /// What it said.
        message: String,
    },
    /// A worker was asked for its result twice.
    #[error("stage `{stage}` has ended already")]
    Gone {
        /// The stage.
        stage: &'static str,
    },
    /// A stage ended because the one behind it did; that one has the reason.
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
    /// The session refused an input that the pipeline is bound to get right.
    #[error("the memory refused an input")]
    Input(#[from] InputError),
    /// The session directory failed.
    #[error(transparent)]
    SessionLog(#[from] SessionLogError),
    /// The backlog of a live source could not be read back.
    #[error("the sound waiting on disk cannot be read back: {source}")]
    Backlog {
        /// What the system says.
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

/// What a keeper of sessions says when it fails, in its own words.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct SessionLogError(pub Box<dyn std::error::Error + Send + Sync>);

impl PipelineError {
    /// Whether another stage knows the reason.
    #[must_use]
    pub fn is_echo(&self) -> bool {
        matches!(self, Self::Downstream { .. })
    }
}
