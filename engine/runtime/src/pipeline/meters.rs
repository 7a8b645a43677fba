//! What a run measures of itself: time for each utterance and each question.
//!
//! Fixed in size however long the run; nothing here influences what the memory does.

use super::ask::Answered;
use crate::results::Histogram;
use std::time::Duration;
use weir_core::distil::DistilCounts;

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
    /// Answers in which quotes stand where a model was to write.
    pub fell_back: u64,
    /// Sentences that models wrote and that were left out, since nothing proved them.
    pub left_out: u64,
    /// Questions that were to be reranked and were not.
    pub not_reranked: u64,
    /// What the distiller did; of facts and summaries, those of blocks that were used.
    pub distilled: DistilCounts,
    /// Blocks that the extractive distiller took because another one lagged.
    pub blocks_overtaken: u64,
    /// Of them, those that the other one distilled too, in vain.
    pub blocks_discarded: u64,
}

impl Meters {
    /// Counts one utterance.
    pub fn ingested(&mut self, took: Duration) {
        self.ingest_us.record(micros(took));
    }

    /// Counts one question.
    pub fn asked(&mut self, answered: &Answered) {
        self.query_us.record(micros(answered.took.total()));
        self.rerank_us.record(micros(answered.took.rerank));
        self.fell_back += u64::from(answered.answer.fallback.is_some());
        self.left_out += answered.answer.unsupported.len() as u64;
        self.not_reranked += u64::from(answered.not_reranked.is_some());
    }

    /// Takes over what another one measured of questions.
    pub(super) fn take_asked(&mut self, other: Self) {
        self.query_us = other.query_us;
        self.rerank_us = other.rerank_us;
        self.fell_back = other.fell_back;
        self.left_out = other.left_out;
        self.not_reranked = other.not_reranked;
    }

    /// Takes over what the distiller did, less what was not used of it.
    pub(super) fn take_distilled(&mut self, did: &DistilCounts, unused: &Unused) {
        self.distilled = did.without(&unused.counts);
        self.blocks_discarded = unused.blocks;
    }
}

/// Distillates that came too late to be used.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Unused {
    /// How many.
    pub(super) blocks: u64,
    /// What was counted of them.
    pub(super) counts: DistilCounts,
}

impl Unused {
    /// Counts one.
    pub(super) fn note(&mut self, counts: &DistilCounts) {
        self.blocks += 1;
        self.counts.statements_offered += counts.statements_offered;
        self.counts.statements_kept += counts.statements_kept;
        self.counts.titles_refused += counts.titles_refused;
    }
}

/// Whole microseconds.
#[must_use]
pub fn micros(took: Duration) -> u64 {
    u64::try_from(took.as_micros()).unwrap_or(u64::MAX)
}
