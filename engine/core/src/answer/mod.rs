//! Answers and their evidence.
//!
//! [`Quote`] quotes without a model. `Written` lets a model choose statements and write, leaves out
//! every sentence that its citations do not prove, and quotes what proves the others. Both say so
//! if memory has no answer, or if it contradicts the question's premise. [`check_answer`] checks an
//! answer afterwards, claim by claim, and changes nothing. Memories are data: instructions in them
//! are never followed.

mod answer_check;
mod check;
#[cfg(test)]
mod check_tests;
mod claim_check;
mod claims;
mod decision;
mod entailment_check;
mod feeling;
#[cfg(test)]
mod odd_tests;
mod overview;
mod premise;
mod prompt;
mod prompted_check;
mod quote;
mod recall;
mod rendering;
mod reply;
mod selection;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod told_tests;
mod types;
mod written;

pub use answer_check::{AnswerCheck, CheckShares, CheckedClaim, Finding, Share, check_answer};
pub use claim_check::{CheckClaim, CheckError, LexicalCheck};
pub use claims::{AnswerClaim, answer_claims};
pub use decision::ABSTENTION;
pub use entailment_check::EntailmentCheck;
pub use feeling::{feeling_word, trend_word};
pub use prompted_check::PromptedCheck;
pub use quote::{Quote, quote};
pub use recall::{
    FoundPassages, HeardStatements, KnownAnswers, Persona, QuestionReading, Recall,
    RecalledContext, ShownStatement,
};
pub(crate) use rendering::{add_citation, cited, spoken};
pub use types::{
    Answer, AnswerKind, AnswerText, BeliefAnswer, Citation, Draft, Overview, OverviewOf, Part,
    PassageCitation, Premise, Question, QuestionTime, Statement,
};
pub use written::Written;

use weir_models::Flow;

/// Answers from what memory recalled.
pub trait Answerer: Send {
    /// Name for logs, results and messages.
    fn name(&self) -> &str;

    /// Answers a question. It does not fail: if a model fails, the answerer quotes instead and
    /// gives the reason in [`Answer::fallback`].
    fn answer(&mut self, question: &Question, recall: &Recall) -> Answer {
        self.answer_watched(question, recall, &mut |_| Flow::On)
    }

    /// As [`Self::answer`]; an answerer that writes hands what it has written to `watch` as it
    /// goes on, and stops where that says so. The answer is what is returned: the end of a reply
    /// may decide otherwise.
    fn answer_watched(
        &mut self,
        question: &Question,
        recall: &Recall,
        watch: &mut dyn FnMut(&Draft<'_>) -> Flow,
    ) -> Answer;
}
