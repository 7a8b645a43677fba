//! The three polarities.

use serde::Serialize;

/// Polarities, in the order of every table here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Polarity {
    Positive,
    Negative,
    Neutral,
}
