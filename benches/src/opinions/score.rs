//! Precision and recall of what is extracted.

use serde_json::{Value, json};
use std::collections::BTreeSet;
use weir_core::text::stems;

/// The three polarities.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Polarity {
    Positive,
    Negative,
    Neutral,
}

impl Polarity {
    /// Positive or negative by sign, neutral at 0.
    pub(super) fn by_sign(value: f32) -> Self {
        match value {
            value if value > 0.0 => Self::Positive,
            value if value < 0.0 => Self::Negative,
            _ => Self::Neutral,
        }
    }
}

/// What is labelled, what is found, and what of that is right.
#[derive(Clone, Copy, Default)]
pub(super) struct Counts {
    pub(super) gold: usize,
    pub(super) found: usize,
    pub(super) right: usize,
}

impl Counts {
    pub(super) fn add(&mut self, gold: bool, found: bool, right: bool) {
        self.gold += usize::from(gold);
        self.found += usize::from(found);
        self.right += usize::from(right);
    }

    /// The counts with precision, recall and F1.
    pub(super) fn scored(self) -> Value {
        let Self { gold, found, right } = self;
        json!({
            "gold": gold,
            "found": found,
            "right": right,
            "precision": share(right, found),
            "recall": share(right, gold),
            "f1": 2.0 * share(right, gold + found),
        })
    }
}

/// Whether a text has one of some stems.
pub(super) fn shares_word(words: &BTreeSet<String>, text: &str) -> bool {
    !words.is_disjoint(&stems(text))
}

pub(super) fn share(part: usize, whole: usize) -> f64 {
    part as f64 / whole.max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_are_those_of_the_definitions() {
        let (gold, found, right) = (10, 4, 2);
        let scored = Counts { gold, found, right }.scored();
        let apart = |name: &str, from: f64| (scored[name].as_f64().expect("a number") - from).abs();
        assert!(apart("precision", 0.5) < 1e-9 && apart("f1", 2.0 / 7.0) < 1e-9);
    }
}
