//! The contract of a check of claims, and the check by words.

use crate::text::{SpeakerText, Verdict, entailment};

/// Says of a claim and a statement whether the statement proves the claim.
pub trait CheckClaim: Send {
    /// Name for results and messages.
    fn name(&self) -> &str;

    /// What `statement` says of `claim`.
    ///
    /// # Errors
    /// [`CheckError`] if a model fails or is too slow.
    fn check(
        &mut self,
        claim: SpeakerText<'_>,
        statement: SpeakerText<'_>,
    ) -> Result<Verdict, CheckError>;
}

/// Why a claim could not be checked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{check} could not check a claim: {reason}")]
pub struct CheckError {
    /// Name of the check.
    pub check: String,
    /// The reason.
    pub reason: String,
}

/// The check by words: [`entailment`]. No model; it knows no paraphrase without common words.
#[derive(Debug, Clone, Copy, Default)]
pub struct LexicalCheck;

impl CheckClaim for LexicalCheck {
    fn name(&self) -> &'static str {
        "lexical"
    }

    fn check(
        &mut self,
        claim: SpeakerText<'_>,
        statement: SpeakerText<'_>,
    ) -> Result<Verdict, CheckError> {
        Ok(entailment(claim, statement))
    }
}
