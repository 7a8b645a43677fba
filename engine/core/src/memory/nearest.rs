//! Exact nearest nodes, by a scan of all rows.

use super::node::{Kind, Node, NodeId};
use super::tree::MemoryTree;
use crate::vectors::dot;

/// A node and its cosine to the query vector.
pub type Near = (NodeId, f32);

/// An index of a large tree that finds the nearest units without visiting each.
pub trait NearestUnits {
    /// The `count` units nearest to a unit vector with their cosines, nearest first.
    ///
    /// The tree must be the one that the index was built from, or a later state of it.
    fn nearest(&self, tree: &MemoryTree, vector: &[f32], count: usize) -> Vec<Near>;
}

/// The `count` units nearest to a unit vector, by exact scan: the reference for an index.
#[must_use]
pub fn nearest_by_scan(tree: &MemoryTree, vector: &[f32], count: usize) -> Vec<Near> {
    let mut found: Vec<Near> = tree
        .of_kind(Kind::Unit)
        .map(|unit| (unit.id, dot(tree.vector(unit.id), vector)))
        .collect();
    found.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    found.truncate(count);
    found
}

impl MemoryTree {
    /// The node nearest to a vector; ties go to the first slot.
    pub(super) fn nearest_of<'a>(
        &self,
        nodes: impl Iterator<Item = &'a Node>,
        vector: &[f32],
    ) -> Option<Near> {
        nodes
            .map(|node| (node.id, dot(self.vector(node.id), vector)))
            .max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)))
    }

    /// For each vector, the nearest unit.
    ///
    /// Cost: one pass over the rows of units for all vectors. A unit is fetched only if its row is
    /// nearer than the best so far; fetching each would cost more than the dot products.
    pub(super) fn nearest_held(&self, vectors: &[&[f32]]) -> Vec<Option<Near>> {
        let mut nearest: Vec<Option<Near>> = vec![None; vectors.len()];
        for (slot, row) in self.index.unit_rows(&self.vectors) {
            for (nearest, vector) in nearest.iter_mut().zip(vectors) {
                let cosine = dot(row, vector);
                if nearest.is_none_or(|(_, most)| cosine.total_cmp(&most).is_gt())
                    && let Some(unit) = self.unit_at(slot)
                {
                    *nearest = Some((unit.id, cosine));
                }
            }
        }
        nearest
    }

    /// Updates a result of [`Self::nearest_held`] with the units added `since`.
    pub(super) fn still_nearest(
        &self,
        before: Option<Near>,
        since: &[NodeId],
        vector: &[f32],
    ) -> Option<Near> {
        let before = before.map(|(id, _)| id);
        let is_held = |id: NodeId| self.node(id).is_some_and(|node| node.kind == Kind::Unit);
        if before.is_some_and(|id| !is_held(id)) {
            return self.nearest_held(&[vector]).pop().flatten();
        }
        let all = before.into_iter().chain(since.iter().copied());
        let held = all.filter_map(|id| self.node(id));
        self.nearest_of(held, vector)
    }
}

#[cfg(test)]
mod tests {
    use super::super::worked_examples::node;
    use super::*;
    use proptest::prelude::*;

    fn at(angle: u8) -> [f32; 2] {
        let angle = f32::from(angle) * 0.2;
        [angle.cos(), angle.sin()]
    }

    proptest! {
        /// Scanning rows gives the same as scanning nodes, also after insertions.
        #[test]
        fn rows_and_nodes_agree(
            units in proptest::collection::vec(0_u8..20, 1..12),
            later in proptest::collection::vec(0_u8..20, 0..6),
            asked in proptest::collection::vec(0_u8..20, 1..4),
        ) {
            let mut tree = MemoryTree::new(2);
            let scene = tree.insert(node(Kind::Scene, None, "home"), &at(0));
            let event = tree.insert(node(Kind::Event, Some(scene), "home"), &at(0));
            let add = |tree: &mut MemoryTree, angle: u8| {
                tree.insert(node(Kind::Unit, Some(event), "a rose"), &at(angle))
            };
            for unit in units {
                add(&mut tree, unit);
            }
            let vectors: Vec<[f32; 2]> = asked.into_iter().map(at).collect();
            let rows: Vec<&[f32]> = vectors.iter().map(|vector| &vector[..]).collect();
            let before = tree.nearest_held(&rows);
            for (row, found) in rows.iter().zip(&before) {
                let held = tree.of_kind(Kind::Unit);
                prop_assert_eq!(*found, tree.nearest_of(held, row));
            }
            let since: Vec<NodeId> = later.iter().map(|unit| add(&mut tree, *unit)).collect();
            for (row, before) in rows.iter().zip(before) {
                let held = tree.of_kind(Kind::Unit);
                let now = tree.still_nearest(before, &since, row);
                prop_assert_eq!(now, tree.nearest_of(held, row));
            }
        }
    }
}
