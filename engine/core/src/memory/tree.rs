//! The tree: an arena of scenes, events and units, and the operations that keep it consistent.
//!
//! The decision what to keep is in [`super::mount`] and [`super::budget`]; this file guarantees a
//! consistent structure after every operation. [`MemoryTree::check`] defines consistency.

use super::context::TreeContext;
use super::lexicon::Lexicon;
use super::matrix::Matrix;
use super::node::{Kind, Node, NodeId};
use super::sparse::TermIndex;
use crate::text::{Term, terms};
use crate::vectors::{dot, normalise};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use weir_models::{CountTokens, Terms};

/// Maximum number of merge candidates; dropping the oldest only loses a possible saving.
const MERGE_CANDIDATES_MAX: usize = 256;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Slot {
    pub(super) generation: u32,
    /// Shared with earlier states of the session until it changes.
    pub(super) node: Option<Arc<Node>>,
}

/// The long-term memory of one session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MemoryTree {
    pub(super) slots: Vec<Slot>,
    pub(super) free: Vec<u32>,
    pub(super) vectors: Matrix,
    pub(super) scenes: Vec<NodeId>,
    pub(super) tokens: usize,
    pub(super) merge_candidates: VecDeque<(NodeId, NodeId)>,
    #[serde(skip)]
    pub(super) lexicon: Lexicon,
    #[serde(skip)]
    pub(super) sparse: TermIndex,
    /// Which slots hold a unit, so that a search reads no other vectors and no nodes.
    #[serde(skip)]
    pub(super) is_unit: Vec<bool>,
    /// Bytes of all live nodes, see [`Self::footprint`].
    #[serde(skip)]
    pub(super) held_bytes: usize,
    /// Number of units per speaker.
    #[serde(skip)]
    pub(super) speakers: BTreeMap<String, usize>,
}

/// Tokens of the speaker's name at the start of a line.
pub(super) fn label_tokens(node: &Node, counter: &dyn CountTokens) -> u32 {
    match (&node.speaker, node.kind) {
        (Some(speaker), Kind::Unit) => counter.count(&format!("{speaker}:")) as u32,
        _ => 0,
    }
}

fn speaker_of(node: &Node) -> Option<&str> {
    node.speaker.as_deref().filter(|_| node.kind == Kind::Unit)
}

impl MemoryTree {
    /// An empty tree for vectors of `dimension` floats.
    #[must_use]
    pub fn new(dimension: usize) -> Self {
        Self {
            slots: Vec::new(),
            free: Vec::new(),
            vectors: Matrix::new(dimension),
            scenes: Vec::new(),
            tokens: 0,
            merge_candidates: VecDeque::new(),
            lexicon: Lexicon::default(),
            sparse: TermIndex::default(),
            is_unit: Vec::new(),
            held_bytes: 0,
            speakers: BTreeMap::new(),
        }
    }

    /// Rebuilds data that is not stored; called once after loading.
    pub(crate) fn reindex(&mut self) {
        self.lexicon = Lexicon::default();
        self.sparse = TermIndex::default();
        for slot in &self.slots {
            if let Some(node) = slot.node.as_ref().filter(|node| node.kind == Kind::Unit) {
                self.lexicon
                    .insert(node.id.slot, &node.search_terms(), node.traits());
                self.sparse.insert(node.id.slot, &node.terms);
            }
        }
        let slots = 0..self.slots.len() as u32;
        self.is_unit = slots.map(|slot| self.unit_at(slot).is_some()).collect();
        self.held_bytes = self.nodes().map(|node| self.footprint(node)).sum();
        self.vectors.stamp_all();
        self.recount_speakers();
    }

    /// Counts the units of every speaker.
    pub(super) fn recount_speakers(&mut self) {
        self.speakers = BTreeMap::new();
        let said = self.slots.iter().filter_map(|slot| slot.node.as_deref());
        for speaker in said.filter_map(speaker_of) {
            *self.speakers.entry(speaker.to_owned()).or_default() += 1;
        }
    }

