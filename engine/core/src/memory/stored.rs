//! The stored form of the tree, and the checks that it must pass before it is used.
//!
//! The stored form has types of its own, so that a change inside the tree is no change of format.
//! [`MemoryTree::check`] checks the invariants of the content; this checks that the parts are
//! consistent, so that no look-up is out of bounds.

use super::arena::{Arena, Slot};
use super::matrix::Matrix;
use super::node::{Node, NodeId};
use super::search_index::SearchIndex;
use super::totals::Totals;
use super::tree::MemoryTree;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::collections::VecDeque;
use std::sync::Arc;

/// A tree in an image, with the types of its lists as parameters: borrowed to write, owned to read.
#[derive(Serialize, Deserialize)]
#[serde(rename = "MemoryTree")]
struct StoredTree<S, F, V, N, M> {
    slots: S,
    free: F,
    vectors: V,
    scenes: N,
    tokens: usize,
    merge_candidates: M,
}

#[derive(Serialize, Deserialize)]
struct StoredSlot<N> {
    generation: u32,
    node: Option<N>,
}

impl Serialize for MemoryTree {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let slots = self.arena.slots.iter().map(|slot| StoredSlot {
            generation: slot.generation,
            node: slot.node.as_deref(),
        });
        let stored = StoredTree {
            slots: slots.collect::<Vec<StoredSlot<&Node>>>(),
            free: &self.arena.free,
            vectors: &self.vectors,
            scenes: &self.arena.scenes,
            tokens: self.totals.tokens,
            merge_candidates: &self.merge_candidates,
        };
        stored.serialize(serializer)
    }
}

/// A tree as it is read.
type ReadTree =
    StoredTree<Vec<StoredSlot<Node>>, Vec<u32>, Matrix, Vec<NodeId>, VecDeque<(NodeId, NodeId)>>;

impl<'de> Deserialize<'de> for MemoryTree {
    /// A tree that must be checked and indexed before use.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let stored = ReadTree::deserialize(deserializer)?;
        let slots = stored.slots.into_iter().map(|slot| Slot {
            generation: slot.generation,
            node: slot.node.map(Arc::new),
        });
        Ok(Self {
            arena: Arena {
                slots: slots.collect(),
                free: stored.free,
                scenes: stored.scenes,
            },
            vectors: stored.vectors,
            index: SearchIndex::default(),
            totals: Totals::of_tokens(stored.tokens),
            merge_candidates: stored.merge_candidates,
        })
    }
}

impl MemoryTree {
    /// Checks that slots, ids, rows and lists are consistent.
    ///
    /// # Errors
    /// The first inconsistency, as text. Cost: O(N), and one pass over all floats.
    pub(crate) fn check_parts(&self, dimension: usize) -> Result<(), String> {
        self.vectors.check_parts(dimension, self.slots())?;
        self.arena.check_parts()?;
        let outside = |id: &NodeId| id.slot as usize >= self.slots();
        let mut pairs = self.merge_candidates.iter();
        match pairs.any(|(kept, other)| outside(kept) || outside(other)) {
            true => Err("a pair to merge has no slot".to_owned()),
            false => Ok(()),
        }
    }
}

impl Matrix {
    /// Checks that there is one row of finite numbers for each slot.
    fn check_parts(&self, dimension: usize, slots: usize) -> Result<(), String> {
        if self.dimension() != dimension {
            let found = self.dimension();
            return Err(format!("rows of {found} floats, not of {dimension}"));
        }
        if self.len() != slots {
            return Err(format!("{} rows for {slots} slots", self.len()));
        }
        match self.floats().all(|x| x.is_finite()) {
            true => Ok(()),
            false => Err("a vector has a value that is not a number".to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::node::{Kind, NodeId};
    use super::super::worked_examples::node;
    use super::*;

    impl MemoryTree {
        /// A tree of one slot, with vectors of two floats.
        pub(crate) fn of_one_scene() -> Self {
            let mut tree = Self::new(2);
            tree.insert(node(Kind::Scene, None, "home"), &[1.0, 0.0]);
            tree
        }
    }

    /// A tree of one slot with a pair to merge.
    fn checked(kept: u32, other: u32) -> Result<(), String> {
        let mut tree = MemoryTree::of_one_scene();
        let id = |slot| NodeId {
            slot,
            generation: 0,
        };
        tree.remember_merge(id(kept), id(other));
        tree.check_parts(2)
    }

    #[test]
    fn both_nodes_of_a_pair_to_merge_must_have_a_slot() {
        assert_eq!(checked(0, 0), Ok(()));
        let refused = Err("a pair to merge has no slot".to_owned());
        for (kept, other) in [(0, 1), (1, 0), (1, 1)] {
            assert_eq!(checked(kept, other), refused, "{kept} and {other}");
        }
    }
}
