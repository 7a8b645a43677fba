//! How often a text holds each term of a question.

/// Maximum number of question terms searched for, rarest first.
pub(super) const TERMS_MAX: usize = 32;

/// How often a text holds each term of a question.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Counts(pub(super) [u8; TERMS_MAX]);

impl Counts {
    /// Whether the text holds the term at this index.
    pub(super) fn has(&self, at: usize) -> bool {
        self.0[at] > 0
    }

    /// The larger count of each term.
    pub(super) fn or_more(mut self, other: &Self) -> Self {
        let both = self.0.iter_mut().zip(other.0);
        both.for_each(|(count, other)| *count = other.max(*count));
        self
    }

    /// Sum of the counts of both texts.
    pub(super) fn plus(mut self, other: &Self) -> Self {
        let both = self.0.iter_mut().zip(other.0);
        both.for_each(|(count, more)| *count = count.saturating_add(more));
        self
    }
}
