//! Graph indexes of what a large memory holds: [`VectorIndex`] of its units, [`FactIndex`] of the
//! facts of its profiles.
//!
//! A hierarchical navigable small world graph (hnsw_rs; Malkov and Yashunin 2018) finds the nearest
//! vectors without visiting each. A built graph never changes, belongs to readers, can be built on
//! any thread from any snapshot, and no stored data depends on it. What was added since is scanned
//! exactly.

mod facts;
mod units;

pub use facts::FactIndex;
pub use units::VectorIndex;

use hnsw_rs::anndists::dist::distances::Distance;
use weir_core::session::Session;
use weir_core::vectors::dot;

/// Links of a node in a graph, and candidates examined per insertion.
const LINKS: usize = 24;
const BUILD_EFFORT: usize = 200;
const LAYERS: usize = 16;
/// Candidates examined per search: a multiple of the wanted number, and a minimum.
const EFFORT_FACTOR: usize = 2;
const EFFORT_MIN: usize = 128;
/// Share of vectors missing from a graph, or gone since, at which a new graph is due.
const STALE_SHARE: f32 = 0.25;

/// An index that is built from a state of a session.
pub trait Index: Sized + Send + 'static {
    /// Whether a session is large enough for an index and this one, if any, is out of date.
    fn is_due(index: Option<&Self>, session: &Session) -> bool;

    /// Builds it; `None` if `stop` returned true.
    fn build(session: &Session, stop: &dyn Fn() -> bool) -> Option<Self>;
}

/// One minus the cosine of two unit vectors.
#[derive(Debug, Clone, Copy, Default)]
struct Angle;

impl Distance<f32> for Angle {
    fn eval(&self, a: &[f32], b: &[f32]) -> f32 {
        (1.0 - dot(a, b)).max(0.0)
    }
}
