//! Mounts a distillate in the tree: scene, event, novelty check, reinforcement, budget.

use super::context::TreeContext;
use super::heading;
use super::merge::{Said, Words, proving, same_claim};
use super::nearest::Near;
use super::node::{Kind, Node, NodeId};
use super::tree::{MemoryTree, label_tokens};
use crate::analysis::Analysis;
use crate::config::BoundaryPolicy;
use crate::limits;
use crate::sense::Cause;
use crate::talk::{Distillate, DistilledUnit};
use crate::talk::{Evidence, Wording};
use weir_models::Terms;

/// Changes made by mounting a distillate.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct MountCounts {
    /// New units.
    pub inserted: usize,
    /// Units that reinforced existing ones.
    pub reinforced: usize,
    /// Nodes merged to save tokens.
    pub merged: usize,
    /// Units reduced to key words to save tokens; the transcript keeps their words.
    pub keyed: usize,
    /// Nodes pruned to stay under the budget, including emptied parents.
    pub pruned: usize,
    /// Units unpinned because pinned units alone exceeded a budget.
    pub unpinned: usize,
}

impl MemoryTree {
    /// Mounts a distillate (ProStream 5.2), whose block begins for this `cause`, and enforces the
    /// budget (5.3).
    ///
    /// A known unit reinforces the one it repeats. An event without new units gets no node, since
    /// its utterances become evidence of the units they repeat. Afterwards `tokens() <=
    /// budget_tokens`.
    pub(crate) fn mount(
        &mut self,
        distillate: &Distillate,
        cause: Cause,
        ctx: &TreeContext<'_>,
    ) -> MountCounts {
        Mounting {
            tree: self,
            ctx,
            distillate,
            cause,
        }
        .run()
    }
}

/// A distillate being mounted.
struct Mounting<'t, 'c> {
    tree: &'t mut MemoryTree,
    ctx: &'c TreeContext<'c>,
    distillate: &'c Distillate,
    cause: Cause,
}

impl Mounting<'_, '_> {
    fn run(mut self) -> MountCounts {
        let distillate = self.distillate;
        let mut mounted = MountCounts::default();
        let mut event = None;
        let vectors: Vec<&[f32]> = distillate.units.iter().map(|u| &u.vector[..]).collect();
        let before = self.tree.nearest_held(&vectors);
        let mut added: Vec<NodeId> = Vec::new();
        for (unit, before) in distillate.units.iter().zip(before) {
            let near = self.tree.still_nearest(before, &added, &unit.vector);
            if let Some(known) = near.and_then(|near| self.known(unit, near)) {
                self.reinforce(known, unit);
                mounted.reinforced += 1;
                continue;
            }
            let event = *event.get_or_insert_with(|| self.open_event());
            added.push(self.insert_unit(event, unit, near));
            mounted.inserted += 1;
        }
        let fitted = self.tree.enforce_budget(self.ctx);
        mounted.merged = fitted.merged;
        mounted.keyed = fitted.keyed;
        mounted.pruned = fitted.pruned;
        mounted.unpinned = fitted.unpinned;
        mounted
    }

    /// The nearest unit, if it already has the content of `unit`.
    fn known(&self, unit: &DistilledUnit, (id, cosine): Near) -> Option<NodeId> {
        let config = self.ctx.config;
        let said = Said {
            speaker: unit.speaker.as_deref(),
            figures: unit.analysis.figures,
        };
        let same = self.tree.node(id);
        let same = same.is_some_and(|node| same_claim(Said::of(node), said, config));
        (cosine >= config.profile.novelty_cosine && same).then_some(id)
    }

    /// Adds evidence to a known unit. Repeating the same utterance changes nothing.
    fn reinforce(&mut self, id: NodeId, unit: &DistilledUnit) {
        let mut new = false;
        let said = Words {
            text: &unit.text,
            content: &unit.analysis.content,
        };
        self.tree.amend(id, |node| {
            for item in &unit.evidence {
                let item = proving(item, said, Words::of(node));
                new |= node.add_evidence(item);
            }
        });
        if new {
            self.tree.touch(id, self.ctx.now_ms);
        }
    }

    fn open_event(&mut self) -> NodeId {
        let distillate = self.distillate;
        let scene = self.scene();
        let quoted = distillate.event_evidence.first();
        let quoted = distillate.units.iter().filter(|unit| {
            let proof = unit.evidence.first().zip(quoted);
            proof.is_some_and(|(item, quoted)| item.same_utterance(quoted))
        });
        let salience = quoted.map(|unit| unit.salience).reduce(f32::max);
        let event = self.add(
            Draft {
                kind: Kind::Event,
                parent: Some(scene),
                text: heading::mounted(distillate, self.ctx),
                asked: None,
                wording: Wording::Retold,
                speaker: distillate.event_speaker.clone(),
                evidence: distillate.event_evidence.clone(),
                salience: salience.unwrap_or_default(),
                said_ms: distillate.said_ms,
                terms: Terms::default(),
                analysis: Analysis::default(),
            },
            &distillate.event_vector,
        );
        let siblings = self.tree.children(scene).filter(|node| node.id != event);
        let sibling = self.tree.nearest_of(siblings, &distillate.event_vector);
        if let Some((id, _)) = sibling.filter(|s| s.1 > self.ctx.config.profile.merge_cosine) {
            self.tree.remember_merge(id, event);
        }
        event
    }

