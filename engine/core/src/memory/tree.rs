//! The tree: scenes, events and units with their vectors, and the operations that keep it
//! consistent.
//!
//! The tree is put together from parts that each keep one thing: the nodes in their slots
//! ([`Arena`]), their vectors, what they are searched by ([`SearchIndex`]), and totals
//! ([`Totals`]). This file changes them together. The decision what to keep is in [`super::mount`]
//! and [`super::budget`]; [`MemoryTree::check`] defines consistency.

use super::arena::{Arena, Slot};
use super::context::TreeContext;
use super::matrix::Matrix;
use super::node::{Kind, Node, NodeId};
use super::search_index::SearchIndex;
use super::totals::Totals;
use crate::analysis::Term;
use crate::vectors::normalise;
use std::collections::VecDeque;
use std::sync::Arc;
use weir_models::CountTokens;

/// Maximum number of merge candidates; dropping the oldest only loses a possible saving.
const MERGE_CANDIDATES_MAX: usize = 256;

/// The long-term memory of one session.
#[derive(Debug, Clone, PartialEq)]
pub struct MemoryTree {
    pub(super) arena: Arena,
    pub(super) vectors: Matrix,
    pub(super) index: SearchIndex,
    pub(super) totals: Totals,
    pub(super) merge_candidates: VecDeque<(NodeId, NodeId)>,
}

/// Tokens of the speaker's name at the start of a line.
pub(super) fn label_tokens(node: &Node, counter: &dyn CountTokens) -> u32 {
    match (&node.speaker, node.kind) {
        (Some(speaker), Kind::Unit) => counter.count(&format!("{speaker}:")) as u32,
        _ => 0,
    }
}

impl MemoryTree {
    /// An empty tree for vectors of `dimension` floats.
    #[must_use]
    pub fn new(dimension: usize) -> Self {
        Self {
            arena: Arena::default(),
            vectors: Matrix::new(dimension),
            index: SearchIndex::default(),
            totals: Totals::default(),
            merge_candidates: VecDeque::new(),
        }
    }

    /// Rebuilds what is not stored; called once after loading.
    pub(crate) fn reindex(&mut self) {
        self.index = SearchIndex::default();
        self.index.reserve(self.arena.slots.len());
        for node in self.arena.nodes() {
            self.index.insert(node);
        }
        self.recount_bytes();
        self.totals.recount_speakers(self.arena.nodes());
        self.vectors.stamp_all();
    }

    /// Adds up the bytes of all nodes.
    pub(super) fn recount_bytes(&mut self) {
        self.totals.bytes = self.nodes().map(|node| self.footprint(node)).sum();
    }

    /// What the units are searched by.
    pub(crate) fn index(&self) -> &SearchIndex {
        &self.index
    }

    /// All speakers with at least one unit.
    pub(crate) fn speakers(&self) -> impl Iterator<Item = &str> {
        self.totals.speakers()
    }

    /// Terms of the names of all speakers with at least one unit, ascending.
    pub(crate) fn name_terms(&self) -> Vec<Term> {
        self.totals.name_terms()
    }

    /// Number of slots, including free ones.
    #[must_use]
    pub fn slots(&self) -> usize {
        self.arena.slots.len()
    }

    /// Changes whenever the vector in a slot does, and never repeats; 0 if none was written.
    #[must_use]
    pub fn vector_stamp(&self, slot: u32) -> u64 {
        self.vectors.stamp(slot)
    }

    /// The unit in a slot.
    #[must_use]
    pub fn unit_at(&self, slot: u32) -> Option<&Node> {
        let node = self.arena.at(slot);
        node.filter(|node| node.kind == Kind::Unit)
    }

    /// Bytes of a node with its vector, its slot and its words in the index: the measure of the
    /// byte budget.
    pub(super) fn footprint(&self, node: &Node) -> usize {
        node.bytes()
            + size_of::<Slot>()
            + self.vectors.dimension() * size_of::<f32>()
            + self.index.bytes_of(node)
    }

