//! What a distiller did, in numbers.

use serde::{Deserialize, Serialize};

/// Counts of one distiller since it was made. A count that a file of an earlier build lacks is 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct DistilCounts {
    /// Blocks distilled.
    pub blocks: u64,
    /// Of them, those that its model failed on and the extractive distiller took whole.
    pub blocks_failed: u64,
    /// And those that its model was not asked for, since it had failed several times in a row.
    pub blocks_unasked: u64,
    /// Statements of blocks that a model chose among.
    pub statements_offered: u64,
    /// Of them, those that it chose to keep; the others are held too, while there is room.
    pub statements_kept: u64,
    /// Titles and labels that hold what was not said; words of the block stand in their place.
    pub titles_refused: u64,
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
            statements_offered: self.statements_offered - earlier.statements_offered,
            statements_kept: self.statements_kept - earlier.statements_kept,
            titles_refused: self.titles_refused - earlier.titles_refused,
            tokens: self.tokens - earlier.tokens,
        }
    }

    /// The same without what came of blocks whose distillates were not used; the blocks and their
    /// tokens stay, since they were work.
    #[must_use]
    pub fn without(&self, unused: &Self) -> Self {
        Self {
            statements_offered: self
                .statements_offered
                .saturating_sub(unused.statements_offered),
            statements_kept: self.statements_kept.saturating_sub(unused.statements_kept),
            titles_refused: self.titles_refused.saturating_sub(unused.titles_refused),
            ..*self
        }
    }
}
