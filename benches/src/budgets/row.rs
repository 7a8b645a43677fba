//! Results of one budget.

use serde::{Deserialize, Serialize};

/// Results of one budget.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(crate) struct Row {
    pub(crate) budget_tokens: usize,
    pub(crate) encoder: String,
    /// Reason of a failure; the measures are then 0.
    pub(crate) failed: Option<String>,
    pub(crate) turns: usize,
    /// Tokens of all lines heard.
    pub(crate) heard_tokens: usize,
    pub(crate) fill_s: f64,
    /// Limit of the transcript; 0 for none.
    pub(crate) transcript_bytes: u64,
    /// Tokens of all text at the measurement, and the most after any turn.
    pub(crate) text_tokens: usize,
    pub(crate) text_tokens_max: usize,
    pub(crate) units: usize,
    /// Units mounted, units restated, and nodes merged to save tokens.
    pub(crate) inserted: usize,
    pub(crate) reinforced: usize,
    pub(crate) merged: usize,
    /// A question by exact scan: search and assembly.
    pub(crate) recall_us_p50: f64,
    pub(crate) recall_us_p95: f64,
    /// The same by index, if there are enough units for one.
    pub(crate) index_recall_us_p50: Option<f64>,
    pub(crate) index_recall_us_p95: Option<f64>,
    pub(crate) index_build_s: Option<f64>,
    /// Share of the facts asked for, including forgotten ones, that the context shows.
    pub(crate) facts_found: f64,
    /// A turn: hearing, distilling and mounting; the last turns after memory was first full, and
    /// their number.
    pub(crate) timed_turns: usize,
    pub(crate) ingest_us_p50: f64,
    pub(crate) ingest_us_p95: f64,
    pub(crate) ingest_us_mean: f64,
    pub(crate) hear_us_mean: f64,
    pub(crate) distil_us_mean: f64,
    pub(crate) mount_us_mean: f64,
    /// A copy of the session, which readers use.
    pub(crate) clone_us_p50: f64,
    pub(crate) clone_us_p95: f64,
    pub(crate) image_us: f64,
    pub(crate) image_bytes: usize,
    /// As the session counts them.
    pub(crate) memory_bytes: usize,
    /// Of the process before the first turn, and with only the full memory.
    pub(crate) resident_before_bytes: u64,
    pub(crate) resident_bytes: u64,
}
