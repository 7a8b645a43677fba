//! The inverted index of the tree: which node holds which terms, and how rare each term is.
//!
//! Updated with every insertion and removal, never rebuilt while a session runs, and not stored,
//! since it can be computed from the nodes. Scoring is Okapi BM25 (Robertson and Zaragoza 2009).

use super::chunked::Chunked;
use crate::analysis::{StatementFlags, Term};
use std::collections::HashMap;
use std::sync::Arc;

/// BM25's saturation of repeated terms.
const K1: f32 = 1.2;
/// BM25's length normalisation; below the usual 0.75, because units are short and of similar
/// length.
const B: f32 = 0.4;

/// Number of shards of the postings; each is shared with earlier states of the session until it
/// changes.
const SHARDS: usize = 256;

/// The search terms and flags of one text.
#[derive(Debug, Clone, PartialEq)]
struct Document {
    terms: Arc<[Term]>,
    traits: StatementFlags,
}

impl Default for Document {
    fn default() -> Self {
        Self {
            terms: Arc::from([]),
            traits: StatementFlags::default(),
        }
    }
}

/// Slots by term, unordered.
type Postings = HashMap<Term, Vec<u32>>;

/// Terms by slot, and the number of slots with each term.
///
/// Cloning shares everything: documents and postings are copied shard by shard as they change.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Lexicon {
    documents: Chunked<Document>,
    postings: Vec<Arc<Postings>>,
    held: usize,
    length_total: usize,
}

impl Default for Lexicon {
    fn default() -> Self {
        Self {
            documents: Chunked::default(),
            postings: vec![Arc::default(); SHARDS],
            held: 0,
            length_total: 0,
        }
    }
}

fn shard(term: Term) -> usize {
    // FNV's low bits are the best distributed
    term as usize % SHARDS
}

impl Lexicon {
    /// Adds the terms of a statement under a slot, replacing the slot's old content.
    pub(crate) fn insert(&mut self, slot: u32, words: &[Term], traits: StatementFlags) {
        self.remove(slot);
        let slot = slot as usize;
        while self.documents.len() <= slot {
            self.documents.push(Document::default());
        }
        for term in distinct(words) {
            let postings = Arc::make_mut(&mut self.postings[shard(term)]);
            postings.entry(term).or_default().push(slot as u32);
        }
        self.held += usize::from(!words.is_empty());
        self.length_total += words.len();
        let mut terms: Arc<[Term]> = Arc::from(words);
        if let Some(terms) = Arc::get_mut(&mut terms) {
            terms.sort_unstable();
        }
        self.documents[slot] = Document { terms, traits };
    }

    /// Removes a slot.
    pub(crate) fn remove(&mut self, slot: u32) {
        let Some(document) = self.documents.get_mut(slot as usize) else {
            return;
        };
        let words = std::mem::take(document).terms;
        for term in distinct(&words) {
            let postings = Arc::make_mut(&mut self.postings[shard(term)]);
            if let Some(holding) = postings.get_mut(&term) {
                if let Some(at) = holding.iter().position(|held| *held == slot) {
                    holding.swap_remove(at);
                }
                if holding.is_empty() {
                    postings.remove(&term);
                }
            }
        }
        self.held -= usize::from(!words.is_empty());
        self.length_total -= words.len();
    }

    /// How rare a term is among `held + extra` texts, `ln(1 + (N - n + 0.5) / (n + 0.5))`.
    pub(crate) fn rarity(&self, term: Term, extra_held: usize, extra_with: usize) -> f32 {
        let n = self.holding(term).len() as f32 + extra_with as f32;
        let total = (self.held + extra_held) as f32;
        (1.0 + (total - n + 0.5).max(0.5) / (n + 0.5)).ln()
    }

    /// Whether any text holds the term.
    pub(crate) fn knows(&self, term: Term) -> bool {
        self.postings[shard(term)].contains_key(&term)
    }

    /// The slots whose texts hold a term, unordered.
    pub(crate) fn holding(&self, term: Term) -> &[u32] {
        let postings = &self.postings[shard(term)];
        postings.get(&term).map_or(&[], Vec::as_slice)
    }

    /// The terms of a slot's text in ascending order, repeats included.
    pub(crate) fn document(&self, slot: u32) -> &[Term] {
        self.documents
            .get(slot as usize)
            .map_or(&[], |document| &document.terms)
    }

    /// The flags of a slot's statement.
    pub(crate) fn traits(&self, slot: u32) -> StatementFlags {
        self.documents
            .get(slot as usize)
            .map_or_else(StatementFlags::default, |document| document.traits)
    }

    /// BM25 of a text of `length` terms; `matched` gives the weight and the count of each query
    /// term.
    pub(crate) fn score(&self, length: usize, matched: impl Iterator<Item = (f32, u32)>) -> f32 {
        let mean = if self.held == 0 {
            1.0
        } else {
            self.length_total as f32 / self.held as f32
        };
        let norm = K1 * (1.0 - B + B * length as f32 / mean.max(1.0));
        matched
            .map(|(weight, count)| {
                let tf = count as f32;
                weight * tf * (K1 + 1.0) / (tf + norm)
            })
            .sum()
    }

    pub(crate) fn bytes(&self) -> usize {
        let terms: usize = self.documents.iter().map(|d| d.terms.len()).sum();
        let shards = || self.postings.iter();
        let holding: usize = shards().flat_map(|s| s.values().map(Vec::capacity)).sum();
        let entries: usize = shards().map(|s| s.capacity()).sum();
        terms * size_of::<Term>()
            + self.documents.len() * size_of::<Document>()
            + entries * (size_of::<Term>() + size_of::<Vec<u32>>())
            + holding * size_of::<u32>()
    }
}

fn distinct(words: &[Term]) -> impl Iterator<Item = Term> {
    let mut sorted = words.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    sorted.into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::{flags, terms};
    use proptest::prelude::*;

    proptest! {
        /// After any inserts and removals the counts equal those of a new lexicon.
        #[test]
        fn incremental_equals_rebuilt(
            steps in proptest::collection::vec((0_u32..12, "[a-e ]{0,12}", any::<bool>()), 0..60)
        ) {
            let mut lexicon = Lexicon::default();
            let mut texts: HashMap<u32, String> = HashMap::new();
            for (slot, text, insert) in steps {
                if insert {
                    lexicon.insert(slot, &terms(&text), flags(&text));
                    texts.insert(slot, text);
                } else {
                    lexicon.remove(slot);
                    texts.remove(&slot);
                }
            }
            let mut fresh = Lexicon::default();
            for (slot, text) in &texts {
                fresh.insert(*slot, &terms(text), flags(text));
            }
            let sorted = |lexicon: &Lexicon| {
                let mut postings: Vec<Postings> =
                    lexicon.postings.iter().map(|shard| (**shard).clone()).collect();
                let lists = postings.iter_mut().flat_map(HashMap::values_mut);
                lists.for_each(|slots| slots.sort_unstable());
                postings
            };
            prop_assert_eq!(sorted(&lexicon), sorted(&fresh));
            prop_assert_eq!(lexicon.held, fresh.held);
            prop_assert_eq!(lexicon.length_total, fresh.length_total);
        }
    }
}
