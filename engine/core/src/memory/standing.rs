//! Where each statement stands when something must go. For people to read: nothing is decided by
//! it.

use super::node::{Kind, Node, NodeId};
use super::tree::MemoryTree;
use super::utility::Valuation;
use crate::text::Salience;

/// What a unit is worth now, and its place in the order of going.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Standing {
    /// The unit.
    pub id: NodeId,
    /// The probability that its content is asked for, whatever its age.
    pub chance: f32,
    /// That, decayed with its age and with what was said since.
    pub chance_now: f32,
    /// Units that are worth less for each of their tokens; `None` for a pinned unit, which does not
    /// go. Units of one utterance go together, and may go earlier or later than this says.
    pub before: Option<usize>,
}

impl MemoryTree {
    /// All units, those that go first at the beginning, pinned ones at the end. Cost: O(N log N).
    pub(crate) fn standings(&self, value: &Valuation<'_>) -> Vec<Standing> {
        let mut all: Vec<(f32, &Node, Standing)> = self
            .of_kind(Kind::Unit)
            .map(|node| {
                let words = self.index.words().document(node.id.slot);
                let (mass, distinct) = value.rarity.mass(words, &value.names);
                let chance = Salience::chance(node.salience, mass, distinct, node.heard_tokens);
                let standing = Standing {
                    id: node.id,
                    chance,
                    chance_now: value.faded(chance, node.last_access_ms, node.last_said()),
                    before: None,
                };
                let density = value.utility(node, words) / node.tokens.max(1) as f32;
                (density, node, standing)
            })
            .collect();
        all.sort_by(|(a, x, _), (b, y, _)| {
            let order = x.pinned.cmp(&y.pinned).then(a.total_cmp(b));
            order.then((x.said_ms, x.id).cmp(&(y.said_ms, y.id)))
        });
        let all = all.into_iter().enumerate();
        all.map(|(before, (_, node, standing))| Standing {
            before: (!node.pinned).then_some(before),
            ..standing
        })
        .collect()
    }
}
