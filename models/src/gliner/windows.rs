//! Splits a long text into overlapping windows, each responsible for a part of its own.

use std::ops::Range;

/// Words read together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Window {
    /// The words read.
    pub(super) words: Range<usize>,
    /// Spans that begin here belong to this window: its words except half of each overlap with a
    /// neighbour, so that no span is scored at an edge.
    pub(super) own: Range<usize>,
}

/// Most tokens of a window, and the usual overlap of two windows.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    pub(super) words: usize,
    pub(super) tokens: usize,
    pub(super) shared: usize,
}

/// The windows of a text, given the token count of each word. Their own parts cover the whole text
/// without gap or overlap.
pub(super) fn windows(tokens: &[usize], limits: Limits) -> Vec<Window> {
    let mut windows: Vec<Window> = Vec::new();
    let (mut start, mut own) = (0, 0);
    while own < tokens.len() {
        let mut sum = 0;
        let fits = |count: &&usize| {
            sum += **count;
            sum <= limits.tokens
        };
        let words = tokens[start..].iter().take(limits.words.max(1));
        // A word longer than all limits is read alone.
        let end = start + words.take_while(fits).count().max(1);
        if end <= own {
            // The overlap is too long for the window to advance.
            start = own;
            continue;
        }
        let shared = match end == tokens.len() {
            true => 0,
            false => limits.shared.min((end - start) / 2),
        };
        let until = (end - shared / 2).max(own + 1);
        windows.push(Window {
            words: start..end,
            own: own..until,
        });
        own = until;
        start = (end - shared).max(start + 1).min(own);
    }
    windows
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_text_that_fits_is_one_window() {
        let limits = Limits {
            words: 10,
            tokens: 30,
            shared: 4,
        };
        let one = windows(&[3; 10], limits);
        assert_eq!(
            (one.len(), &one[0].words, &one[0].own),
            (1, &(0..10), &(0..10))
        );
        let two = windows(&[1; 15], limits);
        let parts: Vec<_> = two
            .iter()
            .map(|w| (w.words.clone(), w.own.clone()))
            .collect();
        assert_eq!(parts, [(0..10, 0..8), (6..15, 8..15)]);
        assert!(windows(&[], limits).is_empty());
    }

    proptest! {
        #[test]
        fn own_parts_are_the_text(
            tokens in proptest::collection::vec(0_usize..9, 0..200),
            words in 1_usize..30,
            most in 1_usize..40,
            shared in 0_usize..30,
        ) {
            let limits = Limits { words, tokens: most, shared };
            let made = windows(&tokens, limits);
            let mut next = 0;
            for window in &made {
                prop_assert_eq!(window.own.start, next);
                prop_assert!(window.own.end > next);
                prop_assert!(window.words.start <= window.own.start);
                prop_assert!(window.own.end <= window.words.end);
                prop_assert!(window.words.len() <= words);
                let sum: usize = tokens[window.words.clone()].iter().sum();
                prop_assert!(sum <= most || window.words.len() == 1);
                next = window.own.end;
            }
            prop_assert_eq!(next, tokens.len());
        }
    }
}
