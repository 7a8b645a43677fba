//! Units changed by hand: words set right, proofs erased with everything that quotes them.

use super::merge::carried_by;
use super::mount::MountContext;
use super::node::{Kind, Node, NodeId};
use super::normalise;
use super::pins::PinError;
use super::tree::MemoryTree;
use crate::distil::{headline, label};
use crate::text::{Claim, Detail};
use std::collections::BTreeSet;

/// Names of utterances: `(stream, id)`.
pub(crate) type Utterances = BTreeSet<(String, String)>;

/// A unit that keeps a proof when another is erased: it says what is left.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Rewritten {
    /// The unit.
    pub node: NodeId,
    /// Its words from now on.
    pub text: String,
    /// Their unit-length vector.
    pub vector: Vec<f32>,
}

/// What an erasure did to the tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Erased {
    pub(crate) removed: usize,
    pub(crate) rewritten: usize,
    pub(crate) summaries: usize,
}

impl MemoryTree {
    /// The unit of that name.
    pub(crate) fn unit(&self, id: NodeId) -> Result<&Node, PinError> {
        self.node(id)
            .filter(|node| node.kind == Kind::Unit)
            .ok_or(PinError::NoUnit { id })
    }

    /// Gives a unit other words, and settles the facts it stated before and states now.
    pub(crate) fn reword(
        &mut self,
        id: NodeId,
        text: &str,
        vector: &[f32],
        ctx: &MountContext<'_>,
    ) {
        self.restate(id, text, vector, ctx, |node| node.edited = true);
    }

    fn restate(
        &mut self,
        id: NodeId,
        text: &str,
        vector: &[f32],
        ctx: &MountContext<'_>,
        change: impl FnOnce(&mut Node),
    ) {
        self.unsettle(id, ctx);
        let mut claims: Vec<Claim> = Vec::new();
        self.revise(id, ctx, |node| {
            change(node);
            claims.extend(node.claim.take());
            text.clone_into(&mut node.text);
            node.detail = Detail::Whole;
            node.superseded = None;
            node.claim = Claim::read(text, node.speaker.as_deref());
            claims.extend(node.claim.clone());
            for item in &mut node.evidence {
                *item = carried_by(item, text);
            }
        });
        self.vectors.set(id.slot, vector);
        for claim in claims {
            self.settle(&claim, ctx);
        }
    }

    /// Erases every trace of some utterances: `gone` units go, `rewritten` ones lose those proofs
    /// and say what is left; the summaries and labels above are made anew from what stays.
    pub(crate) fn erase(
        &mut self,
        utterances: &Utterances,
        gone: &[NodeId],
        rewritten: &[Rewritten],
        ctx: &MountContext<'_>,
    ) -> Erased {
        let above = self.touched(utterances, gone, rewritten);
        let mut erased = Erased::default();
        for &id in gone {
            self.unsettle(id, ctx);
            let claim = self.node(id).and_then(|node| node.claim.clone());
            erased.removed += self.remove(id);
            if let Some(claim) = claim {
                self.settle(&claim, ctx);
            }
        }
        for unit in rewritten {
            self.restate(unit.node, &unit.text, &unit.vector, ctx, |node| {
                node.edited = false;
                node.evidence.retain(|item| !is_of(item, utterances));
            });
            erased.rewritten += 1;
        }
        for kind in [Kind::Event, Kind::Scene] {
            for &id in &above {
                if self.node(id).is_some_and(|node| node.kind == kind) {
                    self.resummarise(id, utterances, ctx);
                    erased.summaries += 1;
                }
            }
        }
        erased
    }

    /// Events and scenes that quote the utterances or hold a unit that does.
    fn touched(
        &self,
        utterances: &Utterances,
        gone: &[NodeId],
        rewritten: &[Rewritten],
    ) -> BTreeSet<NodeId> {
        let units = gone.iter().chain(rewritten.iter().map(|unit| &unit.node));
        let quoting = self
            .of_kind(Kind::Event)
            .filter(|event| event.evidence.iter().any(|item| is_of(item, utterances)))
            .map(|event| event.id);
        let mut above = BTreeSet::new();
        for id in units.copied().chain(quoting) {
            let mut next = Some(id);
            while let Some(node) = next.and_then(|id| self.node(id)) {
                if node.kind != Kind::Unit {
                    above.insert(node.id);
                }
                next = node.parent;
            }
        }
        above
    }

    /// Makes an event's summary or a scene's label anew from what is below it, its vector too.
    fn resummarise(&mut self, id: NodeId, utterances: &Utterances, ctx: &MountContext<'_>) {
        let below: Vec<&Node> = self.children(id).collect();
        let mut mean = vec![0.0; self.dimension()];
        for child in &below {
            let row = self.vector(child.id);
            mean.iter_mut().zip(row).for_each(|(sum, x)| *sum += x);
        }
        normalise(&mut mean);
        let telling = below
            .iter()
            .max_by(|a, b| a.salience.total_cmp(&b.salience).then(b.id.cmp(&a.id)));
        let Some(telling) = telling else { return };
        let is_event = telling.kind == Kind::Unit;
        let proof: Vec<_> = telling.evidence.first().cloned().into_iter().collect();
        let text = if is_event {
            headline(telling.verbatim())
        } else {
            let said: Vec<&str> = below
                .iter()
                .flat_map(|event| self.children(event.id))
                .map(Node::verbatim)
                .collect();
            label(&said.join(" "))
        };
        self.revise(id, ctx, |node| {
            node.text = text;
            node.detail = Detail::Whole;
            if is_event {
                node.evidence.retain(|item| !is_of(item, utterances));
                if node.evidence.is_empty() {
                    node.evidence = proof;
                }
            }
        });
        self.vectors.set(id.slot, &mean);
    }
}

/// Whether a proof is one of some utterances.
pub(crate) fn is_of(item: &super::node::Evidence, utterances: &Utterances) -> bool {
    // a set of owned pairs cannot be asked with borrowed ones
    utterances
        .iter()
        .any(|(stream, id)| *stream == item.stream && *id == item.utterance)
}
