//! Scores of contexts, of stored memory, and of answers.

mod facts;
mod scores;
mod words;

pub(crate) use facts::fact_recall;
pub(crate) use scores::{Case, Scores, score};
pub(crate) use words::{answers_right, containment};
