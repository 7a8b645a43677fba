//! The contract of a reranker: how well texts answer a query, read together with it.

use crate::encode::EncodeError;

/// Scores texts against a query.
pub trait Rerank: Send + Sync {
    /// Name for logs, results and messages.
    fn name(&self) -> &str;

    /// One score a text, in the same order; higher answers better. Scores of different queries
    /// cannot be compared. A pair longer than the model reads is cut at the end of the text.
    ///
    /// # Errors
    /// [`EncodeError`], for all texts as a whole.
    fn scores(&self, query: &str, texts: &[&str]) -> Result<Vec<f32>, EncodeError>;
}
