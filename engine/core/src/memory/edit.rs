//! Edits of units by hand, and erasure of evidence with everything that quotes it.

use super::context::TreeContext;
use super::merge::{Words, proving};
use super::node::{Kind, Node, NodeId};
use super::pins::PinError;
use super::tree::MemoryTree;
use crate::analysis::Analysis;
use crate::mentions::Mentions;
use crate::talk::{Utterances, Wording};
use crate::vectors::normalise;
use std::collections::BTreeSet;
use weir_models::Terms;

/// A unit that keeps other evidence after an erasure, with its new words.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct UnitRewrite {
    /// The unit.
    pub node: NodeId,
    /// Its new words: those of remaining evidence.
    pub text: String,
    /// Ordinal of that evidence's utterance in the session.
    pub turn: u64,
    /// Their unit-length vector.
    pub vector: Vec<f32>,
    /// Their terms.
    pub terms: Terms,
    /// What was read from them. Stored after the input.
    #[serde(skip)]
    pub analysis: Analysis,
}

/// The new words of a unit, encoded.
#[derive(Clone, Copy)]
pub(crate) struct NewWords<'a> {
    pub(crate) text: &'a str,
    pub(crate) vector: &'a [f32],
    pub(crate) terms: &'a Terms,
    pub(crate) analysis: &'a Analysis,
}

/// Changes that an erasure made to the tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Erased {
    pub(crate) removed: usize,
    pub(crate) rewritten: usize,
    pub(crate) summaries: usize,
}

impl MemoryTree {
    /// The unit with this name.
    pub(crate) fn unit(&self, id: NodeId) -> Result<&Node, PinError> {
        let node = self.node(id).ok_or(PinError::NoUnit { id })?;
        let what = match node.kind {
            Kind::Unit => return Ok(node),
            Kind::Event => "an event",
            Kind::Scene => "a scene",
        };
        Err(PinError::NotAUnit { id, what })
    }

    /// Changes the words of a unit.
    pub(crate) fn reword(&mut self, id: NodeId, words: NewWords<'_>, ctx: &TreeContext<'_>) {
        let event = self.node(id).and_then(|unit| unit.parent);
        self.restate(id, words, ctx, |node| {
            node.edited = true;
            node.wording = Wording::Retold;
        });
        if let Some(event) = event {
            self.head(event, false, ctx);
        }
    }

    fn restate(
        &mut self,
        id: NodeId,
        words: NewWords<'_>,
        ctx: &TreeContext<'_>,
        change: impl FnOnce(&mut Node),
    ) {
        let NewWords {
            text,
            vector,
            terms,
            analysis,
        } = words;
        self.revise(id, ctx, |node| {
            let is_key = node.is_key();
            change(node);
            let said = std::mem::replace(&mut node.text, text.to_owned());
            node.asked = None;
            node.terms = terms.clone();
            let read = std::mem::take(&mut node.analysis);
            node.analysis = analysis.clone();
            // who said it may have got another name since the new words were read
            node.analysis.speaker = read.speaker;
            node.analysis.mentions = match is_key {
                true => Mentions::default(),
                false => read.mentions.moved(&said, text),
            };
            let before = Words {
                text: &said,
                content: &read.content,
            };
            let now = Words {
                text,
                content: &node.analysis.content,
            };
            for item in &mut node.evidence {
                *item = proving(item, before, now);
            }
        });
        self.vectors.set(id.slot, vector);
    }

    /// Erases every trace of given utterances: `gone` units are removed, `rewritten` ones lose that
    /// evidence and get new words; the summaries and labels above are rebuilt from what remains.
    pub(crate) fn erase(
        &mut self,
        utterances: &Utterances,
        gone: &[NodeId],
        rewritten: &[UnitRewrite],
        ctx: &TreeContext<'_>,
    ) -> Erased {
        let above = self.touched(utterances, gone, rewritten);
        let mut erased = Erased::default();
        for &id in gone {
            erased.removed += self.remove(id);
        }
        for unit in rewritten {
            let words = NewWords {
                text: &unit.text,
                vector: &unit.vector,
                terms: &unit.terms,
                analysis: &unit.analysis,
            };
            self.restate(unit.node, words, ctx, |node| {
                node.edited = false;
                node.evidence.retain(|item| !utterances.prove(item));
                // its words are those of remaining evidence, which must come first
                let source = node.evidence.iter().position(|item| item.turn == unit.turn);
                if let Some(at) = source {
                    node.evidence[..=at].rotate_right(1);
                }
                node.wording = Wording::Verbatim;
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

    /// Events with evidence from the utterances or above an affected unit, and all scenes: text
    /// that a model wrote about them may contain words of erased talk.
    fn touched(
        &self,
        utterances: &Utterances,
        gone: &[NodeId],
        rewritten: &[UnitRewrite],
    ) -> BTreeSet<NodeId> {
        let units = gone.iter().chain(rewritten.iter().map(|unit| &unit.node));
        let quoting = self
            .of_kind(Kind::Event)
            .filter(|event| event.evidence.iter().any(|item| utterances.prove(item)))
            .map(|event| event.id);
        let mut above: BTreeSet<NodeId> = self.scenes().map(|scene| scene.id).collect();
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

    /// Drops the words of an event or a scene, and recomputes its vector from its children; an
    /// event gets others.
    fn resummarise(&mut self, id: NodeId, utterances: &Utterances, ctx: &TreeContext<'_>) {
        let below: Vec<&Node> = self.children(id).collect();
        let mut mean = vec![0.0; self.dimension()];
        for child in &below {
            let row = self.vector(child.id);
            mean.iter_mut().zip(row).for_each(|(sum, x)| *sum += x);
        }
        normalise(&mut mean);
        let proof = below
            .iter()
            .find_map(|child| child.evidence.first())
            .cloned();
        self.revise(id, ctx, |node| {
            if node.kind == Kind::Scene {
                node.text.clear();
            }
            node.analysis = Analysis::default();
            node.speaker = None;
            node.evidence.retain(|item| !utterances.prove(item));
            if node.kind == Kind::Event && node.evidence.is_empty() {
                node.evidence.extend(proof);
            }
        });
        self.vectors.set(id.slot, &mean);
        self.head(id, true, ctx);
    }
}
