//! Which units of a large tree are scored at all: those near in meaning or words, what was said
//! around them, and a sample of the rest to know what is usual.

use super::query::Query;
use crate::answer::Question;
use crate::memory::{Kind, MemoryTree, Node, VectorIndex};
use crate::session::Session;
use std::collections::{BTreeSet, HashSet};

/// Units taken by meaning, and by words.
const DENSE_MAX: usize = 256;
const LEXICAL_MAX: usize = 1_024;
/// Units by which scores are standardised.
const SAMPLE: usize = 512;

/// Slots of the units to score.
#[derive(Debug)]
pub(super) struct Scope {
    slots: BTreeSet<u32>,
    sample: HashSet<u32>,
}

impl Scope {
    /// Cost: bounded, but for the search in the index and one pass over the slots.
    pub(super) fn of(
        session: &Session,
        question: &Question,
        query: &Query,
        index: &VectorIndex,
    ) -> Self {
        let tree = session.tree();
        let near = index.nearest(tree, &question.vector, DENSE_MAX);
        let mut slots: BTreeSet<u32> = near.iter().map(|(id, _)| id.slot).collect();
        let mut by_words: HashSet<u32> = HashSet::new();
        for term in query.rarest_first() {
            let room = LEXICAL_MAX.saturating_sub(by_words.len());
            let mut holding = tree.lexicon().holding(term).to_vec();
            holding.sort_unstable();
            by_words.extend(holding.into_iter().take(room));
        }
        slots.extend(by_words);
        for unit in slots.clone() {
            slots.extend(around(tree, unit));
        }
        let units: Vec<u32> = tree.of_kind(Kind::Unit).map(|unit| unit.id.slot).collect();
        let step = units.len().div_ceil(SAMPLE).max(1);
        let sample: HashSet<u32> = units.into_iter().step_by(step).collect();
        slots.extend(&sample);
        Self { slots, sample }
    }

    pub(super) fn units<'a>(&self, tree: &'a MemoryTree) -> impl Iterator<Item = &'a Node> {
        self.slots.iter().filter_map(|slot| tree.unit_at(*slot))
    }

    /// Whether a unit's score counts for what is usual.
    pub(super) fn is_usual(&self, unit: &Node) -> bool {
        self.sample.contains(&unit.id.slot)
    }
}

/// The units of the same event, and the one that superseded this.
fn around(tree: &MemoryTree, slot: u32) -> Vec<u32> {
    let Some(unit) = tree.unit_at(slot) else {
        return Vec::new();
    };
    let siblings = unit
        .parent
        .into_iter()
        .flat_map(|event| tree.children(event));
    let heir = unit.superseded.and_then(|end| tree.node(end.by));
    siblings.chain(heir).map(|unit| unit.id.slot).collect()
}
