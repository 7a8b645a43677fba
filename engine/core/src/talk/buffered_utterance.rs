//! An utterance in the session's buffer, until its block is mounted.

use super::moment::Moment;
use crate::analysis::{Analysis, Term};
use crate::stream::Utterance;
use serde::{Deserialize, Serialize};
use weir_models::Terms;

/// An utterance with the session's data about it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BufferedUtterance {
    /// The utterance.
    pub utterance: Utterance,
    /// Its ordinal in the session, from 0.
    pub turn: u64,
    /// Its unit-length vector.
    pub vector: Vec<f32>,
    /// Its sparse terms; empty without a sparse encoder.
    #[serde(default)]
    pub terms: Terms,
    /// Its distinct terms that no earlier utterance had, at most [`crate::limits::UNIT_TERMS_MAX`].
    pub new_terms: Vec<Term>,
    /// Tokens of its rendering in a context.
    pub tokens: u32,
    /// Session time of its start.
    pub session_ms: u64,
    /// Wall time of its start; `None` if unknown.
    pub said_at_unix_ms: Option<i64>,
    /// Its distinct terms, ascending. Stored after the session.
    #[serde(skip)]
    pub analysis: Analysis,
}

impl BufferedUtterance {
    /// When it was said.
    pub(crate) fn moment(&self) -> Moment {
        Moment {
            session_ms: self.session_ms,
            unix_ms: self.said_at_unix_ms,
        }
    }
}
