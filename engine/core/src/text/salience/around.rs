//! The context of a statement that its salience depends on.

use crate::analysis::Term;

/// The context of a statement.
#[derive(Debug, Clone, Copy)]
pub struct Around<'a> {
    /// The whole utterance.
    pub utterance: &'a str,
    /// The statement's index in the utterance, from 0.
    pub place: usize,
    /// Number of statements in the utterance.
    pub statements: usize,
    /// Whether somebody else asked a question just before the utterance.
    pub answers: bool,
    /// Terms of the utterance that nobody used before, ascending.
    pub new_terms: &'a [Term],
    /// Parts of the names of the speakers heard, lower-cased.
    pub names: &'a [String],
}
