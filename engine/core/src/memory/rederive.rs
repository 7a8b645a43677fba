//! Recomputes the derived data of trees that were imported, or whose speakers have other names.

use super::context::TreeContext;
use super::node::NodeId;
use super::tree::MemoryTree;
use crate::analysis::ClaimKey;

impl MemoryTree {
    /// Counts tokens again, and applies supersession to every slot.
    pub(crate) fn rederive(&mut self, ctx: &TreeContext<'_>) {
        let all: Vec<NodeId> = self.nodes().map(|node| node.id).collect();
        let mut claims: Vec<ClaimKey> = Vec::new();
        for id in all {
            self.revise(id, ctx, |node| claims.extend(node.claim.clone()));
        }
        claims.sort_by_key(|claim| claim.slot);
        claims.dedup_by(|a, b| a.same_slot(b));
        for claim in claims {
            self.apply_supersession(&claim, ctx);
        }
    }
}
