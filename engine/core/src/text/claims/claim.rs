//! A fact of which only one value holds at a time.

use crate::text::Term;
use serde::{Deserialize, Serialize};

/// A fact of which only one value holds at a time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Claim {
    /// Whose fact it is, lower-cased: a person, or a thing as it was named.
    pub subject: String,
    /// What of the subject: `home`, `age`, `favorite color`.
    pub slot: String,
    /// The value in the words used, lower-cased.
    pub value: String,
    /// The statement says that this value holds no more: "I used to live in Rome".
    pub over: bool,
    /// Whether it ends what was said of the slot before: it tells of a change ("I moved to"), or
    /// there can be no two such values.
    pub firm: bool,
}

/// A claim without its words: enough to tell whether two speak of one slot and give one value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClaimKey {
    /// Hash of subject and slot.
    pub slot: u64,
    /// Terms of the value.
    pub value: Vec<Term>,
    /// The statement says that this value holds no more.
    pub over: bool,
    /// Whether it ends what was said of the slot before.
    pub firm: bool,
}

impl ClaimKey {
    /// Whether both speak of the same slot of the same subject.
    #[must_use]
    pub fn same_slot(&self, other: &Self) -> bool {
        self.slot == other.slot
    }

    /// Whether both give the same value: the same content words, or one all of the other's.
    #[must_use]
    pub fn same_value(&self, other: &Self) -> bool {
        let within = |a: &[Term], b: &[Term]| a.iter().all(|term| b.contains(term));
        within(&self.value, &other.value) || within(&other.value, &self.value)
    }

    /// Bytes beside the struct itself.
    #[must_use]
    pub(crate) fn bytes(&self) -> usize {
        self.value.len() * size_of::<Term>()
    }
}
