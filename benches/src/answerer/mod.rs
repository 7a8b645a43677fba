//! Turns a context into an answer: one answerer for all methods, so that only memory differs.

mod endpoint;
mod extract;
pub mod lines;

pub use endpoint::EndpointAnswerer;
pub use extract::Extract;

use crate::method::Answered;
use anyhow::Result;

/// The answer when the context has none.
pub const ABSTENTION: &str = "Nothing I have heard answers that.";

/// Answers questions from contexts.
pub trait Answerer: Send + Sync {
    /// Its name in results.
    fn name(&self) -> &str;

    /// Answers from the context alone, or abstains.
    ///
    /// # Errors
    /// The model or the endpoint failed.
    fn answer(&self, question: &str, asked_by: Option<&str>, context: &str) -> Result<Answered>;
}
