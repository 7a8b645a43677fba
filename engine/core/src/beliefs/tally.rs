//! Observations of one belief, added up: the paper's profile, and one in which recent ones count
//! more.

use crate::limits;
use crate::text::Sentiment;
use serde::{Deserialize, Serialize};

/// The sum of some observations.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Tally {
    /// The profile over all observations (DAM-LLM 3.4.2).
    pub settled: Sentiment,
    /// Sum of their strengths.
    pub weight: f32,
    /// The profile in which no history weighs more than
    /// [`limits::BELIEF_RECENT_WEIGHT`]: a few new observations outweigh any number of old ones.
    pub current: Sentiment,
    /// Number of observations.
    pub count: u32,
}

impl Tally {
    /// The first observation is stored as it is.
    pub(super) fn of(sentiment: Sentiment, strength: f32) -> Self {
        Self {
            settled: sentiment,
            weight: strength,
            current: sentiment,
            count: 1,
        }
    }

    /// Adds an observation: `C' = (C W + S P) / (W + S)`, `W' = W + S` (DAM-LLM 3.4.2). With `W`
    /// capped, `n` observations of strength `S` leave `(cap / (cap + S))^n` of what was believed
    /// before, however long that history is; under the paper's rule they leave `W / (W + n S)`.
    pub(super) fn add(&mut self, sentiment: Sentiment, strength: f32) {
        let recent = self.weight.min(limits::BELIEF_RECENT_WEIGHT);
        self.settled = mixed(self.settled, self.weight, sentiment, strength);
        self.current = mixed(self.current, recent, sentiment, strength);
        self.weight += strength;
        self.count += 1;
    }

    /// The tally of several in order; `None` without observations.
    pub(super) fn over(
        base: Option<Self>,
        later: impl Iterator<Item = (Sentiment, f32)>,
    ) -> Option<Self> {
        later.fold(base, |tally, (sentiment, strength)| {
            Some(match tally {
                Some(mut tally) => {
                    tally.add(sentiment, strength);
                    tally
                }
                None => Self::of(sentiment, strength),
            })
        })
    }

    /// The tally of two aspects together, as if they were one.
    pub(super) fn with(&self, other: &Self) -> Self {
        Self {
            settled: mixed(self.settled, self.weight, other.settled, other.weight),
            weight: self.weight + other.weight,
            current: mixed(self.current, self.weight, other.current, other.weight),
            count: self.count + other.count,
        }
    }

    /// How much the leaning changed lately, `-2.0..=2.0`: above 0 it becomes more positive.
    #[must_use]
    pub fn shift(&self) -> f32 {
        self.current.leaning() - self.settled.leaning()
    }

    /// Whether it can be an outcome of observations.
    pub(super) fn is_sound(&self) -> bool {
        let sums = |it: &Sentiment| {
            let parts = [it.positive, it.negative, it.neutral];
            parts.iter().all(|part| (0.0..=1.0).contains(part))
                && (parts.iter().sum::<f32>() - 1.0).abs() < 1e-2
        };
        sums(&self.settled)
            && sums(&self.current)
            && self.weight.is_finite()
            && self.weight >= 0.0
            && self.count > 0
    }
}

fn mixed(before: Sentiment, weight: f32, new: Sentiment, strength: f32) -> Sentiment {
    let all = weight + strength;
    if all <= 0.0 {
        return before;
    }
    let mean = |old: f32, new: f32| (old * weight + new * strength) / all;
    Sentiment {
        positive: mean(before.positive, new.positive),
        negative: mean(before.negative, new.negative),
        neutral: mean(before.neutral, new.neutral),
    }
}
