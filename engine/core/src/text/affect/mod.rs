//! What a clause feels, and how strongly, without a generator.
//!
//! The beliefs of DAM-LLM (sections 3.3 and 3.4) take confidences of three polarities and a
//! strength from the reply of a language model. Here a logistic model over words and their
//! modifiers gives them, and a second one over the clause's sentence vector where the encoder has a
//! head. Both are trained on public sentences with labels of people (`scripts/affect`). English
//! only: in another language no word is known, and what remains is neutral.

mod clause;
#[cfg(test)]
mod golden;
mod head;
mod lists;
mod numbers;
mod score;
mod table;

pub use score::STRENGTH_MAX;

use serde::{Deserialize, Serialize};

/// Subtracted from both log-odds where neither exceeds -1, which is where a text without any known
/// word stands; less above, and nothing from even odds on, so that no decision changes. The
/// sentences of the training data were chosen for having feelings, so where nothing speaks for one
/// the chances come out too high. Set by hand: a plain statement becomes neutral with 0.9, not 0.7.
const UNFOUNDED: f32 = 1.5;

/// Confidences of the three polarities; they sum to 1.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Sentiment {
    /// Of a feeling for what the clause speaks of.
    pub positive: f32,
    /// Of a feeling against it.
    pub negative: f32,
    /// Of no feeling, or one that takes no side.
    pub neutral: f32,
}

impl Sentiment {
    /// Entropy of the confidences in bits, 0 to log2(3) = 1.585 (DAM-LLM, section 3.4).
    #[must_use]
    pub fn entropy(&self) -> f32 {
        let shares = [self.positive, self.negative, self.neutral];
        let held = shares.into_iter().filter(|share| *share > 0.0);
        held.map(|share| -share * share.log2()).sum()
    }

    /// Positive minus negative, -1 to 1.
    #[must_use]
    pub fn leaning(&self) -> f32 {
        self.positive - self.negative
    }

    /// From log-odds of positive and of negative against neutral.
    fn of_odds(odds: [f32; 2]) -> Self {
        let unfounded = UNFOUNDED * (-odds[0].max(odds[1])).clamp(0.0, 1.0);
        let [positive, negative] = odds.map(|odds| (odds - unfounded).exp());
        let all = positive + negative + 1.0;
        Self {
            positive: positive / all,
            negative: negative / all,
            neutral: 1.0 / all,
        }
    }
}

/// What a clause feels, and how strongly.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Affect {
    /// Confidences of the polarities.
    pub sentiment: Sentiment,
    /// From 0, no feeling, to [`STRENGTH_MAX`]: the intensity of the words that carry the feeling
    /// times the chance that there is one (DAM-LLM, section 3.4, the weight S of evidence).
    pub strength: f32,
}

impl Affect {
    /// What a clause feels. `vector` is the unit-length vector of the clause's statement by the
    /// named encoder. Without one, or with an encoder or a dimension that no head was trained for,
    /// the words alone decide. Cost: linear in the clause, some microseconds.
    #[must_use]
    pub fn of(clause: &str, vector: Option<(&str, &[f32])>) -> Self {
        let words = score::Words::of(clause);
        let seen = vector.and_then(|(encoder, vector)| head::odds(encoder, vector, words.odds));
        Self::new(seen.unwrap_or(words.odds), &words)
    }

    /// What the words alone say.
    #[must_use]
    pub fn of_words(clause: &str) -> Self {
        Self::of(clause, None)
    }

    fn new(odds: [f32; 2], words: &score::Words) -> Self {
        let sentiment = Sentiment::of_odds(odds);
        Self {
            sentiment,
            strength: (1.0 - sentiment.neutral) * words.intensity,
        }
    }
}
