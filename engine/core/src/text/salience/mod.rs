//! The probability that a statement will be asked for: a logistic model of its content, the talk
//! around it, and the rarity of its words.
//!
//! Trained on the development dialogues of LoCoMo, with a little of FriendsQA, BEAM and QMSum
//! (`scripts/salience`). There, a sentence counts as asked for when it shares most with a question
//! and its answer. The word lists are English; for other languages rarity and numbers remain. The
//! part that depends on the words alone is computed once ([`Salience::said`]). Rarity is known
//! better later, so its part is computed when something must be forgotten ([`Salience::chance`]).

mod around;
mod features;
#[cfg(test)]
mod golden;

pub use around::Around;

use features::Features;

const INTERCEPT: f32 = -4.8333;

/// Cap on the rarity of a statement, in nats.
const MASS_MAX: f32 = 80.0;

/// The model.
#[derive(Debug, Clone, Copy)]
pub struct Salience;

impl Salience {
    /// The part of the score, in logits, that depends on the statement and the talk around it.
    /// Cost: linear in the utterance.
    #[must_use]
    pub fn said(text: &str, around: &Around<'_>) -> f32 {
        let features = Features::of(text, around);
        features
            .iter()
            .map(|(_, weight, value)| weight * value)
            .sum()
    }

    /// The probability that a statement is asked for: `said` combined with the rarity of its words.
    /// `mass` is the sum of the rarities of its `distinct` terms in nats, without speakers' names;
    /// `tokens` is its token count as heard.
    #[must_use]
    pub fn chance(said: f32, mass: f32, distinct: usize, tokens: u32) -> f32 {
        let cost = tokens.max(1) as f32;
        let score = INTERCEPT
            + said
            + 0.1938 * cost.ln()
            + 0.1183 * mass.min(MASS_MAX).sqrt()
            + 0.3627 * mass / cost
            + 0.1343 * mass / distinct.max(1) as f32;
        1.0 / (1.0 + (-score).exp())
    }
}
