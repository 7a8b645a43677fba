//! Erasure on request: everything derived from given utterances, and the receipt.
//!
//! There are two steps, so that the session itself needs no encoder. [`Session::erasure`] finds
//! what to erase, and encodes the remaining text of units that were said more than once; the input
//! [`super::Input::Erase`] applies it. Words are removed from the tree, the raw talk, the summaries
//! and labels above them, and the word counts. The store erases the files (`Writer::erase`).

use super::{EncoderStamp, Erased, Erasure, InputError, Outcome, Session, SpeakerNames};
use crate::analysis::Term;
use crate::beliefs::BeliefId;
use crate::memory::{Kind, NodeId, UnitRewrite};
use crate::profile::FactId;
use crate::stream::{AudioSpan, spoken_line};
use crate::talk::Evidence;
use crate::talk::Utterances;
use crate::transcript::Transcript;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use weir_models::{Encode, EncodeError};

/// The target of an erasure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// A node of the tree, and every utterance that is evidence of it or of a unit below it.
    Node(NodeId),
    /// One utterance of a stream.
    Utterance {
        /// The stream's name.
        stream: String,
        /// The utterance's id in it.
        id: String,
    },
    /// Everything that a speaker said.
    Speaker(String),
    /// A belief, and every utterance in which it was observed.
    Belief(BeliefId),
    /// A fact of a profile, and every utterance that says it.
    Fact(FactId),
}

impl std::fmt::Display for Target {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Node(id) => write!(f, "node {id}"),
            Self::Utterance { stream, id } => write!(f, "utterance `{id}` of stream `{stream}`"),
            Self::Speaker(name) => write!(f, "speaker `{name}`"),
            Self::Belief(id) => write!(f, "belief {id}"),
            Self::Fact(id) => write!(f, "fact {id}"),
        }
    }
}

/// The utterances and nodes of the targets.
#[derive(Default)]
struct Traces {
    utterances: Utterances,
    /// Ordinals of utterances in the transcript.
    turns: BTreeSet<u64>,
    /// Units to erase whatever other evidence they have.
    named: BTreeSet<NodeId>,
    untraced: u32,
}

impl Traces {
    /// Numbers of utterances and of named units: they grow with each target that holds something.
    fn size(&self) -> (usize, usize) {
        (self.utterances.len(), self.named.len())
    }

    fn note<'a>(&mut self, proofs: impl IntoIterator<Item = &'a Evidence>) {
        for item in proofs {
            self.utterances.insert(&item.stream, &item.utterance);
        }
    }

    /// Adds the transcript's utterances of a target, whether memory holds them or not.
    fn note_kept(&mut self, target: &Target, transcript: &dyn Transcript, names: &SpeakerNames) {
        let kept = match target {
            // a node's utterances are known from its evidence
            Target::Node(_) | Target::Belief(_) | Target::Fact(_) => return,
            Target::Utterance { stream, id } => {
                transcript.find(&|s, utterance, _| s == stream && utterance == id)
            }
            Target::Speaker(name) => {
                let name = name.to_lowercase();
                transcript.find(&|_, _, speaker| {
                    speaker.is_some_and(|it| names.current(it).to_lowercase() == name)
                })
            }
        };
        for found in kept {
            self.turns.insert(found.turn);
            self.utterances.insert(&found.stream, &found.utterance);
        }
    }
}

/// A unit that keeps other evidence, with the words of that.
struct WordsLeft {
    node: NodeId,
    /// Ordinal of the remaining evidence's utterance.
    turn: u64,
    text: String,
}

/// Why nothing was erased.
#[derive(Debug, thiserror::Error)]
pub enum EraseError {
    /// The node does not exist.
    #[error("memory holds no node {id}; it was forgotten or never was")]
    NoNode {
        /// The node named.
        id: NodeId,
    },
    /// Memory holds nothing of the target.
    #[error("memory holds nothing of {what}; there is nothing to erase")]
    Nothing {
        /// The target.
        what: String,
    },
    /// The session has vectors of another encoder.
    #[error("the session has vectors of `{expected}`, not of `{found}`; open it with that encoder")]
    OtherEncoder {
        /// The session's.
        expected: String,
        /// The available encoder's.
        found: String,
    },
    /// The remaining text could not be encoded.
    #[error("encoding what is left failed")]
    Encode(#[from] EncodeError),
}

/// An erasure being planned.
struct ErasurePlan<'a> {
    session: &'a Session,
    encoder: Option<&'a dyn Encode>,
    transcript: Option<&'a dyn Transcript>,
    found: Traces,
}

