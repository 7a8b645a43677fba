//! One first-person fact.

use super::slot::FactSlot;

/// A first-person fact as a statement gives it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fact<'a> {
    /// The slot that it fills.
    pub slot: FactSlot,
    /// The qualifier inside the slot, empty if there is none: "sister Maria", "dog", "jazz". Of the
    /// facts with the same slot and qualifier the newest is true; likes and dislikes share theirs.
    pub about: String,
    /// The value in the words of the speaker, without the pronoun; at most twelve words.
    pub value: String,
    /// The contiguous part of the statement that says so.
    pub clause: &'a str,
    /// The statement says that the fact no longer holds: "I no longer work at Siemens".
    pub ended: bool,
    /// The speaker asked to remember it: "remember that ...".
    pub wanted: bool,
}
