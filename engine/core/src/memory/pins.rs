//! Pinned units, which are kept whatever their utility, and their limit.

use super::node::{Kind, Node, NodeId};
use super::tree::MemoryTree;
use crate::config::SessionConfig;
use crate::limits;
use std::collections::BTreeSet;

/// Why a unit was not pinned, or a budget not lowered; nothing was changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PinError {
    /// There is no such unit.
    #[error("memory holds no unit {id}; it was forgotten or never was")]
    NoUnit {
        /// The node named.
        id: NodeId,
    },
    /// The node is not a unit.
    #[error("{id} is {what}; only single statements can be pinned or edited")]
    NotAUnit {
        /// The node named.
        id: NodeId,
        /// Its kind.
        what: &'static str,
    },
    /// Pinned units would exceed their share of a budget.
    #[error(
        "pinned units would take {needed} {what}; their limit is {most} of a budget of {budget}: \
         unpin some, or raise the budget"
    )]
    Full {
        /// Tokens, bytes or nodes.
        what: &'static str,
        /// Need of the pinned units with the events and scenes above them.
        needed: usize,
        /// Their limit.
        most: usize,
        /// The budget.
        budget: usize,
    },
}

impl MemoryTree {
    /// Pins or unpins a unit.
    ///
    /// # Errors
    /// [`PinError`] if there is no such unit, or if pinned units would exceed their limit.
    pub(crate) fn pin(
        &mut self,
        id: NodeId,
        pinned: bool,
        config: &SessionConfig,
    ) -> Result<(), PinError> {
        self.unit(id)?;
        let unit = self.node_mut(id).ok_or(PinError::NoUnit { id })?;
        let before = std::mem::replace(&mut unit.pinned, pinned);
        let fits = if pinned {
            self.pins_fit(config)
        } else {
            Ok(())
        };
        if let (Err(_), Some(unit)) = (&fits, self.node_mut(id)) {
            unit.pinned = before;
        }
        fits
    }

    /// Checks that pinned units stay within their share of each budget. Cost: O(N).
    pub(crate) fn pins_fit(&self, config: &SessionConfig) -> Result<(), PinError> {
        let (tokens, bytes, nodes) = self.pinned();
        for (what, needed, budget) in [
            ("tokens", tokens, config.budget_tokens),
            ("bytes", bytes, config.budget_bytes),
            ("nodes", nodes, config.budget_nodes),
        ] {
            let most = budget / limits::PINNED_PART;
            if needed > most {
                return Err(PinError::Full {
                    what,
                    needed,
                    most,
                    budget,
                });
            }
        }
        Ok(())
    }

    /// Tokens of pinned units with the events and scenes above them. Cost: O(N).
    pub(crate) fn pinned_tokens(&self) -> usize {
        self.pinned().0
    }

    /// Tokens, bytes and number of pinned units with the nodes above them.
    fn pinned(&self) -> (usize, usize, usize) {
        let (mut tokens, mut bytes, mut nodes) = (0, 0, BTreeSet::new());
        for pinned in self.of_kind(Kind::Unit).filter(|unit| unit.pinned) {
            let mut next = Some(pinned);
            while let Some(node) = next.filter(|node| nodes.insert(node.id)) {
                tokens += node.tokens as usize;
                bytes += self.footprint(node);
                next = node.parent.and_then(|parent| self.node(parent));
            }
        }
        (tokens, bytes, nodes.len())
    }

    /// Whether a node is pinned or has a pinned unit below. Such a node is not merged, so that the
    /// size of pinned units never grows.
    pub(super) fn is_fixed(&self, node: &Node) -> bool {
        node.pinned || self.children(node.id).any(|child| self.is_fixed(child))
    }
}
