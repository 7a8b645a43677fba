//! Feeling in a clause: a small list of words, until the full lexicon stands here.

use super::claim_features::is_negation;
use super::words::display_words;

const GOOD: &str = "good great amazing excellent wonderful fantastic nice lovely awesome best \
    better love loved loves like enjoy happy beautiful perfect delicious tasty comforting \
    peaceful attentive excited exciting fun brilliant superb favorite favourite cool sweet \
    helpful kind friendly comfortable relaxing impressive fresh reliable sharp fast easy calm \
    gorgeous stunning charming satisfying pleasant proud interesting joy cozy incredible";
const BAD: &str = "bad terrible awful horrible worst worse hate hated slow boring ugly annoying \
    disgusting frustrating frustrated nightmare sad disappointing disappointed poor rude noisy \
    dirty expensive overpriced bland uncomfortable broken useless stupid angry scary scared \
    tired blurry backward mediocre stressful exhausting painful cold bitter weak dull delay \
    ruins ruin ruined regret afraid";
const STRONG: &str = "so very really extremely absolutely incredibly totally such too";

/// Shares of positive, negative and neutral feeling; they sum to 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sentiment {
    /// Share of good feeling.
    pub positive: f32,
    /// Share of bad feeling.
    pub negative: f32,
    /// Share without feeling.
    pub neutral: f32,
}

impl Sentiment {
    /// Shannon entropy in bits.
    #[must_use]
    pub fn entropy(&self) -> f32 {
        let shares = [self.positive, self.negative, self.neutral];
        let shares = shares.into_iter().filter(|share| *share > 0.0);
        -shares.map(|share| share * share.log2()).sum::<f32>()
    }

    /// Positive minus negative share, -1 to 1.
    #[must_use]
    pub fn leaning(&self) -> f32 {
        self.positive - self.negative
    }
}

/// The feeling of one clause.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Affect {
    /// Which feeling.
    pub sentiment: Sentiment,
    /// 0 to 3.
    pub strength: f32,
}

impl Affect {
    /// The feeling of a clause; the vector is not read yet.
    #[must_use]
    pub fn of(clause: &str, _vector: Option<(&str, &[f32])>) -> Self {
        Self::of_words(clause)
    }

    /// The feeling of a clause from its words alone.
    #[must_use]
    pub fn of_words(clause: &str) -> Self {
        let (mut good, mut bad, mut strong) = (0.0_f32, 0.0_f32, 1.0_f32);
        let mut denied = 0;
        for word in display_words(clause) {
            let lower = word.to_lowercase().replace('’', "'");
            let among = |list: &str| list.split_whitespace().any(|known| known == lower);
            denied = if is_negation(&lower) {
                4
            } else {
                denied.max(1) - 1
            };
            if among(STRONG) {
                strong += 0.5;
            }
            let value = f32::from(u8::from(among(GOOD))) - f32::from(u8::from(among(BAD)));
            let value = if denied > 0 { -0.7 * value } else { value };
            good += value.max(0.0);
            bad += (-value).max(0.0);
        }
        let all = strong * (good + bad) + 0.25;
        Self {
            sentiment: Sentiment {
                positive: strong * good / all,
                negative: strong * bad / all,
                neutral: 0.25 / all,
            },
            strength: (strong * (good + bad)).min(3.0),
        }
    }
}
