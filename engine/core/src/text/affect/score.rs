//! The score of a clause by its words: log-odds of the polarities, and intensity.
//!
//! The weights were trained with these features, in this order (`scripts/affect/README.md`).

use super::clause::Clause;
use super::numbers;
use super::table;
use std::sync::LazyLock;

/// The largest strength of a feeling. The smallest is 0.
pub const STRENGTH_MAX: f32 = 3.0;

const COEFFICIENTS: &str = include_str!("score.txt");
/// Sums of entries, each with a share for positive and one for negative.
const SUMS: usize = 5;
/// Sums, marks and the intercept.
const FEATURES: usize = 2 * SUMS + 6;
const EXCLAMATIONS_MAX: usize = 3;
const NEGATORS_MAX: usize = 2;
const LOGIT_MAX: f32 = 6.0;
/// What modifiers do to the weights of a word.
const BOOST: f32 = 1.25;
const LOWER: f32 = 0.6;
/// What modifiers do to its intensity.
const BOOST_INTENSITY: f32 = 1.3;
const LOWER_INTENSITY: f32 = 0.6;
const NEGATED_INTENSITY: f32 = 0.7;
const EXCLAIMED_INTENSITY: f32 = 1.15;
/// Share of the less intense entries.
const OTHERS: f32 = 0.2;
/// Intensity of a feeling that no word names.
const INTENSITY_MIN: f32 = 0.8;
static ROWS: LazyLock<Vec<[f32; 2]>> =
    LazyLock::new(|| numbers::rows(COEFFICIENTS).map(|(_, row)| row).collect());

/// What the words of a clause say.
#[derive(Debug)]
pub(super) struct Words {
    /// Log-odds of positive and of negative against neutral, as trained.
    pub(super) odds: [f32; 2],
    /// 0.8 to 3.
    pub(super) intensity: f32,
}

impl Words {
    /// The score of a clause.
    pub(super) fn of(text: &str) -> Self {
        let clause = Clause::of(text);
        let mut sums = [[0.0_f32; 2]; SUMS];
        let (mut most, mut all, mut any) = (0.0_f32, 0.0, false);
        let mut key = String::new();
        for hit in &clause.hits {
            let modified = |boost, lower| {
                (if hit.boosted { boost } else { 1.0 }) * (if hit.lowered { lower } else { 1.0 })
            };
            for found in table::found(hit, &mut key) {
                any = true;
                let odds = found.entry.odds.map(|odds| odds * modified(BOOST, LOWER));
                let takes = [
                    !found.negated,
                    found.negated,
                    !found.negated && hit.part < clause.parts,
                    !found.negated && clause.question,
                    !found.negated && clause.exclamations > 0,
                ];
                for (sum, _) in sums.iter_mut().zip(takes).filter(|(_, takes)| *takes) {
                    *sum = [sum[0] + odds[0], sum[1] + odds[1]];
                }
                let share = if found.negated {
                    NEGATED_INTENSITY
                } else {
                    1.0
                };
                let intensity =
                    found.entry.intensity * share * modified(BOOST_INTENSITY, LOWER_INTENSITY);
                most = most.max(intensity);
                all += intensity;
            }
        }
        let loud = if clause.exclamations > 0 {
            EXCLAIMED_INTENSITY
        } else {
            1.0
        };
        let intensity = loud * (most + OTHERS * (all - most));
        Self {
            odds: weighed(&features(&sums, &clause, any)),
            intensity: intensity.clamp(INTENSITY_MIN, STRENGTH_MAX),
        }
    }
}

fn features(sums: &[[f32; 2]; SUMS], clause: &Clause, any: bool) -> [f32; FEATURES] {
    let marks = [
        f32::from(u8::from(clause.question)),
        clause.exclamations.min(EXCLAMATIONS_MAX) as f32,
        clause.negators.min(NEGATORS_MAX) as f32,
        (clause.words as f32).ln_1p(),
        f32::from(u8::from(!any)),
        1.0,
    ];
    let mut features = [0.0; FEATURES];
    let values = sums.as_flattened().iter().chain(&marks);
    for (feature, value) in features.iter_mut().zip(values) {
        *feature = *value;
    }
    features
}

fn weighed(features: &[f32; FEATURES]) -> [f32; 2] {
    let mut odds = [0.0_f32; 2];
    for (feature, row) in features.iter().zip(ROWS.iter()) {
        odds = [odds[0] + feature * row[0], odds[1] + feature * row[1]];
    }
    odds.map(|odds| odds.clamp(-LOGIT_MAX, LOGIT_MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_feature_has_its_coefficients() {
        assert_eq!(ROWS.len(), FEATURES);
    }
}
