//! The words of events: what was said that heads one, or the title that a model wrote, and key
//! words.
//!
//! Key words are chosen when an event is mounted, and stored and counted as its text. What heads it
//! costs nothing: it is the statement of its first evidence, in the words of a unit or of the
//! transcript. A scene has no words of its own: it is headed by its events.

use super::context::TreeContext;
use super::node::{Kind, Node, NodeId};
use super::tree::MemoryTree;
use crate::analysis::{Analysis, Term};
use crate::talk::{Distillate, KEYS_MARK};
use std::collections::BTreeMap;

/// Maximum key words of an event.
const KEYS_MAX: usize = 2;

/// The key words of an event; none if a model wrote its words.
pub(super) fn keys(event: &Node) -> Vec<&str> {
    let keys = event.text.strip_prefix(KEYS_MARK);
    keys.map_or_else(Vec::new, |keys| keys.split(' ').collect())
}

/// The title that a model wrote of an event.
pub(super) fn written(event: &Node) -> Option<&str> {
    let text = Some(event.text.as_str());
    text.filter(|text| !text.is_empty() && !text.starts_with(KEYS_MARK))
}

fn joined(keys: &[&str]) -> String {
    match keys.is_empty() {
        true => String::new(),
        false => format!("{KEYS_MARK}{}", keys.join(" ")),
    }
}

/// The words of a distillate's event: of the candidates the key words that are said often in the
/// block and seldom in all talk. Cost: linear in the terms of the block.
pub(super) fn mounted(made: &Distillate, ctx: &TreeContext<'_>) -> String {
    let text = made.event_text.as_str();
    if !text.starts_with(KEYS_MARK) {
        return text.to_owned();
    }
    let mut counts: BTreeMap<Term, u16> = BTreeMap::new();
    for term in made.units.iter().flat_map(|unit| &unit.analysis.terms) {
        let count = counts.entry(*term).or_default();
        *count = count.saturating_add(1);
    }
    let weight = |term: &Term| {
        let count = counts.get(term).copied().unwrap_or(1);
        ctx.rarity.of(*term) * (1.0 + f32::from(count).ln())
    };
    let mut terms = made.event_analysis.terms.as_slice();
    let mut found: Vec<(&str, f32)> = Vec::new();
    for word in &made.event_analysis.words {
        let (own, rest) = terms.split_at(terms.len().min(usize::from(word.terms)));
        terms = rest;
        let start = word.start as usize;
        if let Some(word) = text.get(start..start + usize::from(word.len)) {
            found.push((word, own.iter().map(weight).fold(0.0, f32::max)));
        }
    }
    found.sort_by(|a, b| b.1.total_cmp(&a.1));
    let keys: Vec<&str> = found.into_iter().map(|it| it.0).take(KEYS_MAX).collect();
    joined(&keys)
}

/// The unit that heads an event: the one that says what its first evidence has, else the most
/// telling one.
pub(super) fn heading_unit<'t>(tree: &'t MemoryTree, event: &Node) -> Option<&'t Node> {
    let telling = |best: &'t Node, next: &'t Node| match next.salience > best.salience {
        true => next,
        false => best,
    };
    let mut units = tree.children(event.id);
    let first = units.find(|unit| proves(unit, event));
    first.or_else(|| tree.children(event.id).reduce(telling))
}

/// Whether a unit says what the first evidence of an event has.
pub(super) fn proves(unit: &Node, event: &Node) -> bool {
    let both = unit.evidence.first().zip(event.evidence.first());
    both.is_some_and(|(item, first)| item.same_utterance(first) && item.part == first.part)
}

impl MemoryTree {
    /// Whether a unit heads its event.
    pub(crate) fn heads(&self, unit: &Node) -> bool {
        let event = unit.parent.and_then(|event| self.node(event));
        event.is_some_and(|event| proves(unit, event))
    }

    /// Drops the key words of an event of which hardly any unit has words left: in a full memory
    /// they would take the place of statements.
    pub(super) fn thin(&mut self, event: Option<NodeId>, ctx: &TreeContext<'_>) {
        let Some(event) = event.filter(|&id| self.node(id).is_some_and(|it| !keys(it).is_empty()))
        else {
            return;
        };
        if self.children(event).filter(|unit| !unit.is_key()).count() <= 1 {
            self.revise(event, ctx, |node| node.text.clear());
        }
    }

    /// Drops what no unit below an event has any more: a model's title, after an erasure, and key
    /// words, after an edit too. The most telling unit that is left heads it.
    pub(super) fn head(&mut self, event: NodeId, erased: bool, ctx: &TreeContext<'_>) {
        let Some(node) = self.node(event).filter(|node| node.kind == Kind::Event) else {
            return;
        };
        let units = self.children(event).map(|unit| unit.text.to_lowercase());
        let below: Vec<String> = units.collect();
        let has = |key: &&str| below.iter().any(|text| text.contains(&key.to_lowercase()));
        let keys: Vec<&str> = keys(node).into_iter().filter(has).collect();
        let text = match written(node).filter(|_| !erased) {
            Some(title) => title.to_owned(),
            None => joined(&keys),
        };
        self.revise(event, ctx, |node| {
            node.text = text;
            node.analysis = Analysis::default();
        });
    }
}

#[cfg(test)]
mod tests {
    use super::super::worked_examples::node;
    use super::*;

    #[test]
    fn key_words_are_told_from_a_title() {
        let event = |text: &str| node(Kind::Event, None, text);
        let of = |text: &str| keys(&event(text)).join("|");
        assert_eq!(of(&joined(&["harbour", "Olga"])), "harbour|Olga");
        assert_eq!((of(""), of("A boat is sold")), Default::default());
        assert_eq!(written(&event("A boat is sold")), Some("A boat is sold"));
        assert_eq!(written(&event(&joined(&["Olga"]))), None);
    }
}
