//! One belief after one remark on coffee: a row of the measurement, and a point of its plot.

use serde::Serialize;
use weir_core::text::Sentiment;

/// One belief after one remark on coffee.
#[derive(Serialize)]
pub(super) struct CoffeeRow {
    pub(super) remark: usize,
    pub(super) aspect: String,
    /// The profile over all remarks, as in the paper.
    pub(super) settled: Sentiment,
    /// The profile that a few new remarks can change.
    pub(super) current: Sentiment,
    pub(super) weight: f32,
    pub(super) entropy: f32,
}