impl ErasurePlan<'_> {
    fn of(mut self, targets: &[Target]) -> Result<Erasure, EraseError> {
        for target in targets {
            let before = self.found.size();
            self.trace(target)?;
            if let Some(transcript) = self.transcript {
                self.found
                    .note_kept(target, transcript, &self.session.names);
            }
            if before == self.found.size() {
                return Err(EraseError::Nothing {
                    what: target.to_string(),
                });
            }
        }
        self.planned()
    }

    fn trace(&mut self, target: &Target) -> Result<(), EraseError> {
        let (session, found) = (self.session, &mut self.found);
        match target {
            Target::Node(id) => {
                let node = session
                    .tree
                    .node(*id)
                    .ok_or(EraseError::NoNode { id: *id })?;
                let mut next = vec![node];
                while let Some(node) = next.pop() {
                    next.extend(session.tree.children(node.id));
                    found.note(&node.evidence);
                    if node.kind == Kind::Unit {
                        found.named.insert(node.id);
                        found.untraced += node.evidence_more;
                    }
                }
            }
            Target::Utterance { stream, id } => {
                let named = |s: &str, u: &str| s == stream && u == id;
                let mut raw = session.buffer.raw().map(|heard| &heard.utterance);
                if session
                    .evidence()
                    .any(|item| named(&item.stream, &item.utterance))
                    || raw.any(|said| named(&said.stream, &said.id))
                {
                    found.utterances.insert(stream, id);
                }
            }
            Target::Speaker(name) => self.trace_speaker(&name.to_lowercase()),
            Target::Belief(id) => {
                let of = session.beliefs.held().iter().filter(|it| it.id == *id);
                found.note(of.flat_map(|it| it.observations()).map(|it| &it.evidence));
            }
            Target::Fact(id) => {
                found.note(
                    session
                        .profiles
                        .fact(*id)
                        .iter()
                        .flat_map(|it| &it.evidence),
                );
            }
        }
        Ok(())
    }

    fn trace_speaker(&mut self, name: &str) {
        let (session, found) = (self.session, &mut self.found);
        let is =
            |speaker: &Option<String>| speaker.as_ref().is_some_and(|s| s.to_lowercase() == name);
        for node in session.tree.nodes() {
            if node.kind == Kind::Unit && is(&node.speaker) {
                found.named.insert(node.id);
                found.untraced += node.evidence_more;
            }
        }
        found.note(session.evidence().filter(|item| is(&item.speaker)));
        let raw = session.buffer.raw().map(|heard| &heard.utterance);
        for said in raw.filter(|said| is(&said.speaker)) {
            found.utterances.insert(&said.stream, &said.id);
        }
    }

    fn planned(&self) -> Result<Erasure, EraseError> {
        let found = &self.found;
        let of = |item: &Evidence| found.utterances.prove(item);
        let mut units: Vec<NodeId> = Vec::new();
        let mut left: Vec<WordsLeft> = Vec::new();
        for unit in self.session.tree.of_kind(Kind::Unit) {
            let touched = unit.evidence.iter().any(of);
            if !touched && !found.named.contains(&unit.id) {
                continue;
            }
            // the remaining text must be the speaker's own words, not the answered question
            let own = |item: &&Evidence| !of(item) && item.speaker == unit.speaker;
            let words = unit.evidence.iter().filter(own).find_map(|item| {
                let held = item.verbatim && !unit.is_key();
                let held = held.then(|| unit.text.clone());
                Some((item.turn, held.or_else(|| self.transcript?.quote(item))?))
            });
            match words {
                Some((turn, text)) if self.encoder.is_some() && !found.named.contains(&unit.id) => {
                    left.push(WordsLeft {
                        node: unit.id,
                        turn,
                        text,
                    });
                }
                _ => units.push(unit.id),
            }
        }
        let (mut turns, audio) = self.places_of(&found.utterances);
        turns.extend(&found.turns);
        Ok(Erasure {
            utterances: found.utterances.names().collect(),
            units,
            rewritten: self.rewritten(left)?,
            turns: turns.into_iter().collect(),
            audio,
            untraced: found.untraced,
        })
    }

    /// Units with the words of remaining evidence, encoded.
    fn rewritten(&self, left: Vec<WordsLeft>) -> Result<Vec<UnitRewrite>, EraseError> {
        let Some(encoder) = self.encoder else {
            return Ok(Vec::new());
        };
        let said = |left: &WordsLeft| {
            let unit = self.session.tree.node(left.node);
            spoken_line(unit.and_then(|unit| unit.speaker.as_deref()), &left.text)
        };
        let said: Vec<String> = left.iter().map(said).collect();
        let said: Vec<&str> = said.iter().map(String::as_str).collect();
        let found = encoder.encode_for_search(&said)?;
        let made = left.into_iter().zip(found);
        let made = made.map(|(left, found)| UnitRewrite {
            analysis: self
                .session
                .analyse_rewritten(left.node, left.turn, &left.text),
            node: left.node,
            text: left.text,
            turn: left.turn,
            vector: found.vector,
            terms: found.terms,
        });
        Ok(made.collect())
    }

    /// Places of utterances: their ordinals in the session, and their audio.
    fn places_of(&self, utterances: &Utterances) -> (BTreeSet<u64>, Vec<AudioSpan>) {
        let proofs = self
            .session
            .evidence()
            .filter(|item| utterances.prove(item));
        let raw = self.session.buffer.raw().filter(|heard| {
            let said = &heard.utterance;
            utterances.has(&said.stream, &said.id)
        });
        let mut turns = BTreeSet::new();
        let mut audio: Vec<AudioSpan> = Vec::new();
        for item in proofs {
            turns.insert(item.turn);
            audio.extend(item.audio.clone());
        }
        for heard in raw {
            turns.insert(heard.turn);
            audio.extend(heard.utterance.audio.clone());
        }
        audio.sort_by(|a, b| {
            (&a.file, a.span.start_ms, a.span.end_ms)
                .cmp(&(&b.file, b.span.start_ms, b.span.end_ms))
        });
        audio.dedup();
        (turns, audio)
    }
}

