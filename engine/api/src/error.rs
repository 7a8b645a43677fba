//! Errors, each with a class that a client can act on.

use serde::{Deserialize, Serialize};

/// What a client can do about an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum ErrorClass {
    /// The request is wrong: change it.
    BadInput,
    /// The request contradicts what is held, such as an id that is used: look first.
    Conflict,
    /// Too much waits already: ask again in a moment.
    Busy,
    /// The session was closed: open it again.
    Gone,
    /// A file could not be written: see to the disk, then open the session again.
    Storage,
    /// A model failed: the request may work again, or with another model.
    Model,
    /// A bug in the program.
    Internal,
}

/// Why a request was not carried out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Failure {
    /// What can be done about it.
    pub class: ErrorClass,
    /// What is wrong, and the legal values.
    pub message: String,
}
