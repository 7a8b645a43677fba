//! Recomputes the derived data of trees that were imported, or whose speakers have other names.

use super::context::TreeContext;
use super::node::{Kind, NodeId};
use super::tree::MemoryTree;
use crate::text::{Claim, ClaimKey};

impl MemoryTree {
    /// Counts tokens again, reads the claims of full statements, and applies supersession to every
    /// slot.
    pub(crate) fn rederive(&mut self, ctx: &TreeContext<'_>) {
        let all: Vec<NodeId> = self.nodes().map(|node| node.id).collect();
        let mut claims: Vec<ClaimKey> = Vec::new();
        for id in all {
            self.revise(id, ctx, |node| {
                // key words no longer contain the claim
                if node.kind == Kind::Unit && !node.is_key() {
                    let claim = Claim::read(&node.text, node.speaker.as_deref());
                    node.claim = claim.map(|claim| claim.key());
                }
                claims.extend(node.claim.clone());
            });
        }
        claims.sort_by_key(|claim| claim.slot);
        claims.dedup_by(|a, b| a.same_slot(b));
        for claim in claims {
            self.apply_supersession(&claim, ctx);
        }
    }
}
