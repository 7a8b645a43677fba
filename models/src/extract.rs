//! The contract of an extractor: text and labels in, labelled spans of the text out.

use std::ops::Range;

/// Finds what labels name in a text.
pub trait Extract: Send {
    /// Name for logs, results and messages.
    fn name(&self) -> &str;

    /// The spans of `text` that one of `labels` names with a probability of at least `threshold`,
    /// in the order of the text, none overlapping another.
    ///
    /// A text of any length is read, by overlapping windows where it is longer than the model
    /// reads; an empty one, or no labels, gives nothing.
    ///
    /// # Errors
    /// [`ExtractError`].
    fn extract(
        &self,
        text: &str,
        labels: &[&str],
        threshold: f32,
    ) -> Result<Vec<Extracted>, ExtractError>;
}

/// A labelled span.
#[derive(Debug, Clone, PartialEq)]
pub struct Extracted {
    /// Bytes of the text, whole words.
    pub bytes: Range<usize>,
    /// Which of the labels, from 0.
    pub label: usize,
    /// How sure, `0.0..=1.0`.
    pub score: f32,
}

/// A label that asks for what stands in a relation to `subject`: `Anna <> works at`.
///
/// This is how models of the family that were trained on relations (gliner-multitask) are asked;
/// spans of the text that answer it are the relation's objects. A model that was trained on
/// entities alone, as the v2.1 ones were, reads it as one more label and often finds nothing.
#[must_use]
pub fn relation_label(subject: &str, relation: &str) -> String {
    format!("{subject} <> {relation}")
}

/// Why nothing was extracted.
#[derive(Debug, thiserror::Error)]
pub enum ExtractError {
    /// The labels alone are longer than the model reads.
    #[error("{model} reads {limit} tokens, the labels alone have {found}: ask with fewer labels")]
    Labels {
        /// The model.
        model: String,
        /// Tokens of the labels.
        found: usize,
        /// Tokens that fit.
        limit: usize,
    },
    /// The tokenizer or the arithmetic failed, out of memory included.
    #[error("{model} failed: {reason}")]
    Failed {
        /// The model.
        model: String,
        /// What was said.
        reason: String,
    },
}
