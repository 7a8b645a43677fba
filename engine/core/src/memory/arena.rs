//! The nodes of the tree in slots, and how they hang together.
//!
//! A freed slot is reused under a new generation. Nodes are shared with earlier states of the
//! session until they change.

use super::chunked::Chunked;
use super::node::{Kind, Node, NodeId};
use std::sync::Arc;

/// A place for a node.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Slot {
    /// Number of earlier nodes in the slot.
    pub(super) generation: u32,
    pub(super) node: Option<Arc<Node>>,
}

/// All nodes, by slot.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Arena {
    pub(super) slots: Chunked<Slot>,
    /// Free slots; the last is used next.
    pub(super) free: Vec<u32>,
    /// Scenes in order of creation.
    pub(super) scenes: Vec<NodeId>,
}

impl Arena {
    /// Number of live nodes.
    pub(super) fn len(&self) -> usize {
        self.slots.len() - self.free.len()
    }

    /// The node in a slot.
    pub(super) fn at(&self, slot: u32) -> Option<&Node> {
        self.slots.get(slot as usize)?.node.as_deref()
    }

    /// The node with this id, if it still exists.
    pub(super) fn node(&self, id: NodeId) -> Option<&Node> {
        self.at(id.slot).filter(|node| node.id == id)
    }

    pub(super) fn node_mut(&mut self, id: NodeId) -> Option<&mut Node> {
        self.node(id)?;
        let slot = self.slots.get_mut(id.slot as usize)?;
        slot.node.as_mut().map(Arc::make_mut)
    }

    /// Changes every node, in slot order.
    pub(super) fn each_node(&mut self, change: impl FnMut(&mut Node)) {
        let nodes = self.slots.iter_mut().filter_map(|slot| slot.node.as_mut());
        nodes.map(Arc::make_mut).for_each(change);
    }

    /// Every node, in slot order.
    pub(super) fn nodes(&self) -> impl Iterator<Item = &Node> {
        self.slots.iter().filter_map(|slot| slot.node.as_deref())
    }

    /// Puts a node into a free slot and under its parent, which must be alive and one level up. The
    /// id in `node` is overwritten.
    pub(super) fn insert(&mut self, mut node: Node) -> NodeId {
        let slot = self.free.pop().unwrap_or_else(|| {
            self.slots.push(Slot::default());
            (self.slots.len() - 1) as u32
        });
        let place = &mut self.slots[slot as usize];
        let id = NodeId {
            slot,
            generation: place.generation,
        };
        node.id = id;
        let parent = node.parent;
        place.node = Some(Arc::new(node));
        match parent {
            None => self.scenes.push(id),
            Some(parent) => {
                let parent = self.node_mut(parent);
                debug_assert!(parent.is_some(), "a node's parent must be alive");
                if let Some(parent) = parent {
                    parent.children.push(id);
                }
            }
        }
        id
    }

    /// Takes a node out of its slot; its parent still lists it.
    pub(super) fn take(&mut self, id: NodeId) -> Option<Arc<Node>> {
        self.node(id)?;
        let slot = &mut self.slots[id.slot as usize];
        let node = slot.node.take()?;
        slot.generation = slot.generation.wrapping_add(1);
        self.free.push(id.slot);
        if node.kind == Kind::Scene {
            self.scenes.retain(|&scene| scene != id);
        }
        Some(node)
    }

    /// Checks that nodes are in their slots, and that free slots are free.
    ///
    /// # Errors
    /// The first inconsistency, as text.
    pub(super) fn check_parts(&self) -> Result<(), String> {
        for (at, slot) in self.slots.iter().enumerate() {
            let Some(node) = &slot.node else { continue };
            if node.id.slot as usize != at || node.id.generation != slot.generation {
                return Err(format!("{} is kept in slot {at}", node.id));
            }
            if !node.salience.is_finite() {
                return Err(format!("{} has salience {}", node.id, node.salience));
            }
        }
        let dead = |slot: &u32| {
            let slot = self.slots.get(*slot as usize);
            slot.is_some_and(|slot| slot.node.is_none())
        };
        match self.free.iter().all(dead) {
            true => Ok(()),
            false => Err("a slot is listed as free and is not".to_owned()),
        }
    }

    /// Checks that exactly the dead slots are free, each listed once.
    ///
    /// # Errors
    /// The inconsistency, as text.
    pub(super) fn check_free_slots(&self) -> Result<(), String> {
        let dead = self.slots.iter().filter(|slot| slot.node.is_none()).count();
        let mut free = self.free.clone();
        free.sort_unstable();
        free.dedup();
        if dead != self.free.len() || free.len() != dead {
            return Err(format!("{dead} dead slots, {} free", self.free.len()));
        }
        Ok(())
    }
}
