//! Units reduced to key words; the transcript on disk keeps their statements.
//!
//! A key is never shown. It says in the tree what the unit is about. Search uses hashes that were
//! made of the full statement, so the unit is found as before.

use super::context::TreeContext;
use super::node::{Kind, Node, NodeId};
use super::tree::MemoryTree;
use crate::limits;
use crate::talk::Wording;
use crate::text::key_words;

/// Share of its utility that a unit keeps as a key: it is found and shown as before while the
/// transcript exists.
const KEPT_SHARE: f32 = 0.9;
/// Estimated tokens of a key, before it is made.
const KEY_TOKENS: f32 = 6.0;

impl MemoryTree {
    /// The utility lost per token saved by reducing a unit of this utility to its key; `None` if it
    /// cannot be reduced or that saves nothing.
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
