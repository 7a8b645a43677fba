//! How rare a word is in everything that a session has heard, in bounded space.
//!
//! A table of counters addressed by the term's hash. Two words may share a counter, which makes a
//! rare word look more common, never the reverse. When the count of utterances reaches its bound,
//! all counters are halved, so the table follows the last hundred thousand utterances or so.

use crate::analysis::Term;
use crate::limits;
use serde::{Deserialize, Serialize};

/// Counters; 16,384 keep collisions under one in a hundred for a vocabulary of 10,000 words' tail.
const COUNTERS: usize = 1 << 14;
/// Texts counted before all counters are halved.
const TEXTS_MAX: u32 = 1 << 17;

/// Counts of texts by term.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct RarityTable {
    texts: u32,
    counters: Vec<u32>,
}

impl Default for RarityTable {
    fn default() -> Self {
        Self {
            texts: 0,
            counters: vec![0; COUNTERS],
        }
    }
}

impl RarityTable {
    /// Counts the distinct terms of one text.
    pub(crate) fn observe(&mut self, terms: &[Term]) {
        let mut slots: Vec<usize> = terms.iter().map(|&term| slot(term)).collect();
        slots.sort_unstable();
        slots.dedup();
        for slot in slots {
            self.counters[slot] += 1;
        }
        self.texts += 1;
        if self.texts >= TEXTS_MAX {
            self.texts /= 2;
            self.counters.iter_mut().for_each(|count| *count /= 2);
        }
    }

    /// The distinct terms that no text counted so far had, ascending, at most
    /// [`limits::UNIT_TERMS_MAX`].
    pub(crate) fn unheard(&self, terms: &[Term]) -> Vec<Term> {
        let unheard = |term: &Term| self.counters[slot(*term)] == 0;
        let mut new: Vec<Term> = terms.iter().copied().filter(unheard).collect();
        new.sort_unstable();
        new.dedup();
        new.truncate(limits::UNIT_TERMS_MAX);
        new
    }

    /// Subtracts the counts of one text.
    pub(crate) fn forget(&mut self, terms: &[Term]) {
        let mut slots: Vec<usize> = terms.iter().map(|&term| slot(term)).collect();
        slots.sort_unstable();
        slots.dedup();
        for slot in slots {
            self.counters[slot] = self.counters[slot].saturating_sub(1);
        }
        self.texts = self.texts.saturating_sub(1);
    }

    /// Sum over the distinct terms of `ln((texts + 1) / (count + 0.5))`, each at least 0: the
    /// information of a text in nats; and the number of these terms. `terms` and `without` are
    /// sorted; terms in `without` are skipped.
    pub(crate) fn mass(&self, terms: &[Term], without: &[Term]) -> (f32, usize) {
        let mut last = None;
        let (mut mass, mut distinct) = (0.0, 0);
        for &term in terms {
            if last.replace(term) == Some(term) || without.binary_search(&term).is_ok() {
                continue;
            }
            mass += self.of(term);
            distinct += 1;
        }
        (mass, distinct)
    }

    /// Rarity of one term in nats.
    pub(crate) fn of(&self, term: Term) -> f32 {
        let texts = self.texts as f32 + 1.0;
        let seen = self.counters[slot(term)] as f32 + 0.5;
        (texts / seen).ln().max(0.0)
    }

    /// Checks that a stored table has all its counters, and that they can still count up.
    ///
    /// # Errors
    /// The error, as text.
    pub(crate) fn check_parts(&self) -> Result<(), String> {
        let counters = self.counters.len();
        let most = self.counters.iter().max().copied().unwrap_or(0);
        if counters != COUNTERS || self.texts >= TEXTS_MAX || most >= TEXTS_MAX {
            return Err(format!("a table of {counters} word counts up to {most}"));
        }
        Ok(())
    }

    pub(crate) fn bytes(&self) -> usize {
        self.counters.len() * size_of::<u32>()
    }
}

fn slot(term: Term) -> usize {
    // FNV's low bits are the best distributed; fold the high ones in
    ((term ^ (term >> 15)) as usize) & (COUNTERS - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_common_word_weighs_less() {
        let mut table = RarityTable::default();
        for i in 0..100_u32 {
            table.observe(&[7, 1_000 + i]);
        }
        assert!(table.mass(&[7], &[]).0 < table.mass(&[1_001], &[]).0);
        assert!(table.mass(&[7, 1_001], &[]).0 > table.mass(&[1_001], &[]).0);
    }

    #[test]
    fn the_table_never_grows_and_halves_when_full() {
        let mut table = RarityTable::default();
        let before = table.bytes();
        for i in 0..TEXTS_MAX + 10 {
            table.observe(&[i.wrapping_mul(2_654_435_761), 3]);
        }
        assert_eq!(table.bytes(), before);
        assert!(table.texts <= TEXTS_MAX);
    }
}
