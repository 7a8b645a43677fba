//! A fact with one value at a time.

use crate::text::Term;
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

/// A claim as hashes: enough to compare slots and values.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClaimKey {
    /// Hash of subject and slot.
    pub slot: u64,
    /// Terms of the value.
    pub value: Vec<Term>,
    /// The statement says that this value no longer holds.
    pub over: bool,
    /// Whether it supersedes earlier values of the slot.
    pub firm: bool,
}

impl ClaimKey {
    /// Whether both claim the same slot of the same subject.
    #[must_use]
    pub fn same_slot(&self, other: &Self) -> bool {
        self.slot == other.slot
    }

    /// Whether both give the same value: the same content words, or all words of one are in the
    /// other.
    #[must_use]
    pub fn same_value(&self, other: &Self) -> bool {
        let within = |a: &[Term], b: &[Term]| a.iter().all(|term| b.contains(term));
        within(&self.value, &other.value) || within(&other.value, &self.value)
    }

    /// Heap bytes, without the struct itself.
    #[must_use]
    pub(crate) fn bytes(&self) -> usize {
        self.value.len() * size_of::<Term>()
    }
}