    /// Number of live nodes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.arena.len()
    }

    /// Whether nothing is held.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bytes of all nodes with evidence, vectors and words: bounded by `budget_bytes`.
    #[must_use]
    pub fn held_bytes(&self) -> usize {
        self.totals.bytes
    }

    /// The node with this id, if it still exists.
    #[must_use]
    pub fn node(&self, id: NodeId) -> Option<&Node> {
        self.arena.node(id)
    }

    pub(super) fn node_mut(&mut self, id: NodeId) -> Option<&mut Node> {
        self.arena.node_mut(id)
    }

    /// Every node, in slot order.
    pub fn nodes(&self) -> impl Iterator<Item = &Node> {
        self.arena.nodes()
    }

    /// Changes what was read from the words of every node, in slot order. The tree must be indexed
    /// afterwards.
    pub(crate) fn each_node(&mut self, change: impl FnMut(&mut Node)) {
        self.arena.each_node(change);
    }

    /// Every node of a kind, in slot order.
    pub fn of_kind(&self, kind: Kind) -> impl Iterator<Item = &Node> {
        self.nodes().filter(move |node| node.kind == kind)
    }

    /// Scenes in order of creation.
    pub fn scenes(&self) -> impl Iterator<Item = &Node> {
        self.arena.scenes.iter().filter_map(|&id| self.node(id))
    }

    /// Children of a node, in order of creation.
    pub fn children(&self, id: NodeId) -> impl Iterator<Item = &Node> {
        self.node(id)
            .into_iter()
            .flat_map(|node| node.children.iter().filter_map(|&child| self.node(child)))
    }

    /// Total tokens of all nodes.
    #[must_use]
    pub fn tokens(&self) -> usize {
        self.totals.tokens
    }

    /// Floats of a vector.
    #[must_use]
    pub fn dimension(&self) -> usize {
        self.vectors.dimension()
    }

    /// The vector of a node's slot; zero when the slot is free.
    #[must_use]
    pub fn vector(&self, id: NodeId) -> &[f32] {
        self.row(id.slot)
    }

    /// The vector in a slot.
    pub(crate) fn row(&self, slot: u32) -> &[f32] {
        self.vectors.row(slot)
    }

    /// The cosine of every unit to a vector, by slot; 0 in other slots.
    pub(crate) fn cosines(&self, vector: &[f32]) -> Vec<f32> {
        self.index.cosines(&self.vectors, vector)
    }

    /// Bytes held: nodes, evidence, vectors and indexes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.nodes().map(Node::bytes).sum::<usize>()
            + self.slots() * size_of::<Slot>()
            + self.vectors.bytes()
            + self.index.bytes()
    }

    /// Changes a node, except its words, and updates the byte count.
    pub(super) fn amend(&mut self, id: NodeId, change: impl FnOnce(&mut Node)) {
        let Some(node) = self.node_mut(id) else {
            return;
        };
        let before = node.bytes();
        change(node);
        let after = node.bytes();
        self.totals.replace_bytes(before, after);
    }

    /// Changes a node's words, and updates the indexes and the byte count. For changes that affect
    /// its tokens use [`Self::revise`].
    pub(super) fn alter(&mut self, id: NodeId, change: impl FnOnce(&mut Node)) {
        let Some(before) = self.node(id).map(|node| self.footprint(node)) else {
            return;
        };
        let Some(node) = self.arena.node_mut(id) else {
            return;
        };
        let terms = node.terms.clone();
        change(node);
        self.index.update(node, &terms);
        let after = self.node(id).map_or(0, |node| self.footprint(node));
        self.totals.replace_bytes(before, after);
    }

    /// As [`Self::alter`], and counts its tokens again.
    pub(super) fn revise(
        &mut self,
        id: NodeId,
        ctx: &TreeContext<'_>,
        change: impl FnOnce(&mut Node),
    ) {
        self.leave_line(id);
        let mut tokens = (0, 0);
        self.alter(id, |node| {
            change(node);
            node.label_tokens = label_tokens(node, ctx.counter);
            let after = ctx.counter.count(&node.counted_text()) as u32;
            tokens = (std::mem::replace(&mut node.tokens, after), after);
        });
        self.totals.replace_tokens(tokens.0, tokens.1);
        self.join_line(id);
    }

    /// Counts the tokens of all nodes again.
    pub(crate) fn recount(&mut self, ctx: &TreeContext<'_>) {
        self.recount_where(ctx, |_| true);
    }

    fn recount_where(&mut self, ctx: &TreeContext<'_>, which: impl Fn(&Node) -> bool) {
        let nodes = self.nodes().filter(|node| which(node));
        let nodes: Vec<NodeId> = nodes.map(|node| node.id).collect();
        for id in nodes {
            self.revise(id, ctx, |_| {});
        }
    }

    /// Counts the units again whose tokens are those of their words with the note that earlier
    /// builds showed behind what had changed.
    pub(crate) fn recount_marked(&mut self, ctx: &TreeContext<'_>) {
        self.recount_where(ctx, |node| {
            let label = u32::from(node.begins_line).saturating_mul(node.label_tokens);
            let words = format!("{} (no longer so)", node.counted_text());
            node.kind == Kind::Unit
                && node.tokens.checked_sub(label) == Some(ctx.counter.count(&words) as u32)
        });
    }

    /// Lets a unit begin the line of its utterance, unless another does.
    fn join_line(&mut self, id: NodeId) {
        let Some(node) = self.node(id).filter(|node| node.kind == Kind::Unit) else {
            return;
        };
        let begun = |other: &Node| other.id != id && other.begins_line && other.shares_line(node);
        let siblings = node
            .parent
            .into_iter()
            .flat_map(|event| self.children(event));
        if node.is_key() || siblings.into_iter().any(begun) {
            return;
        }
        self.set_begins_line(id, true);
    }

    /// Passes the beginning of the line on before a unit is removed or changed.
    fn leave_line(&mut self, id: NodeId) {
        let Some(node) = self.node(id).filter(|node| node.begins_line) else {
            return;
        };
        let siblings = node
            .parent
            .into_iter()
            .flat_map(|event| self.children(event));
        let next = siblings
            .filter(|other| other.id != id && other.shares_line(node))
            .map(|other| other.id)
            .next();
        self.set_begins_line(id, false);
        if let Some(next) = next {
            self.set_begins_line(next, true);
        }
    }

    fn set_begins_line(&mut self, id: NodeId, begins: bool) {
        let Some(node) = self.node_mut(id).filter(|node| node.begins_line != begins) else {
            return;
        };
        node.begins_line = begins;
        let before = node.tokens;
        node.tokens = match begins {
            true => before + node.label_tokens,
            false => before.saturating_sub(node.label_tokens),
        };
        let after = node.tokens;
        self.totals.replace_tokens(before, after);
    }

    /// Puts a node under its parent. The id in `node` is overwritten.
    ///
    /// The parent must be alive and one level up; scenes have none.
    pub(super) fn insert(&mut self, node: Node, vector: &[f32]) -> NodeId {
        let id = self.arena.insert(node);
        self.vectors.set(id.slot, vector);
        if let Some(node) = self.arena.node(id) {
            self.index.insert(node);
            let bytes = self.footprint(node);
            self.totals.add(node, bytes);
        }
        self.join_line(id);
        id
    }

    /// Removes a node and every ancestor that becomes empty.
    ///
    /// Returns the number of nodes removed.
    pub(super) fn remove(&mut self, id: NodeId) -> usize {
        let mut next = Some(id);
        let mut gone = 0;
        while let Some(id) = next.take() {
            let Some(node) = self.take(id) else { break };
            gone += 1;
            let Some(parent_id) = node.parent else { break };
            if let Some(parent) = self.node_mut(parent_id) {
                parent.children.retain(|&child| child != id);
                next = parent.children.is_empty().then_some(parent_id);
            }
        }
        gone
    }

    fn take(&mut self, id: NodeId) -> Option<Arc<Node>> {
        self.leave_line(id);
        let bytes = self.node(id).map(|node| self.footprint(node))?;
        let node = self.arena.take(id)?;
        self.totals.subtract(&node, bytes);
        self.index.remove(&node);
        self.vectors.clear(id.slot);
        Some(node)
    }

    /// Moves a scene's centroid towards a new member, all members weighted equally.
    pub(super) fn pull_centroid(&mut self, scene: NodeId, member: &[f32]) {
        let Some(weight) = self
            .node(scene)
            .map(|node| node.children.len().max(1) as f32)
        else {
            return;
        };
        let mut centroid: Vec<f32> = self.vectors.row(scene.slot).to_vec();
        centroid
            .iter_mut()
            .zip(member)
            .for_each(|(c, m)| *c = *c * weight + m);
        normalise(&mut centroid);
        self.vectors.set(scene.slot, &centroid);
    }

    pub(super) fn remember_merge(&mut self, kept: NodeId, other: NodeId) {
        if self.merge_candidates.len() == MERGE_CANDIDATES_MAX {
            self.merge_candidates.pop_front();
        }
        self.merge_candidates.push_back((kept, other));
    }

    /// Counts a recall or a repetition: eq. 1's frequency and last access.
    pub(crate) fn touch(&mut self, id: NodeId, now_ms: u64) {
        if let Some(node) = self.node_mut(id) {
            node.frequency = node.frequency.saturating_add(1);
            node.last_access_ms = node.last_access_ms.max(now_ms);
        }
    }
}
