//! The sparse index of the tree: postings of each term with the units that have it, and its weight
//! there.
//!
//! Like the lexicon, it is updated with every insertion and removal, and not stored, since it can
//! be computed from the nodes.

use crate::limits;
use std::collections::HashMap;
use std::sync::Arc;
use weir_models::Terms;

/// Number of shards of the postings; each is shared with earlier states of the session until it
/// changes.
const SHARDS: usize = 256;
/// Bits of the weight in a posting; the higher bits are the slot.
const WEIGHT_BITS: u32 = 8;
const _: () = assert!(limits::NODES_MAX <= 1 << (32 - WEIGHT_BITS));
/// Integer value of a product of two weights of 1.
const STEPS: f32 = 64.0 * 64.0;

/// Slots with weights by term, unordered.
type Postings = HashMap<u16, Arc<Vec<u32>>>;

/// Postings of all units. Cloning shares everything; lists are copied as they change.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct TermIndex {
    postings: Vec<Arc<Postings>>,
}

impl Default for TermIndex {
    fn default() -> Self {
        Self {
            postings: vec![Arc::default(); SHARDS],
        }
    }
}

impl TermIndex {
    /// Adds a unit, which must not be in the index.
    pub(super) fn insert(&mut self, slot: u32, terms: &Terms) {
        for (term, weight) in terms.steps() {
            let shard = Arc::make_mut(&mut self.postings[usize::from(term) % SHARDS]);
            let list = Arc::make_mut(shard.entry(term).or_default());
            list.push(slot << WEIGHT_BITS | u32::from(weight));
        }
    }

    /// Removes a unit that was added with these terms.
    pub(super) fn remove(&mut self, slot: u32, terms: &Terms) {
        for (term, _) in terms.steps() {
            let shard = Arc::make_mut(&mut self.postings[usize::from(term) % SHARDS]);
            let Some(list) = shard.get_mut(&term) else {
                continue;
            };
            let list = Arc::make_mut(list);
            if let Some(at) = list.iter().position(|held| held >> WEIGHT_BITS == slot) {
                list.swap_remove(at);
            }
            if list.is_empty() {
                shard.remove(&term);
            }
        }
    }

    /// The dot product of a question's terms with those of each unit, by slot, for `slots` slots.
    /// Cost: one step per posting of the question's terms.
    pub(crate) fn products(&self, question: &Terms, slots: usize) -> Vec<f32> {
        let mut sums = vec![0_u32; slots];
        for (term, asked) in question.steps() {
            let shard = &self.postings[usize::from(term) % SHARDS];
            for posting in shard.get(&term).into_iter().flat_map(|list| list.iter()) {
                let weight = posting & ((1 << WEIGHT_BITS) - 1);
                if let Some(sum) = sums.get_mut((posting >> WEIGHT_BITS) as usize) {
                    *sum += weight * u32::from(asked);
                }
            }
        }
        sums.into_iter().map(|sum| sum as f32 / STEPS).collect()
    }

    /// Bytes of the postings of a unit with these terms.
    pub(super) fn bytes_of(terms: &Terms) -> usize {
        terms.len() * size_of::<u32>()
    }

    pub(super) fn bytes(&self) -> usize {
        let lists = self.postings.iter().flat_map(|shard| shard.values());
        let entry = size_of::<(u16, Arc<Vec<u32>>)>() + size_of::<Vec<u32>>();
        lists
            .map(|list| entry + list.capacity() * size_of::<u32>())
            .sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn terms() -> impl Strategy<Value = Terms> {
        proptest::collection::btree_map(0_u16..40, 0.1_f32..3.0, 0..12).prop_map(Terms::of)
    }

    proptest! {
        /// After any insertions and removals, the products equal those computed from the terms.
        #[test]
        fn products_equal_those_of_the_terms(
            steps in proptest::collection::vec((0_u32..12, terms(), any::<bool>()), 0..40),
            question in terms(),
        ) {
            let mut index = TermIndex::default();
            let mut held: HashMap<u32, Terms> = HashMap::new();
            for (slot, terms, insert) in steps {
                if let Some(before) = held.remove(&slot) {
                    index.remove(slot, &before);
                }
                if insert {
                    index.insert(slot, &terms);
                    held.insert(slot, terms);
                }
            }
            let products = index.products(&question, 12);
            for slot in 0..12 {
                let expected = held.get(&slot).map_or(0.0, |terms| terms.dot(&question));
                prop_assert!((products[slot as usize] - expected).abs() < 1e-4);
            }
            let lists = index.postings.iter().map(|shard| shard.len()).sum::<usize>();
            prop_assert_eq!(lists == 0, held.values().all(Terms::is_empty));
        }
    }
}
