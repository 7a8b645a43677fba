//! The contract of an extractor: text and labels in, labelled spans out.

use std::ops::Range;

/// Finds spans of a text that match labels.
pub trait Extract: Send {
    /// Name for logs, results and messages.
    fn name(&self) -> &str;

    /// The spans of `text` that match one of `labels` with a probability of at least `threshold`,
    /// in text order and without overlap.
    ///
    /// Texts of any length are accepted; longer ones are read in overlapping windows. An empty
    /// text, or no labels, gives no spans.
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

impl<E: Extract + Sync> Extract for std::sync::Arc<E> {
    fn name(&self) -> &str {
        (**self).name()
    }

    fn extract(
        &self,
        text: &str,
        labels: &[&str],
        threshold: f32,
    ) -> Result<Vec<Extracted>, ExtractError> {
        (**self).extract(text, labels, threshold)
    }
}

/// A labelled span.
#[derive(Debug, Clone, PartialEq)]
pub struct Extracted {
    /// Byte range in the text, whole words.
    pub bytes: Range<usize>,
    /// Index of the label, from 0.
    pub label: usize,
    /// Probability, `0.0..=1.0`.
    pub score: f32,
}

/// A label for objects of a relation with `subject`: `Anna <> works at`.
///
/// Models of the family that were trained on relations (gliner-multitask) use this form; the spans
/// found are the relation's objects. A model trained on entities only, such as the v2.1 ones,
/// treats it as an ordinary label and often finds nothing.
#[must_use]
pub fn relation_label(subject: &str, relation: &str) -> String {
    format!("{subject} <> {relation}")
}

/// Why nothing was extracted.
#[derive(Debug, thiserror::Error)]
pub enum ExtractError {
    /// The labels alone exceed the model's limit.
    #[error("{model} reads {limit} tokens, the labels alone have {found}: ask with fewer labels")]
    Labels {
        /// The model.
        model: String,
        /// Tokens of the labels.
        found: usize,
        /// Tokens that fit.
        limit: usize,
    },
    /// The tokenizer or the computation failed, or memory ran out.
    #[error("{model} failed: {reason}")]
    Failed {
        /// The model.
        model: String,
        /// The reason.
        reason: String,
    },
}
