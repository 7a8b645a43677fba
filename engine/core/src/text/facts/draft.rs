//! A fact before its statement is known, and what was read so far of a clause.

use super::sentence::Sentence;
use super::slot::FactSlot;
use std::ops::Range;

/// A fact as places in a sentence.
#[derive(Debug, Clone)]
pub(super) struct Draft {
    pub(super) slot: FactSlot,
    pub(super) about: String,
    pub(super) value: String,
    /// The words that say so.
    pub(super) words: Range<usize>,
    pub(super) ended: bool,
}

impl Draft {
    /// A fact with these words as value, said by the words from `start` to their end.
    pub(super) fn of(
        s: &Sentence<'_>,
        start: usize,
        slot: FactSlot,
        about: impl Into<String>,
        value: Range<usize>,
    ) -> Self {
        Self {
            slot,
            about: about.into(),
            words: start..value.end,
            value: s.shown(value),
            ended: false,
        }
    }
}

/// What stands before the predicate.
#[derive(Debug, Clone, Copy)]
pub(super) struct Before {
    /// The first word of the clause.
    pub(super) start: usize,
    /// "I am", not "I".
    pub(super) be: bool,
    /// The speaker and others: "we".
    pub(super) many: bool,
    /// The place of a denial.
    pub(super) denied: Option<usize>,
    /// It no longer holds: "used to", "no longer", "anymore".
    pub(super) ended: bool,
}
