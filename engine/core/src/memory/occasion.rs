//! Which scene a block of talk belongs to.
//!
//! ProStream 5.2 adds a block to the nearest scene. Vectors of people who talk to each other for
//! months are all near, so that rule makes one scene of them. Here a scene is one occasion: it ends
//! at a long pause, or where the theme changes for good.

use super::node::{Kind, Node, NodeId};
use super::tree::MemoryTree;
use crate::sense::Cause;
use crate::talk::{Distillate, Evidence, Moment, longest_pause_ms};

impl MemoryTree {
    /// The scene that a block continues; `None` if the block begins one.
    ///
    /// Compares the block with the latest statement held. Cost: O(N).
    pub(super) fn continued_scene(&self, block: &Distillate, cause: Cause) -> Option<NodeId> {
        if cause == Cause::Drift {
            return None;
        }
        let latest = self.of_kind(Kind::Unit).max_by_key(|unit| unit.said_ms)?;
        let scene = self.node(latest.parent?)?.parent?;
        let events = self.children(scene).map(|event| event.id);
        let held = events.flat_map(|event| self.children(event).map(moment));
        let silent_ms = begins(block).since(moment(latest));
        (silent_ms < longest_pause_ms(held)).then_some(scene)
    }
}

/// When a statement was said.
fn moment(unit: &Node) -> Moment {
    Moment {
        session_ms: unit.said_ms,
        unix_ms: unit.evidence.first().and_then(|item| item.said_at_unix_ms),
    }
}

/// When the first utterance of a block was said.
fn begins(block: &Distillate) -> Moment {
    let walls = block.event_evidence.iter();
    Moment {
        session_ms: block.said_ms,
        unix_ms: walls
            .filter_map(|item: &Evidence| item.said_at_unix_ms)
            .min(),
    }
}
