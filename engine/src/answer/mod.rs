//! Answers and the proof they stand on.

mod types;

pub use types::{Answer, Citation, Question, Recall};
