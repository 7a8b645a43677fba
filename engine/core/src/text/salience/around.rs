//! What the worth of a statement depends on beside its words.

use crate::text::Term;

/// What is around a statement.
#[derive(Debug, Clone, Copy)]
pub struct Around<'a> {
    /// The whole utterance.
    pub utterance: &'a str,
    /// The statement's place among those of the utterance, from 0.
    pub place: usize,
    /// How many there are.
    pub statements: usize,
    /// Somebody else asked a question just before the utterance.
    pub answers: bool,
    /// Terms of the utterance that nobody used before, ascending.
    pub new_terms: &'a [Term],
    /// Parts of the names of the speakers heard, lower-cased.
    pub names: &'a [String],
}
