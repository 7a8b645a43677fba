//! Gives a speaker another name, wherever the tree holds it.

use super::context::TreeContext;
use super::node::{Kind, NodeId};
use super::tree::MemoryTree;
use crate::analysis::Term;
use crate::stream::rename_speaker;
use weir_models::Encoded;

impl MemoryTree {
    /// Replaces a speaker's name in all nodes and evidence; tokens and facts follow from the new
    /// one, whose terms are `name`. `encoded` has the vectors and terms of units under it. Events
    /// and scenes keep their vectors, and the words that a model wrote of them.
    pub(crate) fn rename(
        &mut self,
        from: &str,
        to: &str,
        name: &[Term],
        encoded: &[(NodeId, Encoded)],
        ctx: &TreeContext<'_>,
    ) {
        let is = |speaker: &Option<String>| speaker.as_deref() == Some(from);
        let named: Vec<NodeId> = self
            .nodes()
            .filter(|node| is(&node.speaker) || node.evidence.iter().any(|it| is(&it.speaker)))
            .map(|node| node.id)
            .collect();
        if named.is_empty() {
            return;
        }
        for id in named {
            self.revise(id, ctx, |node| {
                if is(&node.speaker) {
                    node.speaker = Some(to.to_owned());
                    node.analysis.speaker = name.to_vec();
                }
                for item in &mut node.evidence {
                    rename_speaker(&mut item.speaker, from, to);
                }
            });
        }
        for (unit, found) in encoded {
            if self.node(*unit).is_some_and(|node| node.kind == Kind::Unit) {
                self.vectors.set(unit.slot, &found.vector);
                self.alter(*unit, |node| node.terms = found.terms.clone());
            }
        }
        self.totals.recount_speakers(self.arena.nodes());
        self.recount(ctx);
    }
}