    /// The scene of the event: under the paper's policy the nearest one, else the one that the
    /// block continues; or a new one.
    fn scene(&mut self) -> NodeId {
        let (distillate, config) = (self.distillate, self.ctx.config);
        let vector = &distillate.scene_vector;
        let known = match config.boundary {
            BoundaryPolicy::Paper => {
                let nearest = self.tree.nearest_of(self.tree.scenes(), vector);
                let near = nearest.filter(|near| near.1 >= config.profile.scene_cosine);
                near.map(|(scene, _)| scene)
            }
            BoundaryPolicy::Adaptive => self.tree.continued_scene(distillate, self.cause),
        };
        let Some(scene) = known else {
            return self.new_scene();
        };
        self.tree.pull_centroid(scene, vector);
        match config.boundary {
            BoundaryPolicy::Paper => self.join_scenes(scene),
            BoundaryPolicy::Adaptive => scene,
        }
    }

    fn new_scene(&mut self) -> NodeId {
        let distillate = self.distillate;
        self.add(
            Draft {
                kind: Kind::Scene,
                parent: None,
                text: distillate.scene_label.clone(),
                asked: None,
                wording: Wording::Retold,
                speaker: None,
                evidence: Vec::new(),
                salience: 0.0,
                said_ms: distillate.said_ms,
                terms: Terms::default(),
                analysis: distillate.scene_analysis.clone(),
            },
            &distillate.scene_vector,
        )
    }

    /// Merges a changed scene with another of the same theme, if there is one; returns the
    /// remaining one.
    fn join_scenes(&mut self, moved: NodeId) -> NodeId {
        let (tree, config) = (&mut *self.tree, self.ctx.config);
        let others = tree.scenes().filter(|scene| scene.id != moved);
        let nearest = tree.nearest_of(others, tree.vector(moved));
        let Some((other, _)) = nearest.filter(|(id, _)| tree.may_merge(moved, *id, config)) else {
            return moved;
        };
        tree.merge(moved, other);
        if tree.node(moved).is_some() {
            moved
        } else {
            other
        }
    }

    fn insert_unit(&mut self, event: NodeId, unit: &DistilledUnit, near: Option<Near>) -> NodeId {
        let id = self.add(
            Draft {
                kind: Kind::Unit,
                parent: Some(event),
                text: unit.text.clone(),
                asked: unit.asked.clone(),
                wording: unit.wording(),
                speaker: unit.speaker.clone(),
                evidence: unit.evidence.clone(),
                salience: unit.salience,
                said_ms: unit.said_ms,
                terms: unit.terms.clone(),
                analysis: unit.analysis.clone(),
            },
            &unit.vector,
        );
        if let Some((other, _)) = near.filter(|near| near.1 > self.ctx.config.profile.merge_cosine)
        {
            self.tree.remember_merge(other, id);
        }
        id
    }

    fn add(&mut self, draft: Draft, vector: &[f32]) -> NodeId {
        let counter = self.ctx.counter;
        let mut node = draft.into_node(self.ctx.now_ms);
        node.label_tokens = label_tokens(&node, counter);
        node.tokens = counter.count(&node.counted_text()) as u32;
        node.heard_tokens = counter.count(&node.text) as u32 + node.label_tokens;
        self.tree.insert(node, vector)
    }
}

/// Initial values of a new node.
struct Draft {
    kind: Kind,
    parent: Option<NodeId>,
    text: String,
    asked: Option<String>,
    wording: Wording,
    speaker: Option<String>,
    evidence: Vec<Evidence>,
    salience: f32,
    said_ms: u64,
    terms: Terms,
    analysis: Analysis,
}

impl Draft {
    fn into_node(self, now_ms: u64) -> Node {
        let (mut evidence, mut more) = (self.evidence, 0);
        if evidence.len() > limits::EVIDENCE_ITEMS_MAX {
            more = (evidence.len() - limits::EVIDENCE_ITEMS_MAX) as u32;
            evidence.truncate(limits::EVIDENCE_ITEMS_MAX);
        }
        let mut node = Node {
            id: NodeId {
                slot: 0,
                generation: 0,
            },
            kind: self.kind,
            parent: self.parent,
            children: Vec::new(),
            text: self.text,
            asked: self.asked,
            analysis: Analysis::default(),
            pinned: false,
            edited: false,
            wording: self.wording,
            speaker: self.speaker,
            evidence,
            evidence_more: more,
            // a faulty distiller must not create an image that cannot be read
            salience: match self.salience.is_finite() {
                true => self.salience,
                false => 0.0,
            },
            said_ms: self.said_ms,
            tokens: 0,
            label_tokens: 0,
            begins_line: false,
            heard_tokens: 0,
            terms: self.terms,
            frequency: 0,
            last_access_ms: now_ms,
        };
        node.analysis = self.analysis;
        node
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_salience_that_is_no_number_is_none() {
        for salience in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
            let draft = Draft {
                kind: Kind::Scene,
                parent: None,
                text: String::new(),
                asked: None,
                wording: Wording::Retold,
                speaker: None,
                evidence: Vec::new(),
                salience,
                said_ms: 0,
                terms: Terms::default(),
                analysis: Analysis::default(),
            };
            assert_eq!(draft.into_node(0).salience.to_bits(), 0);
        }
    }
}
