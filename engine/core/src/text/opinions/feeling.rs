//! How strongly something is felt: leanings of verbs, and phrases with boosters and negation.

use crate::text::affect::{Affect, Sentiment};

use super::tokens::Token;

/// Words that make a feeling stronger, and weaker.
const BOOSTERS: &str = "so really very absolutely totally truly extremely incredibly definitely \
    especially deeply always completely particularly super much utterly";
const DAMPERS: &str = "kinda kind sorta sort bit little quite pretty fairly somewhat rather mildly \
    slightly";
/// Change of leaning and of strength per booster or damper.
const STEP: (f32, f32) = (0.05, 0.4);
/// Strength of a leaning of 1, without boosters.
const STRENGTH: f32 = 2.4;
/// A leaning below this is no opinion.
pub(super) const LEANING_MIN: f32 = 0.3;

/// The affect of a leaning, -1 to 1, with the boosters and dampers among some words.
pub(super) fn stated(leaning: f32, words: &[Token<'_>]) -> Affect {
    let count = |list: &str| words.iter().filter(|word| word.is(list)).count().min(2) as f32;
    let degree = count(BOOSTERS) - count(DAMPERS);
    let share = (leaning.abs() + STEP.0 * degree).clamp(0.4, 0.95);
    let strength = (leaning.abs() * STRENGTH + STEP.1 * degree).clamp(0.3, 3.0);
    made(leaning, share, strength)
}

fn made(leaning: f32, share: f32, strength: f32) -> Affect {
    let (other, neutral) = (0.2 * (1.0 - share), 0.8 * (1.0 - share));
    let (positive, negative) = match leaning >= 0.0 {
        true => (share, other),
        false => (other, share),
    };
    Affect {
        sentiment: Sentiment {
            positive,
            negative,
            neutral,
        },
        strength,
    }
}

/// The opposite feeling, somewhat weaker: of what loses a comparison.
pub(super) fn reversed(affect: &Affect) -> Affect {
    let leaning = -0.7 * affect.sentiment.leaning();
    made(
        leaning,
        leaning.abs().clamp(0.45, 0.8),
        0.6 * affect.strength,
    )
}

/// Whether a feeling is clear enough to be an opinion.
pub(super) fn is_clear(affect: &Affect) -> bool {
    affect.sentiment.leaning().abs() >= LEANING_MIN
}
