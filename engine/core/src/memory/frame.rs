//! The tree in two parts: its structure, and its nodes.

use super::arena::Slot;
use super::node::{Node, NodeId};
use super::tree::MemoryTree;
use crate::limits;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;
use std::sync::Arc;

/// Slots and lists of a tree, without its nodes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct TreeFrame {
    /// Number of earlier nodes in each slot.
    generations: Vec<u32>,
    /// Free slots; the last is used next.
    free: Vec<u32>,
    /// Scenes in order of creation.
    scenes: Vec<NodeId>,
    /// Pairs that may be merged.
    merge_candidates: VecDeque<(NodeId, NodeId)>,
}

impl MemoryTree {
    pub(crate) fn frame(&self) -> TreeFrame {
        TreeFrame {
            generations: self
                .arena
                .slots
                .iter()
                .map(|slot| slot.generation)
                .collect(),
            free: self.arena.free.clone(),
            scenes: self.arena.scenes.clone(),
            merge_candidates: self.merge_candidates.clone(),
        }
    }

    /// Assembles a stored tree from its parts; the result must be checked and indexed before use.
    pub(crate) fn assembled(
        frame: TreeFrame,
        nodes: Vec<(Node, Vec<f32>)>,
        dimension: usize,
    ) -> Result<Self, String> {
        let count = frame.generations.len();
        if count > limits::NODES_MAX {
            return Err(format!("{count} slots exceed {}", limits::NODES_MAX));
        }
        let slots = frame.generations.iter().map(|&generation| Slot {
            generation,
            node: None,
        });
        let mut tree = Self::new(dimension);
        tree.arena.slots = slots.collect();
        (tree.arena.free, tree.arena.scenes) = (frame.free, frame.scenes);
        tree.merge_candidates = frame.merge_candidates;
        if let Some(last) = u32::try_from(count).ok().and_then(|n| n.checked_sub(1)) {
            tree.vectors.set(last, &vec![0.0; dimension]);
        }
        for (node, vector) in nodes {
            let id = node.id;
            let slot = tree.arena.slots.get_mut(id.slot as usize);
            let slot = slot.filter(|slot| slot.node.is_none() && slot.generation == id.generation);
            let slot = slot.ok_or_else(|| format!("there is no free slot for node {id}"))?;
            tree.totals.tokens += node.tokens as usize;
            slot.node = Some(Arc::new(node));
            tree.vectors.set(id.slot, &vector);
        }
        Ok(tree)
    }
}
