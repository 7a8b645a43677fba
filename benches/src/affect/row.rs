//! A row of the results.

use super::ranked::Ranking;
use super::score::Confusion;
use serde::Serialize;

/// A row of the results: a method on a corpus.
#[derive(Debug, Serialize)]
pub(super) struct Row {
    pub(super) corpus: &'static str,
    pub(super) method: String,
    pub(super) texts: usize,
    pub(super) accuracy: f64,
    pub(super) macro_f1: f64,
    pub(super) weighted_f1: f64,
    /// Rows are the labels, columns what was found: positive, negative, neutral.
    pub(super) confusion: Confusion,
    /// Mean time of a text in microseconds, the encoder's left out; `None` for the fixed answer.
    pub(super) micros: Option<f64>,
    /// Whether strength agrees with the names of emotions; of corpora that name them.
    pub(super) ranked: Vec<Ranking>,
}
