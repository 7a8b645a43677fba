//! The contract of a token counter: what a piece of text costs in a budget.
//!
//! Counting is on the hot path of every insertion, so an implementation is cheap, never fails and
//! holds no lock.

/// Counts the tokens of a text in one fixed vocabulary.
pub trait CountTokens: Send + Sync {
    /// The number of tokens of `text`, special tokens not counted; 0 for empty text. No token
    /// spans a blank: texts that blanks separate cost together what each costs.
    /// O(length of the text).
    fn count(&self, text: &str) -> usize;

    /// The name of the vocabulary, for reports.
    fn name(&self) -> &str;
}

impl<T: CountTokens + ?Sized> CountTokens for &T {
    fn count(&self, text: &str) -> usize {
        (**self).count(text)
    }

    fn name(&self) -> &str {
        (**self).name()
    }
}

/// Counts words between white space: the stand-in where no vocabulary matters (tests, examples).
#[derive(Debug, Clone, Copy, Default)]
pub struct SpaceCounter;

impl CountTokens for SpaceCounter {
    fn count(&self, text: &str) -> usize {
        text.split_whitespace().count()
    }

    fn name(&self) -> &str {
        "white-space words"
    }
}
