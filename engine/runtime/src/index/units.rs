//! Finds the units nearest to a vector in a large tree, with a graph index.
//!
//! Up to [`limits::INDEX_UNITS_MIN`] units the exact scan is faster and there is no index. Units
//! removed or moved since a graph was built are skipped (their stamp differs), units added since
//! are scanned exactly, and when there are too many of both a new graph is due.

use super::{Angle, BUILD_EFFORT, EFFORT_FACTOR, EFFORT_MIN, Index, LAYERS, LINKS, STALE_SHARE};
use hnsw_rs::hnsw::Hnsw;
use weir_core::limits;
use weir_core::memory::{Kind, MemoryTree, Near, NearestUnits};
use weir_core::session::Session;
use weir_core::vectors::dot;

/// Extra candidates requested, since some are stale.
const MARGIN: usize = 16;

/// A graph over the units of one state of a tree, usable for later states too.
pub struct VectorIndex {
    graph: Hnsw<'static, f32, Angle>,
    /// By slot: the stamp of the vector in the graph, or 0 if there is none.
    stamps: Vec<u64>,
}

impl std::fmt::Debug for VectorIndex {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("VectorIndex")
            .field("points", &self.graph.get_nb_point())
            .finish()
    }
}

impl Index for VectorIndex {
    fn is_due(index: Option<&Self>, session: &Session) -> bool {
        Self::is_due(index, session.tree())
    }

    fn build(session: &Session, stop: &dyn Fn() -> bool) -> Option<Self> {
        Self::build(session.tree(), stop)
    }
}

impl VectorIndex {
    /// Builds the graph: about two milliseconds per unit, two to three times the bytes of the
    /// vectors. `None` if `stop` returned true.
    #[must_use]
    pub fn build(tree: &MemoryTree, stop: &dyn Fn() -> bool) -> Option<Self> {
        let units = tree.of_kind(Kind::Unit).count();
        let graph = Hnsw::new(LINKS, units.max(1), LAYERS, BUILD_EFFORT, Angle);
        let mut stamps = vec![0; tree.slots()];
        for unit in tree.of_kind(Kind::Unit) {
            if stop() {
                return None;
            }
            let slot = unit.id.slot;
            graph.insert((tree.vector(unit.id), slot as usize));
            stamps[slot as usize] = tree.vector_stamp(slot);
        }
        Some(Self { graph, stamps })
    }

    /// Whether a tree is large enough for an index and this one, if any, is out of date.
    #[must_use]
    pub fn is_due(index: Option<&Self>, tree: &MemoryTree) -> bool {
        // below the minimum, do not count anything
        if tree.len() < limits::INDEX_UNITS_MIN {
            return false;
        }
        let units = tree.of_kind(Kind::Unit).count();
        let behind = match index {
            _ if units < limits::INDEX_UNITS_MIN => return false,
            None => return true,
            Some(index) => {
                let known = index.count_known(tree);
                (units - known).max(index.graph.get_nb_point() - known)
            }
        };
        behind as f32 > STALE_SHARE * units as f32
    }

    /// Number of the tree's units that are in the graph with their current vector.
    fn count_known(&self, tree: &MemoryTree) -> usize {
        let stamps = (0_u32..).zip(&self.stamps);
        stamps
            .filter(|(slot, stamp)| **stamp != 0 && **stamp == tree.vector_stamp(*slot))
            .count()
    }

    /// Whether the graph holds the current vector of a slot.
    fn knows(&self, tree: &MemoryTree, slot: u32) -> bool {
        let stamp = self.stamps.get(slot as usize).copied().unwrap_or(0);
        stamp != 0 && stamp == tree.vector_stamp(slot)
    }
}

impl NearestUnits for VectorIndex {
    /// Cost: a search in the graph, one comparison of stamps for each slot, and a dot product for
    /// each unit that is not in the graph.
    fn nearest(&self, tree: &MemoryTree, vector: &[f32], count: usize) -> Vec<Near> {
        // stale units are skipped; many of them may be near each other
        let points = self.graph.get_nb_point();
        let wanted = (count * points).div_ceil(self.count_known(tree).max(1));
        let wanted = (wanted + wanted / 2 + MARGIN).min(4 * count + MARGIN);
        let effort = (wanted * EFFORT_FACTOR).max(EFFORT_MIN);
        let in_graph = self.graph.search(vector, wanted, effort);
        let mut found: Vec<Near> = in_graph
            .iter()
            .filter_map(|near| tree.unit_at(near.get_origin_id() as u32))
            .map(|unit| unit.id)
            .filter(|id| self.knows(tree, id.slot))
            .map(|id| (id, dot(tree.vector(id), vector)))
            .collect();
        let slots = (0..tree.slots() as u32).filter(|slot| !self.knows(tree, *slot));
        let beside = slots.filter_map(|slot| Some(tree.unit_at(slot)?.id));
        found.extend(beside.map(|id| (id, dot(tree.vector(id), vector))));
        found.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        found.truncate(count);
        found
    }
}
