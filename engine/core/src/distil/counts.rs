//! Counts of a distiller.

use serde::{Deserialize, Serialize};

/// Counts of one distiller since its creation. A count missing in a file of an earlier build is 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct DistilCounts {
    /// Blocks distilled.
    pub blocks: u64,
    /// Blocks on which its model failed; the extractive distiller distilled them.
    pub blocks_failed: u64,
    /// Blocks for which its model was not asked after several failures in a row.
    pub blocks_unasked: u64,
    /// Statements offered to a model.
    pub statements_offered: u64,
    /// Statements that it chose to keep; the others are held too while there is space.
    pub statements_kept: u64,
    /// Titles of events and scenes that a model wrote and the block bears out.
    pub titles_kept: u64,
    /// Those that it does not bear out: the quoted heading stands alone.
    pub titles_refused: u64,
    /// Triplets of a model that a statement has, and those that none has.
    pub relations_kept: u64,
    /// See [`Self::relations_kept`].
    pub relations_refused: u64,
    /// Statements of which a generator was asked for opinions or facts.
    pub statements_observed: u64,
    /// Opinions and facts of a generator that the statements did not bear out.
    pub observations_refused: u64,
    /// Blocks whose opinions and facts are those of the rules, since the generator failed.
    pub blocks_unobserved: u64,
    /// Tokens read and written by models, if they count them.
    pub tokens: u64,
}

impl DistilCounts {
    /// The counts since an earlier state.
    #[must_use]
    pub fn since(&self, earlier: &Self) -> Self {
        Self {
            blocks: self.blocks - earlier.blocks,
            blocks_failed: self.blocks_failed - earlier.blocks_failed,
            blocks_unasked: self.blocks_unasked - earlier.blocks_unasked,
            statements_offered: self.statements_offered - earlier.statements_offered,
            statements_kept: self.statements_kept - earlier.statements_kept,
            titles_kept: self.titles_kept - earlier.titles_kept,
            titles_refused: self.titles_refused - earlier.titles_refused,
            relations_kept: self.relations_kept - earlier.relations_kept,
            relations_refused: self.relations_refused - earlier.relations_refused,
            statements_observed: self.statements_observed - earlier.statements_observed,
            observations_refused: self.observations_refused - earlier.observations_refused,
            blocks_unobserved: self.blocks_unobserved - earlier.blocks_unobserved,
            tokens: self.tokens - earlier.tokens,
        }
    }

    /// The counts without results of blocks whose distillates were not used; the blocks and their
    /// tokens still count as work.
    #[must_use]
    pub fn without(&self, unused: &Self) -> Self {
        Self {
            statements_offered: self
                .statements_offered
                .saturating_sub(unused.statements_offered),
            statements_kept: self.statements_kept.saturating_sub(unused.statements_kept),
            titles_kept: self.titles_kept.saturating_sub(unused.titles_kept),
            titles_refused: self.titles_refused.saturating_sub(unused.titles_refused),
            relations_kept: self.relations_kept.saturating_sub(unused.relations_kept),
            relations_refused: self
                .relations_refused
                .saturating_sub(unused.relations_refused),
            statements_observed: self
                .statements_observed
                .saturating_sub(unused.statements_observed),
            observations_refused: self
                .observations_refused
                .saturating_sub(unused.observations_refused),
            blocks_unobserved: self
                .blocks_unobserved
                .saturating_sub(unused.blocks_unobserved),
            ..*self
        }
    }
}
