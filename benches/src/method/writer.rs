//! Writes what a method would ask a language model for: summaries, notes, queries.
//!
//! Two kinds: extractive, which picks sentences and needs no model, and an endpoint. A method's
//! name says which it used.

use anyhow::Result;

/// Writes on request.
pub trait Writer: Send + Sync {
    /// `extractive`, or the endpoint's model.
    fn name(&self) -> &str;

    /// A summary of texts in at most so many tokens.
    ///
    /// # Errors
    /// When the model cannot be asked.
    fn summarise(&self, texts: &[&str], tokens_max: usize) -> Result<String>;

    /// Other ways to ask, or parts of a question, at most so many; not the question itself.
    ///
    /// # Errors
    /// When the model cannot be asked.
    fn rewrite(&self, question: &str, queries_max: usize) -> Result<Vec<String>>;

    /// Names and key phrases of a text, lower-cased, the most telling first, at most so many.
    ///
    /// # Errors
    /// When the model cannot be asked.
    fn key_phrases(&self, text: &str, phrases_max: usize) -> Result<Vec<String>>;
}
