//! What changes to the tree need from the session.

use super::rarity::RarityTable;
use crate::config::SessionConfig;
use weir_models::CountTokens;

/// What changes to the tree need from the session.
pub(crate) struct TreeContext<'a> {
    pub(crate) config: &'a SessionConfig,
    pub(crate) counter: &'a dyn CountTokens,
    pub(crate) rarity: &'a RarityTable,
    pub(crate) now_ms: u64,
    /// Utterances heard so far.
    pub(crate) turns: u64,
    /// Tokens of raw talk, which share the tree's budget.
    pub(crate) beside_tokens: usize,
}
