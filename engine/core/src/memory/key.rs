//! Units reduced to key words, where the transcript on disk keeps the statement itself.
//!
//! A key is never shown. It says in the tree what the unit is about, and what search reads of the
//! unit are hashes made of the statement before, so that it is found as it was.

use super::context::TreeContext;
use super::node::{Kind, Node, NodeId};
use super::tree::MemoryTree;
use crate::limits;
use crate::talk::Wording;
use crate::text::key_words;

/// Share of its worth that a unit keeps as a key: it is found and shown as before as long as the
/// transcript is there.
const KEPT_SHARE: f32 = 0.9;
/// Tokens of a key, as far as they are known before it is made.
const KEY_TOKENS: f32 = 6.0;

impl MemoryTree {
    /// The utility lost per token saved by reducing a unit of this worth to its key; `None` where
    /// it cannot be, or saves nothing.
    pub(super) fn keying_loss(
        &self,
        unit: &Node,
        worth: f32,
        ctx: &TreeContext<'_>,
    ) -> Option<f32> {
        let may = ctx.config.keeps_transcript() && unit.wording == Wording::Verbatim;
        let saved = unit.tokens as f32 - KEY_TOKENS;
        (may && !unit.edited && saved >= 1.0).then(|| worth * (1.0 - KEPT_SHARE) / saved)
    }

    /// Reduces a unit to its key words.
    pub(super) fn reduce_to_key(&mut self, id: NodeId, ctx: &TreeContext<'_>) {
        self.revise(id, ctx, |node| {
            debug_assert_eq!(node.kind, Kind::Unit, "only units have keys");
            let mut terms = node.search_terms();
            terms.truncate(limits::UNIT_TERMS_MAX);
            let traits = node.traits();
            node.text = key_words(&node.text, |term| ctx.rarity.of(term));
            node.asked = None;
            node.wording = Wording::Key { terms, traits };
        });
    }
}
