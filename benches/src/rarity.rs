//! How rare the words of a talk are, as salience counts them.

use std::collections::HashMap;
use weir_core::analysis::Term;
use weir_core::text::terms;

/// How many texts of a talk have each term.
#[derive(Default)]
pub(crate) struct Rarity {
    pub(crate) texts: usize,
    counts: HashMap<Term, u32>,
}

impl Rarity {
    /// Counts a text with these distinct terms.
    pub(crate) fn add(&mut self, distinct: &[Term]) {
        self.texts += 1;
        for term in distinct {
            *self.counts.entry(*term).or_default() += 1;
        }
    }

    /// Whether a text that was counted has the term.
    pub(crate) fn has(&self, term: &Term) -> bool {
        self.counts.contains_key(term)
    }

    /// The sum of the rarities of some terms, in nats.
    pub(crate) fn mass(&self, terms: &[Term]) -> f32 {
        let count = |term: &Term| self.counts.get(term).copied().unwrap_or(0) as f32 + 0.5;
        let rarity = |term: &Term| ((self.texts as f32 + 1.0) / count(term)).ln().max(0.0);
        terms.iter().map(rarity).sum()
    }
}

/// The terms of a text without those of others, each once, ascending.
pub(crate) fn distinct(text: &str, without: &[Term]) -> Vec<Term> {
    let mut found = terms(text);
    found.sort_unstable();
    found.dedup();
    found.retain(|term| !without.contains(term));
    found
}
