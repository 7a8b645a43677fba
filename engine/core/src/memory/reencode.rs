//! Replaces the tree's vectors by those of another encoder: given ones for units, means for events
//! and scenes.

use super::matrix::Matrix;
use super::node::{Kind, NodeId};
use super::tree::MemoryTree;
use crate::vectors::normalise;
use weir_models::{Encoded, Terms};

impl MemoryTree {
    /// The same tree with new vectors: `units` has one for each unit; an event's is the mean of its
    /// units', a scene's the mean of its events'. Nothing else changes, except that merge
    /// candidates are dropped, since they were near in the old space.
    #[must_use]
    pub(crate) fn with_vectors(&self, dimension: usize, units: &[(NodeId, Encoded)]) -> Self {
        let mut tree = self.clone();
        tree.merge_candidates.clear();
        tree.vectors = Matrix::new(dimension);
        if let Some(last) = u32::try_from(tree.slots())
            .ok()
            .and_then(|n| n.checked_sub(1))
        {
            tree.vectors.set(last, &vec![0.0; dimension]);
        }
        for (unit, found) in units {
            tree.vectors.set(unit.slot, &found.vector);
        }
        for kind in [Kind::Event, Kind::Scene] {
            let parents: Vec<NodeId> = tree.of_kind(kind).map(|node| node.id).collect();
            for parent in parents {
                let mut mean = vec![0.0; dimension];
                for child in tree.children(parent) {
                    for (sum, x) in mean.iter_mut().zip(tree.vectors.row(child.id.slot)) {
                        *sum += x;
                    }
                }
                normalise(&mut mean);
                tree.vectors.set(parent.slot, &mean);
            }
        }
        let terms = units
            .iter()
            .map(|(unit, found)| (*unit, found.terms.clone()));
        tree.set_terms(terms);
        tree.recount_bytes();
        tree
    }

    /// Replaces the terms of units.
    pub(crate) fn set_terms(&mut self, units: impl Iterator<Item = (NodeId, Terms)>) {
        for (unit, terms) in units {
            self.alter(unit, |node| node.terms = terms);
        }
    }
}
