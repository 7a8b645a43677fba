//! Units reduced to key words; the transcript on disk keeps their statements.
//!
//! A key is never shown. It says in the tree what the unit is about. Search uses hashes that were
//! made of the full statement, so the unit is found as before.

use super::context::TreeContext;
use super::node::{Kind, Node, NodeId};
use super::tree::MemoryTree;
use crate::analysis::{Analysis, Term};
use crate::limits;
use crate::talk::Wording;

/// Share of its utility that a unit keeps as a key: it is found and shown as before while the
/// transcript exists.
const KEPT_SHARE: f32 = 0.9;
/// Estimated tokens of a key, before it is made.
const KEY_TOKENS: f32 = 6.0;
/// Maximum number of words in a key.
const WORDS_MAX: usize = 5;

impl MemoryTree {
    /// The utility lost per token saved by reducing a unit of this utility to its key; `None` if it
    /// cannot be reduced or that saves nothing.
    pub(super) fn keying_loss(
        &self,
        unit: &Node,
        worth: f32,
        ctx: &TreeContext<'_>,
    ) -> Option<f32> {
        let may = ctx.config.keeps_transcript() && unit.wording == Wording::Verbatim;
        let saved = unit.tokens as f32 - KEY_TOKENS;
        (may && !unit.edited && saved >= 1.0).then(|| worth * (1.0 - KEPT_SHARE) / saved)
    }

    /// Reduces a unit to its key words.
    pub(super) fn reduce_to_key(&mut self, id: NodeId, ctx: &TreeContext<'_>) {
        self.revise(id, ctx, |node| {
            debug_assert_eq!(node.kind, Kind::Unit, "only units have keys");
            let mut terms = node.search_terms();
            terms.truncate(limits::UNIT_TERMS_MAX);
            let traits = node.traits();
            let analysis = &mut node.analysis;
            let rarity = |term| ctx.rarity.of(term);
            (node.text, analysis.terms) = key_words(&node.text, analysis, rarity);
            node.asked = None;
            (analysis.beside, analysis.words) = Default::default();
            analysis.date = None;
            node.wording = Wording::Key { terms, traits };
        });
    }
}

/// The rarest content words of a statement, in their order, and their terms. `rarity` is the weight
/// of a term. Cost: O(n log n) in its words.
fn key_words(text: &str, analysis: &Analysis, rarity: impl Fn(Term) -> f32) -> (String, Vec<Term>) {
    let mut words: Vec<(&str, &[Term], usize, f32)> = Vec::new();
    let mut terms = analysis.terms.as_slice();
    for (at, word) in analysis.words.iter().enumerate() {
        let (own, rest) = terms.split_at(terms.len().min(usize::from(word.terms)));
        terms = rest;
        let weight = own.iter().copied().map(&rarity).fold(0.0, f32::max);
        let start = word.start as usize;
        let Some(word) = text.get(start..start + usize::from(word.len)) else {
            continue;
        };
        let known = words
            .iter()
            .any(|(other, ..)| other.eq_ignore_ascii_case(word));
        if !known {
            words.push((word, own, at, weight));
        }
    }
    words.sort_by(|a, b| b.3.total_cmp(&a.3).then(a.2.cmp(&b.2)));
    words.truncate(WORDS_MAX);
    words.sort_by_key(|(.., at, _)| *at);
    let (words, terms): (Vec<&str>, Vec<&[Term]>) =
        words.into_iter().map(|(word, own, ..)| (word, own)).unzip();
    match words.is_empty() {
        true => (text.to_owned(), Vec::new()),
        false => (words.join(" "), terms.concat()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::{Statement, analyse, terms};

    #[test]
    fn the_rarest_words_stay_in_their_order() {
        let common = terms("group")[0];
        let rarity = |term: Term| if term == common { 0.1 } else { 5.0 };
        let key = |text| {
            let said = Statement {
                text,
                ..Statement::default()
            };
            key_words(text, &analyse(said), rarity).0
        };
        let text = "I went to the support group in Oslo, and Mia read a poem about rivers there.";
        assert_eq!(key(text), "went support Oslo Mia read");
        assert_eq!(key("It was there."), "It");
    }
}
