//! The contract of a reranker: scores how well texts answer a query, reading both together.

use crate::encode::EncodeError;

/// Scores texts against a query.
pub trait Rerank: Send + Sync {
    /// Name for logs, results and messages.
    fn name(&self) -> &str;

    /// One score per text, in order; a higher score is a better answer. Scores of different queries
    /// are not comparable. A pair longer than the model's limit is truncated at the end of the
    /// text.
    ///
    /// # Errors
    /// [`EncodeError`] for the whole call.
    fn scores(&self, query: &str, texts: &[&str]) -> Result<Vec<f32>, EncodeError>;
}
