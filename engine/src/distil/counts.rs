//! What a distiller did, in numbers.

use serde::Serialize;

/// Counts of one distiller since it was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct DistilCounts {
    /// Blocks distilled.
    pub blocks: u64,
    /// Of them, those that its model failed on and the extractive distiller took whole.
    pub blocks_failed: u64,
    /// Facts that a model made of them and the gate let through.
    pub facts_kept: u64,
    /// Facts that the gate refused.
    pub facts_refused: u64,
    /// Summaries and labels that the gate refused; words of the block stand in their place.
    pub summaries_refused: u64,
    /// Utterances of which a clause at least is kept in its own words, since no fact carried it.
    pub lines_verbatim: u64,
    /// Tokens that models read and wrote, where they count them.
    pub tokens: u64,
}
