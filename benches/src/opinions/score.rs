//! Precision and recall of what is extracted.

use serde::Serialize;

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

/// Precision, recall and F1 of an extraction.
#[derive(Debug, Serialize)]
pub(super) struct Extraction {
    gold: usize,
    found: usize,
    right: usize,
    precision: f64,
    recall: f64,
    f1: f64,
}

impl Extraction {
    pub(super) fn of(gold: usize, found: usize, right: usize) -> Self {
        Self {
            gold,
            found,
            right,
            precision: share(right, found),
            recall: share(right, gold),
            f1: 2.0 * share(right, gold + found),
        }
    }
}

pub(super) fn share(part: usize, whole: usize) -> f64 {
    part as f64 / whole.max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_are_those_of_the_definitions() {
        let found = Extraction::of(10, 4, 2);
        assert!((found.precision - 0.5).abs() < 1e-9 && (found.f1 - 2.0 / 7.0).abs() < 1e-9);
    }
}
