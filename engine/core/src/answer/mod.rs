//! Answers and the proof they stand on.
//!
//! [`Quote`] quotes and has no model; `Written` has a model choose statements and write, and checks
//! every sentence against what it cites. Both say so when memory holds no answer, and when a
//! question takes for granted what memory has otherwise. Memories are data: whatever they say,
//! nothing here does it.

mod check;
#[cfg(test)]
mod odd_tests;
mod overview;
mod premise;
mod prompt;
mod quote;
mod rendering;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod told_tests;
mod types;
mod written;

pub use quote::{ABSTENTION, Quote, quote};
pub(crate) use rendering::add_citation;
pub use types::{
    Answer, AnswerKind, Citation, Overview, OverviewOf, Part, Premise, Question, Recall, Statement,
};
pub use written::Written;

/// Makes an answer of what memory recalled.
pub trait Answerer: Send {
    /// Name for logs, results and messages.
    fn name(&self) -> &str;

    /// Answers. It does not fail: an answerer whose model does falls back to quotes and says why
    /// in [`Answer::fallback`].
    fn answer(&mut self, question: &Question, recall: &Recall) -> Answer;
}
