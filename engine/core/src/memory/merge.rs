//! Merges nodes with the same content (ProStream 5.3), and decides when contents are the same.

use super::node::{Kind, Node, NodeId};
use super::tree::MemoryTree;
use crate::config::{MergePolicy, SessionConfig};
use crate::talk::Evidence;
use crate::vectors::{dot, normalise};

impl MemoryTree {
    /// Whether two nodes still exist, still belong together and have the same content.
    pub(super) fn may_merge(&self, a: NodeId, b: NodeId, config: &SessionConfig) -> bool {
        let (Some(left), Some(right)) = (self.node(a), self.node(b)) else {
            return false;
        };
        a != b
            && left.kind == right.kind
            && !self.is_fixed(left)
            && !self.is_fixed(right)
            && left.edited == right.edited
            && (left.kind == Kind::Unit || left.parent == right.parent)
            && dot(self.vector(a), self.vector(b)) > config.profile.merge_cosine
            && (left.kind != Kind::Unit || same_claim(Said::of(left), Said::of(right), config))
    }

    /// Merges `other` into the node that keeps more words: evidence and frequencies add up, the
    /// vector becomes their mean weighted by frequency.
    pub(super) fn merge(&mut self, a: NodeId, b: NodeId) {
        // a statement has more words than one kept as key words
        let words = |id| {
            let node = self.node(id);
            node.map(|node| (!node.is_key(), node.analysis.content.len()))
        };
        let (kept, gone) = if words(b) > words(a) { (b, a) } else { (a, b) };
        let Some(other) = self.node(gone).cloned() else {
            return;
        };
        let mut centroid = self.vector(kept).to_vec();
        let weight = |node: Option<&Node>| node.map_or(1.0, |node| (node.frequency + 1) as f32);
        let (w_kept, w_gone) = (weight(self.node(kept)), weight(Some(&other)));
        let gone_vector = self.vector(gone);
        centroid
            .iter_mut()
            .zip(gone_vector)
            .for_each(|(c, g)| *c = *c * w_kept + g * w_gone);
        normalise(&mut centroid);
        self.vectors.set(kept.slot, &centroid);
        for &child in &other.children {
            if let Some(child) = self.node_mut(child) {
                child.parent = Some(kept);
            }
        }
        self.amend(kept, |node| absorb(node, &other));
        if let Some(emptied) = self.node_mut(gone) {
            emptied.children.clear();
        }
        self.remove(gone);
    }
}

fn absorb(node: &mut Node, other: &Node) {
    for item in &other.evidence {
        let item = proving(item, Words::of(other), Words::of(node));
        node.add_evidence(item);
    }
    node.evidence_more = node.evidence_more.saturating_add(other.evidence_more);
    node.frequency = node.frequency.saturating_add(other.frequency);
    node.last_access_ms = node.last_access_ms.max(other.last_access_ms);
    node.salience = node.salience.max(other.salience);
    node.children.extend_from_slice(&other.children);
}

/// A text and its distinct content words.
#[derive(Clone, Copy)]
pub(super) struct Words<'a> {
    pub(super) text: &'a str,
    pub(super) content: &'a [u32],
}

impl<'a> Words<'a> {
    pub(super) fn of(node: &'a Node) -> Self {
        Self {
            text: &node.text,
            content: &node.analysis.content,
        }
    }
}

/// The evidence for words `before`, as evidence for a node with the words `now`: its share is that
/// of the words they have in common.
pub(super) fn proving(item: &Evidence, before: Words<'_>, now: Words<'_>) -> Evidence {
    let said = before.content;
    let common = said
        .iter()
        .filter(|word| now.content.binary_search(word).is_ok());
    let share = match said.len() {
        0 => 0.0,
        whole => item.share * common.count() as f32 / whole as f32,
    };
    Evidence {
        share,
        verbatim: item.verbatim && before.text == now.text,
        ..item.clone()
    }
}

/// Who says something, and its figures: see [`crate::analysis::Analysis::figures`].
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Said<'a> {
    pub(super) speaker: Option<&'a str>,
    pub(super) figures: u32,
}

impl<'a> Said<'a> {
    pub(super) fn of(node: &'a Node) -> Self {
        Self {
            speaker: node.speaker.as_deref(),
            figures: node.analysis.figures,
        }
    }
}

/// Whether two nodes can be one claim. The paper requires only a cosine; all other policies require
/// the same speaker, numbers, times, names and polarity too.
pub(super) fn same_claim(left: Said<'_>, right: Said<'_>, config: &SessionConfig) -> bool {
    config.merge == MergePolicy::Paper || left == right
}
