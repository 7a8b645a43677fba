//! The contract of natural-language inference: whether one text follows from another.

/// Says whether a hypothesis follows from a premise.
pub trait Entail: Send + Sync {
    /// Name for logs, results and messages.
    fn name(&self) -> &str;

    /// The chances that `premise` entails `hypothesis`, leaves it open or contradicts it. A pair
    /// longer than the model's limit loses tokens from the end of its longer text.
    ///
    /// # Errors
    /// [`EntailError`].
    fn entailment(&self, premise: &str, hypothesis: &str) -> Result<Entailment, EntailError>;
}

impl<E: Entail> Entail for std::sync::Arc<E> {
    fn name(&self) -> &str {
        (**self).name()
    }

    fn entailment(&self, premise: &str, hypothesis: &str) -> Result<Entailment, EntailError> {
        (**self).entailment(premise, hypothesis)
    }
}

/// Chances of one pair of texts, each `0.0..=1.0`; they sum to 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Entailment {
    /// The hypothesis is true if the premise is.
    pub entailed: f32,
    /// The premise leaves it open.
    pub neutral: f32,
    /// The hypothesis is false if the premise is true.
    pub contradicted: f32,
}

/// Why a pair of texts has no chances.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{model} failed on a pair of texts: {reason}")]
pub struct EntailError {
    /// The model.
    pub model: String,
    /// The reason.
    pub reason: String,
}