    /// All speakers with at least one unit.
    pub(crate) fn speakers(&self) -> impl Iterator<Item = &str> {
        self.speakers.keys().map(String::as_str)
    }

    /// Terms of the names of all speakers with at least one unit, ascending.
    pub(crate) fn name_terms(&self) -> Vec<Term> {
        let mut names: Vec<Term> = self.speakers().flat_map(terms).collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    /// Number of slots, including free ones.
    #[must_use]
    pub fn slots(&self) -> usize {
        self.slots.len()
    }

    /// Changes whenever the vector in a slot does, and never repeats; 0 if none was written.
    #[must_use]
    pub fn vector_stamp(&self, slot: u32) -> u64 {
        self.vectors.stamp(slot)
    }

    /// The unit in a slot.
    #[must_use]
    pub fn unit_at(&self, slot: u32) -> Option<&Node> {
        let node = self.slots.get(slot as usize)?.node.as_deref();
        node.filter(|node| node.kind == Kind::Unit)
    }

    /// Bytes of a node with its vector, its slot and its words in the index: the measure of the
    /// byte budget.
    pub(super) fn footprint(&self, node: &Node) -> usize {
        node.bytes()
            + size_of::<Slot>()
            + self.vectors.dimension() * size_of::<f32>()
            + size_of_val(self.lexicon.document(node.id.slot))
            + TermIndex::bytes_of(&node.terms)
    }

    /// Number of live nodes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.slots.len() - self.free.len()
    }

    /// Whether nothing is held.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bytes of all nodes with evidence, vectors and words: bounded by `budget_bytes`.
    #[must_use]
    pub fn held_bytes(&self) -> usize {
        self.held_bytes
    }

    /// The node with this id, if it still exists.
    #[must_use]
    pub fn node(&self, id: NodeId) -> Option<&Node> {
        let slot = self.slots.get(id.slot as usize)?;
        slot.node
            .as_deref()
            .filter(|_| slot.generation == id.generation)
    }

    pub(super) fn node_mut(&mut self, id: NodeId) -> Option<&mut Node> {
        let slot = self.slots.get_mut(id.slot as usize)?;
        let node = slot.node.as_mut();
        node.filter(|node| node.id.generation == id.generation)
            .map(Arc::make_mut)
    }

    /// Every node, in slot order.
    pub fn nodes(&self) -> impl Iterator<Item = &Node> {
        self.slots.iter().filter_map(|slot| slot.node.as_deref())
    }

    /// Every node of a kind, in slot order.
    pub fn of_kind(&self, kind: Kind) -> impl Iterator<Item = &Node> {
        self.nodes().filter(move |node| node.kind == kind)
    }

    /// Scenes in order of creation.
    pub fn scenes(&self) -> impl Iterator<Item = &Node> {
        self.scenes.iter().filter_map(|&id| self.node(id))
    }

    /// Children of a node, in order of creation.
    pub fn children(&self, id: NodeId) -> impl Iterator<Item = &Node> {
        self.node(id)
            .into_iter()
            .flat_map(|node| node.children.iter().filter_map(|&child| self.node(child)))
    }

    /// The words of the units.
    pub(crate) fn lexicon(&self) -> &Lexicon {
        &self.lexicon
    }

    /// Total tokens of all nodes.
    #[must_use]
    pub fn tokens(&self) -> usize {
        self.tokens
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
        let rows = self.vectors.rows().zip(&self.is_unit);
        let cosine = |(row, is_unit): (&[f32], &bool)| match is_unit {
            true => dot(row, vector),
            false => 0.0,
        };
        rows.map(cosine).collect()
    }

    /// The product of the terms of every unit with those of a question, by slot; 0 in other slots.
    pub(crate) fn products(&self, question: &Terms) -> Vec<f32> {
        self.sparse.products(question, self.slots.len())
    }

