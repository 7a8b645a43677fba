//! What one budget came to.

use serde::{Deserialize, Serialize};

/// One budget.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(crate) struct Row {
    pub(crate) budget_tokens: usize,
    pub(crate) encoder: String,
    /// Why it was given up; the measures are then 0.
    pub(crate) failed: Option<String>,
    pub(crate) turns: usize,
    /// Tokens of all lines heard.
    pub(crate) heard_tokens: usize,
    pub(crate) fill_s: f64,
    /// Limit of the transcript beside it; 0 for none.
    pub(crate) transcript_bytes: u64,
    /// Tokens of all text held when it is measured, and the most after any turn.
    pub(crate) text_tokens: usize,
    pub(crate) text_tokens_max: usize,
    pub(crate) units: usize,
    /// Units mounted anew, said again, and nodes merged to save tokens.
    pub(crate) inserted: usize,
    pub(crate) reinforced: usize,
    pub(crate) merged: usize,
    /// A question: search and assemble, by exact scan.
    pub(crate) recall_us_p50: f64,
    pub(crate) recall_us_p95: f64,
    /// The same by the index, where there are units enough for one.
    pub(crate) index_recall_us_p50: Option<f64>,
    pub(crate) index_recall_us_p95: Option<f64>,
    pub(crate) index_build_s: Option<f64>,
    /// Share of the facts asked for, forgotten ones among them, that the context shows.
    pub(crate) facts_found: f64,
    /// A turn: hearing, distilling and mounting what it completes; the last of the turns after
    /// memory was full for the first time, and how many those are.
    pub(crate) timed_turns: usize,
    pub(crate) ingest_us_p50: f64,
    pub(crate) ingest_us_p95: f64,
    pub(crate) ingest_us_mean: f64,
    pub(crate) hear_us_mean: f64,
    pub(crate) distil_us_mean: f64,
    pub(crate) mount_us_mean: f64,
    /// A copy of the session, which is what readers ask.
    pub(crate) clone_us_p50: f64,
    pub(crate) clone_us_p95: f64,
    pub(crate) image_us: f64,
    pub(crate) image_bytes: usize,
    /// As the session counts itself.
    pub(crate) memory_bytes: usize,
    /// Of the process before the first turn, and with the full memory and nothing beside it.
    pub(crate) resident_before_bytes: u64,
    pub(crate) resident_bytes: u64,
}
