//! The tree of image format 2, which had no pins, no edits and no claims.

use super::format3::{DetailV3, EvidenceV3, NodeV3, SlotV3, TreeV3};
use super::matrix::Matrix;
use super::node::{Kind, NodeId};
use serde::Deserialize;
use std::collections::VecDeque;

#[derive(Deserialize)]
pub(crate) struct TreeV2 {
    slots: Vec<SlotV2>,
    free: Vec<u32>,
    vectors: Matrix,
    scenes: Vec<NodeId>,
    tokens: usize,
    merge_candidates: VecDeque<(NodeId, NodeId)>,
}

#[derive(Deserialize)]
struct SlotV2 {
    generation: u32,
    node: Option<NodeV2>,
}

#[derive(Deserialize)]
struct NodeV2 {
    id: NodeId,
    kind: Kind,
    parent: Option<NodeId>,
    children: Vec<NodeId>,
    text: String,
    speaker: Option<String>,
    evidence: Vec<EvidenceV3>,
    evidence_more: u32,
    detail: DetailV3,
    salience: f32,
    said_ms: u64,
    tokens: u32,
    frequency: u32,
    last_access_ms: u64,
}

impl From<TreeV2> for TreeV3 {
    fn from(old: TreeV2) -> Self {
        let slots = old.slots.into_iter().map(|slot| SlotV3 {
            generation: slot.generation,
            node: slot.node.map(NodeV3::from),
        });
        Self {
            slots: slots.collect(),
            free: old.free,
            vectors: old.vectors,
            scenes: old.scenes,
            _tokens: old.tokens,
            merge_candidates: old.merge_candidates,
        }
    }
}

impl From<NodeV2> for NodeV3 {
    fn from(old: NodeV2) -> Self {
        Self {
            id: old.id,
            kind: old.kind,
            parent: old.parent,
            children: old.children,
            text: old.text,
            speaker: old.speaker,
            evidence: old.evidence,
            evidence_more: old.evidence_more,
            _detail: old.detail,
            _salience: old.salience,
            said_ms: old.said_ms,
            _tokens: old.tokens,
            frequency: old.frequency,
            last_access_ms: old.last_access_ms,
            pinned: false,
            edited: false,
            claim: None,
            superseded: None,
        }
    }
}