    /// Bytes held: nodes, evidence, vectors and indexes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.nodes().map(Node::bytes).sum::<usize>()
            + self.slots.len() * size_of::<Slot>()
            + self.vectors.bytes()
            + self.lexicon.bytes()
            + self.sparse.bytes()
    }

    /// Changes a node, except its words, and updates the byte count.
    pub(super) fn amend(&mut self, id: NodeId, change: impl FnOnce(&mut Node)) {
        let Some(node) = self.node_mut(id) else {
            return;
        };
        let before = node.bytes();
        change(node);
        let after = node.bytes();
        self.held_bytes = self.held_bytes + after - before;
    }

    /// Changes a node's words, and updates the indexes and the byte count. For changes that affect
    /// its tokens use [`Self::revise`].
    pub(super) fn alter(&mut self, id: NodeId, change: impl FnOnce(&mut Node)) {
        let Some(before) = self.node(id).map(|node| self.footprint(node)) else {
            return;
        };
        let Some(node) = self.slots[id.slot as usize].node.as_mut() else {
            return;
        };
        let node = Arc::make_mut(node);
        let found_by = node.terms.clone();
        change(node);
        if node.kind == Kind::Unit {
            self.lexicon
                .insert(id.slot, &node.search_terms(), node.traits());
        }
        if node.terms != found_by {
            self.sparse.remove(id.slot, &found_by);
            self.sparse.insert(id.slot, &node.terms);
        }
        let after = self.node(id).map_or(0, |node| self.footprint(node));
        self.held_bytes = self.held_bytes - before + after;
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
            let after = ctx.counter.count(&node.counted()) as u32;
            tokens = (std::mem::replace(&mut node.tokens, after), after);
        });
        self.tokens = self.tokens - tokens.0 as usize + tokens.1 as usize;
        self.join_line(id);
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
        let label = node.label_tokens;
        if begins {
            node.tokens += label;
            self.tokens += label as usize;
        } else {
            node.tokens -= label;
            self.tokens -= label as usize;
        }
    }

    /// Puts a node under its parent. The id in `node` is overwritten.
    ///
    /// The parent must be alive and one level up; scenes have none.
    pub(super) fn insert(&mut self, mut node: Node, vector: &[f32]) -> NodeId {
        let slot = self.free.pop().unwrap_or_else(|| {
            self.slots.push(Slot {
                generation: 0,
                node: None,
            });
            self.is_unit.push(false);
            (self.slots.len() - 1) as u32
        });
        let id = NodeId {
            slot,
            generation: self.slots[slot as usize].generation,
        };
        node.id = id;
        match node.parent {
            None => self.scenes.push(id),
            Some(parent) => {
                let parent = self.node_mut(parent);
                debug_assert!(parent.is_some(), "a node's parent must be alive");
                if let Some(parent) = parent {
                    parent.children.push(id);
                }
            }
        }
        self.tokens += node.tokens as usize;
        self.vectors.set(slot, vector);
        self.is_unit[slot as usize] = node.kind == Kind::Unit;
        if node.kind == Kind::Unit {
            self.lexicon
                .insert(slot, &node.search_terms(), node.traits());
        }
        self.sparse.insert(slot, &node.terms);
        self.held_bytes += self.footprint(&node);
        if let Some(speaker) = speaker_of(&node) {
            match self.speakers.get_mut(speaker) {
                Some(count) => *count += 1,
                None => drop(self.speakers.insert(speaker.to_owned(), 1)),
            }
        }
        self.slots[slot as usize].node = Some(Arc::new(node));
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
        self.held_bytes -= self.node(id).map(|node| self.footprint(node))?;
        let slot = &mut self.slots[id.slot as usize];
        let node = slot.node.take()?;
        slot.generation = slot.generation.wrapping_add(1);
        if let Some(speaker) = speaker_of(&node)
            && let Some(count) = self.speakers.get_mut(speaker)
        {
            *count -= 1;
            if *count == 0 {
                self.speakers.remove(speaker);
            }
        }
        self.free.push(id.slot);
        self.tokens -= node.tokens as usize;
        self.vectors.clear(id.slot);
        self.is_unit[id.slot as usize] = false;
        self.lexicon.remove(id.slot);
        self.sparse.remove(id.slot, &node.terms);
        if node.kind == Kind::Scene {
            self.scenes.retain(|&scene| scene != id);
        }
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
