//! Measurements of a run: time per utterance and per question.
//!
//! Of fixed size, independent of the length of the run; they do not affect the memory.

use crate::pipeline::service::ask::{Answered, micros};
use crate::results::Histogram;
use weir_core::answer::AnswerKind;
use weir_core::distil::DistilCounts;

/// Questions by the kind of their answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct AnswerCounts {
    /// Answered.
    pub answered: u64,
    /// Memory had no answer.
    pub not_known: u64,
    /// The question presumed something that memory contradicts.
    pub false_premise: u64,
    /// It was not clear what was asked.
    pub asked_back: u64,
}

impl AnswerCounts {
    fn count(&mut self, kind: AnswerKind) {
        *match kind {
            AnswerKind::Answer => &mut self.answered,
            AnswerKind::NotKnown => &mut self.not_known,
            AnswerKind::FalsePremise { .. } => &mut self.false_premise,
            AnswerKind::AskBack => &mut self.asked_back,
        } += 1;
    }
}

/// The measurements of one run.
#[derive(Debug, Clone, Default)]
pub struct Meters {
    /// Microseconds from an utterance's words until it is in memory, including encoding.
    pub ingest_us: Histogram,
    /// Microseconds from a question to its answer.
    pub query_us: Histogram,
    /// Part of that for reranking; 0 without reranking.
    pub rerank_us: Histogram,
    /// Microseconds per distilled block, including encoding.
    pub distil_us: Histogram,
    /// Questions by the kind of their answer.
    pub answers: AnswerCounts,
    /// Answers in which quotes replaced a model's text.
    pub fell_back: u64,
    /// Sentences by models that were removed because no evidence supported them.
    pub left_out: u64,
    /// Questions for which reranking was requested but did not happen.
    pub not_reranked: u64,
    /// Counts of the distiller; facts and summaries only of blocks that were used.
    pub distilled: DistilCounts,
    /// Blocks distilled by the extractive distiller because the other one lagged.
    pub blocks_overtaken: u64,
    /// Blocks of these that the other one distilled too late.
    pub blocks_discarded: u64,
}

impl Meters {
    /// Counts one question.
    pub fn count_question(&mut self, answered: &Answered) {
        self.query_us.record(micros(answered.took.total()));
        self.rerank_us.record(micros(answered.took.rerank));
        self.answers.count(answered.answer.kind);
        self.fell_back += u64::from(answered.answer.fallback.is_some());
        self.left_out += answered.answer.unsupported.len() as u64;
        self.not_reranked += u64::from(answered.not_reranked.is_some());
    }
}
