//! Writes the texts for which a method would ask a language model: summaries, notes, queries.
//!
//! Two kinds: extractive, which selects sentences and needs no model, and an endpoint. A method's
//! name tells which one it used.

use anyhow::Result;

/// Writes on request.
pub trait Writer: Send + Sync {
    /// `extractive`, or the endpoint's model.
    fn name(&self) -> &str;

    /// A summary of texts within a token limit.
    ///
    /// # Errors
    /// The model cannot be asked.
    fn summarise(&self, texts: &[&str], tokens_max: usize) -> Result<String>;

    /// Rewritten queries or parts of a question, up to a number; without the question itself.
    ///
    /// # Errors
    /// The model cannot be asked.
    fn rewrite(&self, question: &str, queries_max: usize) -> Result<Vec<String>>;

    /// Names and key phrases of a text in lower case, most specific first, up to a number.
    ///
    /// # Errors
    /// The model cannot be asked.
    fn key_phrases(&self, text: &str, phrases_max: usize) -> Result<Vec<String>>;
}
