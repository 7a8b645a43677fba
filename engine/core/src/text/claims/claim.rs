//! A fact with one value at a time.

use serde::{Deserialize, Serialize};

/// A fact with one value at a time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Claim {
    /// Lower-cased subject of the fact: a person, or a thing as named.
    pub subject: String,
    /// Attribute of the subject: `home`, `age`, `favorite color`.
    pub slot: String,
    /// The value in the words used, lower-cased.
    pub value: String,
    /// The statement says that this value no longer holds: "I used to live in Rome".
    pub over: bool,
    /// Whether it supersedes earlier values of the slot: it tells of a change ("I moved to"), or
    /// the slot cannot have two values.
    pub firm: bool,
}
