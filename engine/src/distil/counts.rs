//! What a distiller did, in numbers.

use serde::{Deserialize, Serialize};

/// Counts of one distiller since it was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct DistilCounts {
    /// Blocks distilled.
    pub blocks: u64,
    /// Of them, those that its model failed on and the extractive distiller took whole.
    pub blocks_failed: u64,
    /// And those that its model was not asked for, since it had failed several times in a row.
    pub blocks_unasked: u64,
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

impl DistilCounts {
    /// What was counted since an earlier state of the same counts.
    #[must_use]
    pub fn since(&self, earlier: &Self) -> Self {
        Self {
            blocks: self.blocks - earlier.blocks,
            blocks_failed: self.blocks_failed - earlier.blocks_failed,
            blocks_unasked: self.blocks_unasked - earlier.blocks_unasked,
            facts_kept: self.facts_kept - earlier.facts_kept,
            facts_refused: self.facts_refused - earlier.facts_refused,
            summaries_refused: self.summaries_refused - earlier.summaries_refused,
            lines_verbatim: self.lines_verbatim - earlier.lines_verbatim,
            tokens: self.tokens - earlier.tokens,
        }
    }

    /// The same without what came of blocks whose distillates were not used; the blocks and their
    /// tokens stay, since they were work.
    #[must_use]
    pub fn without(&self, unused: &Self) -> Self {
        Self {
            facts_kept: self.facts_kept.saturating_sub(unused.facts_kept),
            facts_refused: self.facts_refused.saturating_sub(unused.facts_refused),
            summaries_refused: self
                .summaries_refused
                .saturating_sub(unused.summaries_refused),
            lines_verbatim: self.lines_verbatim.saturating_sub(unused.lines_verbatim),
            ..*self
        }
    }
}
