//! Errors of a session service, each with a class that a client can act on.

use crate::pipeline::error::PipelineError;
use crate::time::TimeError;
use std::sync::Arc;
use std::time::Duration;
pub use weir_api::ErrorClass;
use weir_core::driver::DriverError;
use weir_core::limits;
use weir_core::session::{EraseError, InputError, NamingError};
use weir_models::EncodeError;

/// Why a request to a session failed. The session is unchanged and goes on, except after
/// [`ErrorClass::Storage`].
#[derive(Debug, Clone, thiserror::Error)]
pub enum ServiceError {
    /// The session refused it.
    #[error(transparent)]
    Input(#[from] InputError),
    /// An erasure was refused.
    #[error(transparent)]
    Erase(Arc<EraseError>),
    /// A model failed.
    #[error("{0}")]
    Model(String),
    /// The queue is full.
    #[error("{waiting} {what} wait already; try again in a moment")]
    Busy {
        /// What waits.
        what: &'static str,
        /// How many.
        waiting: usize,
    },
    /// The reply did not come in time. The request was given up: it changed nothing.
    #[error("no reply within {} ms; nothing was changed, try again", limit.as_millis())]
    Late {
        /// The limit.
        limit: Duration,
    },
    /// The idempotency key was used for another request.
    #[error("the key `{key}` was used for another request; use a new key")]
    OtherRequest {
        /// The key.
        key: String,
    },
    /// A unit has other words than the edit was made for.
    #[error("{node} was changed meanwhile and says now: {now}; read it again, then edit it")]
    Reworded {
        /// The unit.
        node: String,
        /// Its words.
        now: String,
    },
    /// It is not a request at all.
    #[error("{why}")]
    Malformed {
        /// What is wrong with it.
        why: String,
    },
    /// A client gave an id that only the session gives.
    #[error("the id `{id}` begins with `#`; such ids are given by the session: use another one")]
    ReservedId {
        /// The id.
        id: String,
    },
    /// A stream was to end that a run feeds.
    #[error(
        "a run feeds this session: begin a stream beside its own, end none of them, or wait until \
         it ends"
    )]
    Fed,
    /// The session is closed.
    #[error("the session is closed; open it again")]
    Closed,
    /// A file could not be written, or the owner failed; the session is closed.
    #[error("{why}")]
    Failed {
        /// The owner's error.
        why: String,
        /// Its class.
        class: ErrorClass,
    },
}

impl ServiceError {
    /// Refuses a question that is too long.
    ///
    /// # Errors
    /// It has more bytes than [`limits::QUESTION_BYTES_MAX`].
    pub fn of_question(text: &str) -> Result<(), Self> {
        let (bytes, most) = (text.len(), limits::QUESTION_BYTES_MAX);
        match bytes <= most {
            true => Ok(()),
            false => Err(Self::Malformed {
                why: format!(
                    "the question has {bytes} bytes; at most {most} are possible: ask for less"
                ),
            }),
        }
    }

    /// What a client can do about it.
    #[must_use]
    pub fn class(&self) -> ErrorClass {
        match self {
            Self::Input(error) => class_of(error),
            Self::Erase(error) => match **error {
                EraseError::NoNode { .. } | EraseError::Nothing { .. } => ErrorClass::Conflict,
                EraseError::OtherEncoder { .. } | EraseError::Encode(_) => ErrorClass::Model,
            },
            Self::ReservedId { .. } | Self::Malformed { .. } => ErrorClass::BadInput,
            Self::Model(_) => ErrorClass::Model,
            Self::Busy { .. } | Self::Late { .. } => ErrorClass::Busy,
            Self::OtherRequest { .. } | Self::Reworded { .. } | Self::Fed => ErrorClass::Conflict,
            Self::Closed => ErrorClass::Gone,
            Self::Failed { class, .. } => *class,
        }
    }
}

/// Whether a refused input is wrong in itself, or only for what the session holds.
fn class_of(error: &InputError) -> ErrorClass {
    match error {
        InputError::SameId { .. }
        | InputError::Pin(_)
        | InputError::Profile(_)
        | InputError::Source(_)
        | InputError::Speaker(_)
        | InputError::RawOverBudget { .. }
        | InputError::OtherStream { .. }
        | InputError::StreamOpen { .. } => ErrorClass::Conflict,
        InputError::PendingFull { .. } | InputError::StreamsFull { .. } => ErrorClass::Busy,
        InputError::BadVector { .. } => ErrorClass::Model,
        InputError::WrongBlock { .. } | InputError::NoEvidence { .. } => ErrorClass::Internal,
        InputError::NoStream { .. }
        | InputError::NoWords { .. }
        | InputError::WrongSpan { .. }
        | InputError::WrongWords { .. }
        | InputError::TooLong { .. }
        | InputError::Budget(_) => ErrorClass::BadInput,
    }
}

impl From<&PipelineError> for ServiceError {
    fn from(error: &PipelineError) -> Self {
        let class = match error {
            PipelineError::SessionLog(_) | PipelineError::Backlog { .. } => ErrorClass::Storage,
            _ => ErrorClass::Internal,
        };
        let why = error.to_string();
        Self::Failed { why, class }
    }
}

impl From<TimeError> for ServiceError {
    fn from(error: TimeError) -> Self {
        Self::Malformed {
            why: error.to_string(),
        }
    }
}

impl From<EncodeError> for ServiceError {
    fn from(error: EncodeError) -> Self {
        Self::Model(error.to_string())
    }
}

impl From<DriverError> for ServiceError {
    fn from(error: DriverError) -> Self {
        match error {
            DriverError::Input(error) => Self::Input(error),
            DriverError::Encode(error) => error.into(),
            DriverError::Distil(error) => Self::Model(error.to_string()),
            DriverError::Erase(error) => Self::Erase(Arc::new(error)),
        }
    }
}

impl From<NamingError> for ServiceError {
    fn from(error: NamingError) -> Self {
        match error {
            NamingError::Speaker(error) => Self::Input(error.into()),
            NamingError::Encode(error) => error.into(),
        }
    }
}
