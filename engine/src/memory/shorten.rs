//! Says units in fewer words before any is forgotten.
//!
//! The words left out stay in the proof: answers quote them and search finds them; a context shows,
//! and the token budget pays for, what is left.

use super::merge::carried_by;
use super::mount::MountContext;
use super::node::{Kind, Node, NodeId};
use super::normalise;
use super::tree::MemoryTree;
use super::utility::Valuation;
use crate::config::UtilityPolicy;
use crate::text::{Detail, condense};

impl MemoryTree {
    /// The next level of detail of a unit, with the utility lost per token saved.
    pub(super) fn condensing(&self, unit: &Node, value: &Valuation<'_>) -> Option<(f32, Detail)> {
        if value.config.utility == UtilityPolicy::Paper || unit.pinned || unit.edited {
            return None;
        }
        let to = unit.detail.less()?;
        let words = self.lexicon.document(unit.id.slot);
        let saved = unit.tokens as f32 * saved_share(to);
        (saved >= 1.0).then(|| (value.condensing_loss(unit, words, to) / saved, to))
    }

    /// Takes a unit down to a level of detail.
    pub(super) fn condense(&mut self, id: NodeId, detail: Detail, ctx: &MountContext<'_>) {
        self.revise(id, ctx, |node| {
            let text = condense(&node.text, detail, |term| ctx.rarity.of(term));
            node.detail = detail;
            if node.kind == Kind::Unit {
                for item in &mut node.evidence {
                    *item = carried_by(item, &text);
                }
            }
            node.text = text;
        });
    }

    /// Joins a gist with another of the same utterance: one name, one line, the same words.
    pub(super) fn join_gists(&mut self, id: NodeId, ctx: &MountContext<'_>) -> bool {
        let Some(node) = self.node(id).filter(|node| node.detail == Detail::Gist) else {
            return false;
        };
        let Some(parent) = node.parent.filter(|_| node.kind == Kind::Unit) else {
            return false;
        };
        let sibling = self.children(parent).find(|other| {
            other.id != id
                && other.detail == Detail::Gist
                && other.said_ms == node.said_ms
                && other.speaker == node.speaker
                && (other.superseded, other.pinned) == (node.superseded, false)
                && (other.claim.is_none() || node.claim.is_none())
        });
        let Some(sibling) = sibling else {
            return false;
        };
        // children stand in the order in which they were said
        let place = |id| {
            self.node(parent)
                .and_then(|p| p.children.iter().position(|&c| c == id))
        };
        let (first, second) = if place(sibling.id) < place(id) {
            (sibling.id, id)
        } else {
            (id, sibling.id)
        };
        let Some(other) = self.node(second).cloned() else {
            return false;
        };
        let mut vector = self.vector(first).to_vec();
        let weight = |node: Option<&Node>| node.map_or(0.0, |node| node.tokens as f32);
        let (a, b) = (weight(self.node(first)), weight(Some(&other)));
        let there = self.vector(second);
        vector
            .iter_mut()
            .zip(there)
            .for_each(|(x, y)| *x = *x * a + y * b);
        normalise(&mut vector);
        self.vectors.set(first.slot, &vector);
        self.remove(second);
        self.inherit(second, first);
        self.revise(first, ctx, |node| {
            let text = format!("{} {}", node.text, other.text);
            node.text = condense(&text, Detail::Telegram, |_| 1.0);
            node.salience = (node.salience * a + other.salience * b) / (a + b).max(1.0);
            node.frequency = node.frequency.max(other.frequency);
            node.last_access_ms = node.last_access_ms.max(other.last_access_ms);
            node.evidence_more = node.evidence_more.saturating_add(other.evidence_more);
            join_evidence(node, &other);
            if node.claim.is_none() {
                node.claim.clone_from(&other.claim);
            }
        });
        true
    }
}

/// Share of a unit's tokens that a step down saves, as measured on dialogues: small words are half
/// of what is said, and the commoner half of the rest is a quarter.
fn saved_share(to: Detail) -> f32 {
    match to {
        Detail::Whole => 0.0,
        Detail::Telegram => 0.5,
        Detail::Gist => 0.4,
    }
}

/// Adds another node's proof; of one utterance, the quotes are put together.
fn join_evidence(node: &mut Node, other: &Node) {
    let text = node.text.clone();
    for item in &mut node.evidence {
        if let Some(same) = other.evidence.iter().find(|e| e.same_utterance(item))
            && !item.quote.contains(&same.quote)
        {
            item.quote_also(&same.quote);
        }
        *item = carried_by(item, &text);
    }
    for item in &other.evidence {
        node.add_evidence(carried_by(item, &text));
    }
}
