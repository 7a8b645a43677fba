//! How a memory answers.

use std::sync::Arc;
use std::time::Duration;
use weir_core::answer::CheckClaim;
use weir_core::character::Character;
use weir_models::Rerank;

/// How a memory answers.
pub(super) struct AskOptions {
    /// Tokens of memory given to the answerer.
    pub(super) context_tokens: usize,
    /// Tokens of the asker's profile in every context; 0 for one only where it is asked for.
    pub(super) profile_tokens: usize,
    /// The character who answers, if there is one.
    pub(super) character: Option<Character>,
    /// Reranks the best candidates within a time limit, if there is one.
    pub(super) reranker: Option<(Arc<dyn Rerank>, Duration)>,
    /// Checks the claims of each answer, if there is one.
    pub(super) check: Option<Box<dyn CheckClaim>>,
}

impl AskOptions {
    /// The defaults, with contexts of this length.
    pub(super) fn of(context_tokens: usize) -> Self {
        Self {
            context_tokens,
            profile_tokens: 0,
            character: None,
            reranker: None,
            check: None,
        }
    }
}
