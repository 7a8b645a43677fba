//! How likely a statement is to be asked for, before anybody asked: a logistic model of what it
//! says, of the talk around it, and of how rare its words are.
//!
//! Trained on the development dialogues of LoCoMo, with a little of FriendsQA, BEAM and QMSum
//! (`scripts/salience`), where a sentence counts as asked for when it shares most with a question
//! and its answer. English word lists; other languages keep what rarity and numbers tell. The part
//! that follows from the words alone is computed once ([`Salience::said`]); how rare they are is
//! known better later, so that part is computed when something has to go ([`Salience::chance`]).

mod around;
mod features;
#[cfg(test)]
mod golden;

pub use around::Around;

use features::Features;

const INTERCEPT: f32 = -4.8333;

/// Rarity, in nats, above which more makes no difference.
const MASS_MAX: f32 = 80.0;

/// The model.
#[derive(Debug, Clone, Copy)]
pub struct Salience;

impl Salience {
    /// The part of the score, in logits, that follows from the statement and the talk around it.
    /// Cost: linear in the utterance.
    #[must_use]
    pub fn said(text: &str, around: &Around<'_>) -> f32 {
        let features = Features::of(text, around);
        features
            .iter()
            .map(|(_, weight, value)| weight * value)
            .sum()
    }

    /// The chance that a statement is asked for: `said` with how rare its words are. `mass` is the
    /// sum of the rarities of its `distinct` terms in nats, without speakers' names; `tokens` what
    /// it cost as it was heard.
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