impl Session {
    /// Finds everything derived from the targets. Changes nothing; costs O(N), and encodes each
    /// unit that keeps other evidence. Without an encoder, or without the words of its other
    /// evidence, such a unit is erased too: to erase more than requested is better than to leave a
    /// trace.
    ///
    /// # Errors
    /// [`EraseError`] if a target does not exist, or the encoder is another one or fails.
    pub fn erasure(
        &self,
        targets: &[Target],
        encoder: Option<&dyn Encode>,
        transcript: Option<&dyn Transcript>,
    ) -> Result<Erasure, EraseError> {
        let stamp = encoder.map(EncoderStamp::of);
        if let Some(stamp) = stamp.filter(|stamp| *stamp != self.encoder) {
            return Err(EraseError::OtherEncoder {
                expected: self.encoder.name.clone(),
                found: stamp.name,
            });
        }
        let plan = ErasurePlan {
            session: self,
            encoder,
            transcript,
            found: Traces::default(),
        };
        plan.of(targets)
    }

    /// All evidence held: of nodes, beliefs and facts.
    fn evidence(&self) -> impl Iterator<Item = &Evidence> {
        let nodes = self.tree.nodes().flat_map(|node| &node.evidence);
        nodes
            .chain(self.beliefs.evidence())
            .chain(self.profiles.evidence())
    }

    /// Applies the result of [`Self::erasure`].
    pub(super) fn erase(&mut self, erasure: &Erasure) -> Result<Outcome, InputError> {
        for unit in &erasure.rewritten {
            self.check_vector(&unit.text, &unit.vector)?;
            self.tree.unit(unit.node)?;
        }
        for &id in &erasure.units {
            self.tree.unit(id)?;
        }
        let mut utterances = Utterances::default();
        for (stream, id) in &erasure.utterances {
            utterances.insert(stream, id);
        }
        let said = self.words_of(&utterances);
        let raw = self.buffer.erase(&utterances);
        for terms in said {
            self.rarity.forget(&terms);
        }
        let beliefs = Arc::make_mut(&mut self.beliefs).erase(&utterances);
        let facts = Arc::make_mut(&mut self.profiles).erase(&utterances);
        let (tree, ctx) = self.tree_and_context();
        let done = tree.erase(&utterances, &erasure.units, &erasure.rewritten, &ctx);
        let mut outcome = self.fitted();
        outcome.erased = Some(Erased {
            utterances: utterances.len(),
            raw: raw.len(),
            nodes: done.removed,
            rewritten: done.rewritten,
            summaries: done.summaries,
            beliefs,
            facts,
            passages: 0,
        });
        Ok(outcome)
    }

    /// The terms held of each utterance: all of them, or those of units.
    fn words_of(&self, utterances: &Utterances) -> Vec<Vec<Term>> {
        let mut words: BTreeMap<(&str, &str), Vec<Term>> = BTreeMap::new();
        for unit in self.tree.of_kind(Kind::Unit) {
            let first = unit.evidence.first().filter(|item| utterances.prove(item));
            if let Some(item) = first {
                let said = words.entry((&item.stream, &item.utterance)).or_default();
                said.extend(&unit.analysis.terms);
            }
        }
        for heard in self.buffer.raw() {
            let said = &heard.utterance;
            if utterances.has(&said.stream, &said.id) {
                words.insert((&said.stream, &said.id), heard.analysis.terms.clone());
            }
        }
        words.into_values().collect()
    }
}
