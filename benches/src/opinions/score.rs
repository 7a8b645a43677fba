//! Accuracy and F1 of polarities, precision and recall of what is extracted.

use serde::Serialize;
use weir_core::text::Affect;

/// The three polarities.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Polarity {
    Positive,
    Negative,
    Neutral,
}

impl Polarity {
    /// The likeliest polarity.
    pub(super) fn of(affect: &Affect) -> Self {
        let sentiment = affect.sentiment;
        match () {
            () if sentiment.neutral >= sentiment.positive.max(sentiment.negative) => Self::Neutral,
            () => Self::by_sign(sentiment.leaning()),
        }
    }

    /// Positive or negative by sign, neutral at 0.
    pub(super) fn by_sign(value: f32) -> Self {
        match value {
            value if value > 0.0 => Self::Positive,
            value if value < 0.0 => Self::Negative,
            _ => Self::Neutral,
        }
    }
}

/// Accuracy and macro F1 of polarities.
#[derive(Debug, Serialize)]
pub(super) struct Polarities {
    items: usize,
    pub(super) accuracy: f64,
    macro_f1: f64,
    /// F1 of each class that occurs: positive, negative, neutral.
    f1: Vec<f64>,
}

impl Polarities {
    /// Scores pairs of gold and answer over the classes that occur in gold.
    pub(super) fn of(pairs: &[(Polarity, Polarity)]) -> Self {
        // by label (row) and answer (column)
        let mut counts = [[0; 3]; 3];
        for (gold, told) in pairs {
            counts[*gold as usize][*told as usize] += 1;
        }
        let labelled = |class: usize| counts[class].iter().sum::<usize>();
        let found = |class: usize| counts.iter().map(|row| row[class]).sum::<usize>();
        let f1 = (0..3)
            .filter(|class| labelled(*class) > 0)
            .map(|class| 2.0 * share(counts[class][class], labelled(class) + found(class)));
        let f1: Vec<f64> = f1.collect();
        Self {
            items: pairs.len(),
            accuracy: share((0..3).map(|class| counts[class][class]).sum(), pairs.len()),
            macro_f1: f1.iter().sum::<f64>() / f1.len().max(1) as f64,
            f1,
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
    use Polarity::{Negative, Neutral, Positive};

    #[test]
    fn scores_are_those_of_the_definitions() {
        let pairs = [
            (Positive, Positive),
            (Positive, Negative),
            (Negative, Negative),
            (Neutral, Negative),
        ];
        let scores = Polarities::of(&pairs);
        assert!((scores.accuracy - 0.5).abs() < 1e-9);
        // 2/3 of positive, 1/2 of negative, nothing of neutral
        let wanted = (2.0 / 3.0 + 0.5) / 3.0;
        assert!((scores.macro_f1 - wanted).abs() < 1e-9, "{scores:?}");
        let found = Extraction::of(10, 4, 2);
        assert!((found.precision - 0.5).abs() < 1e-9 && (found.f1 - 2.0 / 7.0).abs() < 1e-9);
    }
}
