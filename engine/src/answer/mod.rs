//! Answers and the proof they stand on.

mod quote;
mod types;

pub use quote::{ABSTENTION, quote};
pub use types::{Answer, Citation, Part, Question, Recall, Statement};
