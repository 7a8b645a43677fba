//! The probability that a statement will be asked for: a logistic model of its content, the talk
//! around it, and the rarity of its words.
//!
//! `scripts/salience` trains the weights (`weights.txt`) on the features that `weir-bench features`
//! writes. A sentence counts as asked for when it shares most with a question and its answer. The
//! word lists are English; for other languages rarity and numbers remain. The part that depends on
//! the words alone is computed once ([`Salience::said`]). Rarity is known better later, so its part
//! is computed when something must be forgotten ([`Salience::chance`]).

mod around;
mod features;
mod weights;

pub use around::Around;
pub use weights::WrongWeights;
pub(crate) use weights::named;

use features::{FEATURES, SAID};
use std::sync::OnceLock;

/// Names of the features of rarity and cost, in the order of [`Salience::rarities`].
const RARITY: [&str; 4] = ["logcost", "mass_sq", "mass_tok", "meanidf"];
/// Cap on the rarity of a statement, in nats.
const MASS_MAX: f32 = 80.0;
const SHIPPED: &str = include_str!("weights.txt");

static MODEL: OnceLock<Salience> = OnceLock::new();

/// The model.
#[derive(Debug, Clone, PartialEq)]
pub struct Salience {
    intercept: f32,
    said: [f32; SAID],
    rarity: [f32; RARITY.len()],
}

impl Salience {
    /// Reads weights: a line is `intercept`, or the name of a feature, and a number.
    ///
    /// # Errors
    /// [`WrongWeights`] if a feature has no weight, a weight has no feature, or a number is none.
    pub fn read(text: &str) -> Result<Self, WrongWeights> {
        let names: Vec<&str> = ["intercept"]
            .into_iter()
            .chain(FEATURES)
            .chain(RARITY)
            .collect();
        let rows = named::<1>(text, &names)?;
        let weight = |at: usize| rows[at][0];
        Ok(Self {
            intercept: weight(0),
            said: std::array::from_fn(|at| weight(1 + at)),
            rarity: std::array::from_fn(|at| weight(1 + SAID + at)),
        })
    }

    /// Uses other weights than the built-in ones in this process: for measurements.
    ///
    /// # Errors
    /// [`WrongWeights`], also if a statement was weighed already.
    pub fn replace(text: &str) -> Result<(), WrongWeights> {
        let used = |_| WrongWeights::in_use("salience");
        MODEL.set(Self::read(text)?).map_err(used)
    }

    fn model() -> &'static Self {
        MODEL.get_or_init(|| Self::read(SHIPPED).unwrap_or_else(|wrong| panic!("{wrong}")))
    }

    /// The names of all features: those of [`Self::features`], then those of [`Self::rarities`].
    pub fn names() -> impl Iterator<Item = &'static str> {
        FEATURES.into_iter().chain(RARITY)
    }

    /// The features of a statement and the talk around it. Cost: linear in the utterance.
    #[must_use]
    pub fn features(text: &str, around: &Around<'_>) -> Vec<f32> {
        features::of(text, around).to_vec()
    }

    /// The features of rarity and cost. `mass` is the sum of the rarities of a statement's
    /// `distinct` terms in nats, without speakers' names; `tokens` is its token count as heard.
    #[must_use]
    pub fn rarities(mass: f32, distinct: usize, tokens: u32) -> [f32; RARITY.len()] {
        let cost = tokens.max(1) as f32;
        [
            cost.ln(),
            mass.min(MASS_MAX).sqrt(),
            mass / cost,
            mass / distinct.max(1) as f32,
        ]
    }

    /// The part of the score, in logits, that depends on the statement and the talk around it.
    /// Cost: linear in the utterance.
    #[must_use]
    pub fn said(text: &str, around: &Around<'_>) -> f32 {
        dot(&Self::model().said, &features::of(text, around))
    }

    /// The probability that a statement is asked for: `said` combined with the rarity of its words
    /// ([`Self::rarities`]).
    #[must_use]
    pub fn chance(said: f32, mass: f32, distinct: usize, tokens: u32) -> f32 {
        let model = Self::model();
        let rarity = dot(&model.rarity, &Self::rarities(mass, distinct, tokens));
        1.0 / (1.0 + (-(model.intercept + said + rarity)).exp())
    }
}

fn dot<const N: usize>(weights: &[f32; N], values: &[f32; N]) -> f32 {
    weights.iter().zip(values).map(|(w, v)| w * v).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rare_words_and_facts_are_worth_more() {
        let said = |text: &str| {
            let around = Around {
                utterance: text,
                place: 0,
                statements: 1,
                answers: false,
                new_terms: &[],
                names: &[],
            };
            Salience::said(text, &around)
        };
        assert!(said("I moved to Porto in May.") > said("That sounds great!"));
        let chance = |mass| Salience::chance(0.0, mass, 4, 12);
        assert!(chance(20.0) > chance(5.0) && chance(200.0) <= 1.0 && chance(0.0) > 0.0);
    }

    #[test]
    fn weights_that_are_not_those_of_the_features_are_refused() {
        let refused = |text: &str| Salience::read(text).expect_err("wrong weights").0;
        let without = SHIPPED.replace("kin ", "kind ");
        assert_eq!(refused(&without), "no feature is called kind");
        let short = SHIPPED.replace("intercept", "time");
        assert_eq!(refused(&short), "time is there twice");
        let cut = SHIPPED.lines().next().expect("a line");
        assert_eq!(refused(cut), "time is missing");
        for number in ["x", "", "nan", "1 2"] {
            let lines = SHIPPED.lines().map(|line| match line.starts_with("kin ") {
                true => format!("kin {number}\n"),
                false => format!("{line}\n"),
            });
            let message = format!("kin: {number} is not 1 numbers");
            assert_eq!(refused(&lines.collect::<String>()), message);
        }
        assert_eq!(Salience::read(SHIPPED).as_ref(), Ok(Salience::model()));
    }
}
