//! An utterance as the session holds it until its block is mounted.

use crate::stream::Utterance;
use crate::text::Term;
use serde::{Deserialize, Serialize};
use weir_models::Terms;

/// An utterance with what the session knows about it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BufferedUtterance {
    /// The utterance.
    pub utterance: Utterance,
    /// Its ordinal in the session, from 0.
    pub turn: u64,
    /// Its unit-length vector.
    pub vector: Vec<f32>,
    /// What a sparse encoder finds it by; empty where none was at hand.
    #[serde(default)]
    pub terms: Terms,
    /// Its distinct words that no utterance before it held, at most
    /// [`crate::limits::UNIT_TERMS_MAX`].
    pub new_terms: Vec<Term>,
    /// Tokens of its rendering as a context shows it.
    pub tokens: u32,
    /// Session time of its start.
    pub session_ms: u64,
    /// Wall time of its start; `None` where unknown.
    pub said_at_unix_ms: Option<i64>,
}
