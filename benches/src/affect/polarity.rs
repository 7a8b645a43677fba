//! The three polarities.

use serde::Serialize;
use weir_core::text::Affect;

/// Polarities, in the order of every table here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Polarity {
    Positive,
    Negative,
    Neutral,
}

impl Polarity {
    /// The likeliest polarity.
    pub(crate) fn of(affect: &Affect) -> Self {
        let sentiment = affect.sentiment;
        match () {
            () if sentiment.neutral >= sentiment.positive.max(sentiment.negative) => Self::Neutral,
            () => Self::by_sign(sentiment.leaning()),
        }
    }

    /// Positive or negative by sign, neutral at 0.
    pub(crate) fn by_sign(value: f32) -> Self {
        match value {
            value if value > 0.0 => Self::Positive,
            value if value < 0.0 => Self::Negative,
            _ => Self::Neutral,
        }
    }
}
