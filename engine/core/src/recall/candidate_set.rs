//! Selects the units of a large tree to score: those near by vector, by terms or by words, the
//! events around the nearest, and a sample of the rest as the baseline.

use super::candidate::{Candidate, Source};
use super::query::Query;
use crate::answer::Question;
use crate::memory::{MemoryTree, NearestUnits, Node};
use crate::session::Session;

/// Limits on units selected by vector, by sparse terms, and by words. The graph examines some
/// hundred vectors for each unit it returns; postings cost next to nothing.
const DENSE_MAX: usize = 64;
const SPARSE_MAX: usize = 256;
const LEXICAL_MAX: usize = 512;
/// Number of units from each list whose whole event is added: an answer often stands next to the
/// words that the question shares.
const AROUND_MAX: usize = 32;
/// Sample size for the mean and deviation of scores.
const SAMPLE: usize = 512;

/// Slots of the units to score.
#[derive(Debug)]
pub(super) struct CandidateSet {
    /// Ascending slots to score.
    slots: Vec<u32>,
    /// Ascending slots of the baseline sample.
    sample: Vec<u32>,
    /// Sparse dot products with the question, by slot.
    products: Vec<f32>,
}

impl CandidateSet {
    /// Cost: bounded, apart from the index search, the postings of the question's terms and words,
    /// and one pass over the products.
    pub(super) fn of(
        session: &Session,
        question: &Question,
        query: &Query,
        index: &dyn NearestUnits,
    ) -> Self {
        let tree = session.tree();
        let near = index.nearest(tree, &question.vector, DENSE_MAX);
        let near: Vec<u32> = near.iter().map(|(id, _)| id.slot).collect();
        let products = tree.index().products(&question.terms);
        let termed = by_terms(&products);
        let worded = by_words(tree, query);
        let mut slots = Vec::with_capacity(4 * LEXICAL_MAX);
        for hits in [&near, &termed, &worded] {
            for &slot in hits.iter().take(AROUND_MAX) {
                slots.extend(siblings(tree, slot));
            }
        }
        slots.extend(near.iter().chain(&termed).chain(&worded));
        let step = tree.slots().div_ceil(SAMPLE).max(1);
        let spread = (0..tree.slots() as u32).step_by(step);
        let sample: Vec<u32> = spread
            .filter(|slot| tree.unit_at(*slot).is_some())
            .collect();
        slots.extend(&sample);
        slots.sort_unstable();
        slots.dedup();
        Self {
            slots,
            sample,
            products,
        }
    }

    /// Sparse dot products of all units with the question, by slot.
    pub(super) fn products(&self) -> &[f32] {
        &self.products
    }

    pub(super) fn units<'a>(&self, tree: &'a MemoryTree) -> impl Iterator<Item = &'a Node> {
        self.slots.iter().filter_map(|slot| tree.unit_at(*slot))
    }

    /// Whether a unit enters the mean and deviation.
    pub(super) fn enters_baseline(&self, unit: &Node) -> bool {
        self.sample.binary_search(&unit.id.slot).is_ok()
    }
}

/// Whether this candidate enters the mean and deviation. Without a candidate set, all do.
pub(super) fn enters_baseline(candidate: &Candidate<'_>, scope: Option<&CandidateSet>) -> bool {
    match (candidate.source, scope) {
        (Source::Unit(unit), Some(scope)) => scope.enters_baseline(unit),
        _ => true,
    }
}

/// Units with the greatest sparse products, greatest first.
fn by_terms(products: &[f32]) -> Vec<u32> {
    let order = |a: &u32, b: &u32| {
        let [of_a, of_b] = [a, b].map(|slot| products[*slot as usize]);
        of_b.total_cmp(&of_a).then(a.cmp(b))
    };
    let mut slots: Vec<u32> = (0..products.len() as u32)
        .filter(|slot| products[*slot as usize] > 0.0)
        .collect();
    if slots.len() > SPARSE_MAX {
        slots.select_nth_unstable_by(SPARSE_MAX, order);
        slots.truncate(SPARSE_MAX);
    }
    slots.sort_unstable_by(order);
    slots
}

/// Units that hold the question's rarest words, rarest word first.
fn by_words(tree: &MemoryTree, query: &Query) -> Vec<u32> {
    let mut found: Vec<u32> = Vec::new();
    for term in query.rarest_first() {
        let room = LEXICAL_MAX.saturating_sub(found.len());
        if room == 0 {
            break;
        }
        // sorted, so that the cut does not depend on insertion order
        let mut holding = tree.index().words().holding(term).to_vec();
        holding.sort_unstable();
        holding.truncate(room);
        found.extend(holding);
    }
    found
}

/// The units of the same event.
fn siblings(tree: &MemoryTree, slot: u32) -> impl Iterator<Item = u32> {
    let event = tree.unit_at(slot).and_then(|unit| unit.parent);
    let below = event.into_iter().flat_map(|event| tree.children(event));
    below.map(|unit| unit.id.slot)
}
