//! The feeling of a part of a sentence, and of a term in a long one.

use super::phrase::judges;
use super::tokens::Token;
use crate::text::affect::Affect;

/// Whether a word judges a thing.
pub(super) fn judges_thing(word: &Token<'_>) -> bool {
    judges(word)
}

/// The feeling of some words, which are this text.
pub(super) fn affect_of_words(_words: &[Token<'_>], text: &str) -> Affect {
    Affect::of_words(text)
}
