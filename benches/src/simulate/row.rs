//! The simulation's results at a mark.

use super::disk::OnDisk;
use serde::{Deserialize, Serialize};

/// One mark, as printed.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct Row {
    pub(crate) turns: u64,
    /// Tokens of all lines heard.
    pub(crate) heard_tokens: usize,
    /// Of the tree only.
    pub(crate) tokens: usize,
    /// Of all text, and the most after any turn so far.
    pub(crate) text_tokens: usize,
    pub(crate) text_tokens_max: usize,
    pub(crate) budget_tokens: usize,
    pub(crate) units: usize,
    pub(crate) recall_us_p50: f64,
    pub(crate) recall_us_p95: f64,
    pub(crate) recall_us_p99: f64,
    /// p95 as a multiple of the first mark's.
    pub(crate) recall_p95_ratio: f64,
    pub(crate) ingest_us_per_turn: f64,
    pub(crate) ingest_ratio: f64,
    /// p95 by index, if there are enough units for one.
    pub(crate) index_recall_us_p95: Option<f64>,
    /// A copy of the session, which readers use, and an image of it.
    pub(crate) copy_us_p95: f64,
    pub(crate) image_us: f64,
    /// Of the process before the first turn, and at the mark.
    pub(crate) resident_before_bytes: u64,
    pub(crate) resident_bytes: u64,
    pub(crate) memory_bytes: usize,
    pub(crate) snapshot_bytes: usize,
    pub(crate) facts_found_recent: f64,
    pub(crate) facts_found_ever: f64,
    pub(crate) regret_ever: f64,
    #[serde(flatten)]
    pub(crate) transcript: Option<OnDisk>,
}
