//! What a run measures of itself: time for each utterance and each question.
//!
//! Fixed in size however long the run; nothing here influences what the memory does.

use super::ask::Took;
use crate::distil::DistilCounts;
use crate::results::Histogram;
use std::time::Duration;

/// The measures of one run.
#[derive(Debug, Clone, Default)]
pub struct Meters {
    /// Microseconds from an utterance's words to its being in memory, encoding included.
    pub ingest_us: Histogram,
    /// Microseconds from a question to its answer.
    pub query_us: Histogram,
    /// Microseconds of that for reranking; zeros where nothing is reranked.
    pub rerank_us: Histogram,
    /// Microseconds for each block distilled, encoding included.
    pub distil_us: Histogram,
    /// What the distiller did.
    pub distilled: DistilCounts,
    /// Blocks that the extractive distiller took because another one lagged.
    pub blocks_overtaken: u64,
}

impl Meters {
    /// Counts one utterance.
    pub fn ingested(&mut self, took: Duration) {
        self.ingest_us.record(micros(took));
    }

    /// Counts one question.
    pub fn asked(&mut self, took: &Took) {
        self.query_us.record(micros(took.total()));
        self.rerank_us.record(micros(took.rerank));
    }
}

/// Whole microseconds.
#[must_use]
pub fn micros(took: Duration) -> u64 {
    u64::try_from(took.as_micros()).unwrap_or(u64::MAX)
}
