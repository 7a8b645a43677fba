//! Finds the units nearest to a vector in a large tree, with a graph index.
//!
//! Up to [`limits::INDEX_UNITS_MIN`] units the exact scan is faster and there is no index. Above, a
//! hierarchical navigable small world graph (hnsw_rs; Malkov and Yashunin 2018) finds them without
//! visiting each. A built graph never changes. Units removed or moved since are skipped (their
//! stamp differs), units added since are scanned exactly, and when there are too many of both a new
//! graph is due. So an index belongs to readers, can be built on any thread from any snapshot, and
//! no stored data depends on it.

use hnsw_rs::anndists::dist::distances::Distance;
use hnsw_rs::hnsw::Hnsw;
use weir_core::limits;
use weir_core::memory::{Kind, MemoryTree, Near, NearestUnits, NodeId};
use weir_core::vectors::dot;

/// Links of a node in the graph, and candidates examined per insertion.
const LINKS: usize = 24;
const BUILD_EFFORT: usize = 200;
const LAYERS: usize = 16;
/// Candidates examined per search: a multiple of the wanted number, and a minimum.
const EFFORT_FACTOR: usize = 2;
const EFFORT_MIN: usize = 128;
/// Extra candidates requested, since some are stale.
const MARGIN: usize = 16;
/// Share of units missing from the graph, or stale in it, at which a new graph is due.
const STALE_SHARE: f32 = 0.25;

/// One minus the cosine of two unit vectors.
#[derive(Debug, Clone, Copy, Default)]
struct Angle;

impl Distance<f32> for Angle {
    fn eval(&self, a: &[f32], b: &[f32]) -> f32 {
        (1.0 - dot(a, b)).max(0.0)
    }
}

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
                let known = index.known(tree);
                (units - known).max(index.graph.get_nb_point() - known)
            }
        };
        behind as f32 > STALE_SHARE * units as f32
    }

    /// Number of the tree's units that are in the graph with their current vector.
    fn known(&self, tree: &MemoryTree) -> usize {
        let stamps = (0_u32..).zip(&self.stamps);
        stamps
            .filter(|(slot, stamp)| **stamp != 0 && **stamp == tree.vector_stamp(*slot))
            .count()
    }

    fn knows(&self, tree: &MemoryTree, id: NodeId) -> bool {
        let stamp = self.stamps.get(id.slot as usize).copied().unwrap_or(0);
        stamp != 0 && stamp == tree.vector_stamp(id.slot)
    }
}

impl NearestUnits for VectorIndex {
    /// Cost: a search in the graph, and a dot product for each unit not in it.
    fn nearest(&self, tree: &MemoryTree, vector: &[f32], count: usize) -> Vec<Near> {
        // stale units are skipped; many of them may be near each other
        let points = self.graph.get_nb_point();
        let wanted = (count * points).div_ceil(self.known(tree).max(1));
        let wanted = (wanted + wanted / 2 + MARGIN).min(4 * count + MARGIN);
        let effort = (wanted * EFFORT_FACTOR).max(EFFORT_MIN);
        let in_graph = self.graph.search(vector, wanted, effort);
        let mut found: Vec<Near> = in_graph
            .iter()
            .filter_map(|near| tree.unit_at(near.get_origin_id() as u32))
            .map(|unit| unit.id)
            .filter(|id| self.knows(tree, *id))
            .map(|id| (id, dot(tree.vector(id), vector)))
            .collect();
        let beside = tree.of_kind(Kind::Unit).map(|unit| unit.id);
        let beside = beside.filter(|id| !self.knows(tree, *id));
        found.extend(beside.map(|id| (id, dot(tree.vector(id), vector))));
        found.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        found.truncate(count);
        found
    }
}
