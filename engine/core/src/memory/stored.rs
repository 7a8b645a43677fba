//! Checks of a stored tree that must pass before it is used.
//!
//! [`MemoryTree::check`] checks the invariants of the content; this checks that the parts are
//! consistent, so that no look-up is out of bounds.

use super::matrix::Matrix;
use super::tree::MemoryTree;

impl MemoryTree {
    /// Checks that slots, ids, rows and lists are consistent.
    ///
    /// # Errors
    /// The first inconsistency, as text. Cost: O(N), and one pass over all floats.
    pub(crate) fn check_parts(&self, dimension: usize) -> Result<(), String> {
        self.vectors.check_parts(dimension, self.slots.len())?;
        let slots = self.slots.len();
        for (at, slot) in self.slots.iter().enumerate() {
            let Some(node) = &slot.node else { continue };
            if node.id.slot as usize != at || node.id.generation != slot.generation {
                return Err(format!("{} is kept in slot {at}", node.id));
            }
            if !node.salience.is_finite() {
                return Err(format!("{} has salience {}", node.id, node.salience));
            }
        }
        let dead = |slot: &u32| {
            let slot = self.slots.get(*slot as usize);
            slot.is_some_and(|slot| slot.node.is_none())
        };
        if !self.free.iter().all(dead) {
            return Err("a slot is listed as free and is not".to_owned());
        }
        let outside = |slot: u32| slot as usize >= slots;
        if self
            .merge_candidates
            .iter()
            .any(|(kept, other)| outside(kept.slot) || outside(other.slot))
        {
            return Err("a pair to merge has no slot".to_owned());
        }
        Ok(())
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

    /// A tree of one slot with a pair to merge.
    fn checked(kept: u32, other: u32) -> Result<(), String> {
        let mut tree = MemoryTree::new(2);
        tree.insert(node(Kind::Scene, None, "home"), &[1.0, 0.0]);
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
