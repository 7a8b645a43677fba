//! The tree of image format 4, which had no terms.

use super::context::TreeContext;
use super::lexicon::Lexicon;
use super::matrix::Matrix;
use super::node::{Kind, Node, NodeId, Superseded};
use super::sparse::TermIndex;
use super::tree::{MemoryTree, Slot};
use crate::talk::{Evidence, Wording};
use crate::text::ClaimKey;
use serde::Deserialize;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use weir_models::Terms;

#[derive(Deserialize)]
pub(crate) struct TreeV4 {
    slots: Vec<SlotV4>,
    free: Vec<u32>,
    vectors: Matrix,
    scenes: Vec<NodeId>,
    tokens: usize,
    merge_candidates: VecDeque<(NodeId, NodeId)>,
}

#[derive(Deserialize)]
struct SlotV4 {
    generation: u32,
    node: Option<NodeV4>,
}

#[derive(Deserialize)]
struct NodeV4 {
    id: NodeId,
    kind: Kind,
    parent: Option<NodeId>,
    children: Vec<NodeId>,
    text: String,
    asked: Option<String>,
    speaker: Option<String>,
    evidence: Vec<Evidence>,
    evidence_more: u32,
    wording: Wording,
    salience: f32,
    said_ms: u64,
    tokens: u32,
    label_tokens: u32,
    begins_line: bool,
    heard_tokens: u32,
    frequency: u32,
    last_access_ms: u64,
    pinned: bool,
    edited: bool,
    claim: Option<ClaimKey>,
    superseded: Option<Superseded>,
}

impl MemoryTree {
    /// Counts every unit again: format 4 resolved fewer dates.
    pub(crate) fn recount(&mut self, ctx: &TreeContext<'_>) {
        let units: Vec<NodeId> = self.of_kind(Kind::Unit).map(|unit| unit.id).collect();
        for unit in units {
            self.revise(unit, ctx, |_| ());
        }
    }
}

impl From<TreeV4> for MemoryTree {
    fn from(old: TreeV4) -> Self {
        let slots = old.slots.into_iter().map(|slot| Slot {
            generation: slot.generation,
            node: slot.node.map(|node| Arc::new(node.into())),
        });
        Self {
            slots: slots.collect(),
            free: old.free,
            vectors: old.vectors,
            scenes: old.scenes,
            tokens: old.tokens,
            merge_candidates: old.merge_candidates,
            lexicon: Lexicon::default(),
            sparse: TermIndex::default(),
            is_unit: Vec::new(),
            held_bytes: 0,
            speakers: BTreeMap::new(),
        }
    }
}

impl From<NodeV4> for Node {
    fn from(old: NodeV4) -> Self {
        Self {
            id: old.id,
            kind: old.kind,
            parent: old.parent,
            children: old.children,
            text: old.text,
            asked: old.asked,
            speaker: old.speaker,
            evidence: old.evidence,
            evidence_more: old.evidence_more,
            wording: old.wording,
            salience: old.salience,
            said_ms: old.said_ms,
            tokens: old.tokens,
            label_tokens: old.label_tokens,
            begins_line: old.begins_line,
            heard_tokens: old.heard_tokens,
            frequency: old.frequency,
            last_access_ms: old.last_access_ms,
            pinned: old.pinned,
            edited: old.edited,
            terms: Terms::default(),
            claim: old.claim,
            superseded: old.superseded,
        }
    }
}
