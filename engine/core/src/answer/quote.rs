//! The default answerer: quotes the best evidence, or abstains.
//!
//! It has no model, so it says only what was said. It abstains if the best statement supports too
//! little of the question.

use super::Answerer;
use super::decision::Decision;
use super::recall::Recall;
use super::types::{Answer, Draft, Question};
use weir_models::Flow;

/// The answerer that quotes.
#[derive(Debug, Clone, Copy, Default)]
pub struct Quote;

impl Answerer for Quote {
    fn name(&self) -> &'static str {
        "quote"
    }

    fn answer_watched(
        &mut self,
        question: &Question,
        recall: &Recall,
        _watch: &mut dyn FnMut(&Draft<'_>) -> Flow,
    ) -> Answer {
        quote(question, recall)
    }
}

/// Answers by quoting the likeliest statement, and further likely ones that add something.
#[must_use]
pub fn quote(question: &Question, recall: &Recall) -> Answer {
    Decision::of(question, recall).answer(recall)
}
