//! The contract of a token counter: the cost of a text in a budget.
//!
//! Every insertion counts tokens, so an implementation must be cheap, never fail and hold no lock.

/// Counts the tokens of a text in one fixed vocabulary.
pub trait CountTokens: Send + Sync {
    /// The number of tokens of `text` without special tokens; 0 for empty text. No token spans a
    /// space: the count of texts joined by spaces is the sum of their counts. O(length of the
    /// text).
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

/// Counts words separated by white space: for tests and examples, where the vocabulary does not
/// matter.
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
