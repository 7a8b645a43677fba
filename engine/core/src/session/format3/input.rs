//! The journal of a session of image format 3.

use super::super::recovery::{Recorded, Recovery};
use super::super::{Budgets, Input, InputError, Session};
use crate::memory::{EvidenceV3, NodeId};
use crate::stream::{AudioSpan, StreamStart, Utterance};
use crate::talk::Evidence;
use crate::talk::{BlockId, BufferedUtterance, Distillate, DistilledUnit};
use crate::text::{Around, Salience};
use serde::Deserialize;
use weir_models::Terms;

/// One input of a journal of format 3.
#[derive(Deserialize)]
pub enum InputV3 {
    /// A stream begins.
    Begin(StreamStart),
    /// An utterance.
    Heard {
        /// The utterance.
        utterance: Utterance,
        /// Its vector.
        vector: Vec<f32>,
    },
    /// The recording pauses.
    Break {
        /// Wall time when it resumes.
        resumes_at_unix_ms: Option<i64>,
    },
    /// The input ended.
    Flush,
    /// A block was distilled.
    Mount(Box<DistillateV3>),
    /// Nodes were recalled.
    Recalled {
        /// The nodes.
        nodes: Vec<NodeId>,
        /// Session time of the question.
        session_ms: u64,
    },
    /// A unit is pinned or unpinned.
    Pin {
        /// The unit.
        node: NodeId,
        /// Whether it is pinned.
        pinned: bool,
    },
    /// The words of a unit are edited.
    Edit {
        /// The unit.
        node: NodeId,
        /// The new words.
        text: String,
        /// Their vector.
        vector: Vec<f32>,
    },
    /// New budgets.
    Budget(BudgetsV3),
    /// Everything derived from given utterances is erased.
    Erase(Box<ErasureV3>),
}

/// Budgets of format 3.
#[derive(Deserialize)]
pub struct BudgetsV3 {
    tokens: Option<usize>,
    bytes: Option<usize>,
    nodes: Option<usize>,
}

/// An erasure of format 3.
#[derive(Deserialize)]
pub struct ErasureV3 {
    utterances: Vec<(String, String)>,
    #[serde(rename = "units")]
    _units: Vec<NodeId>,
    #[serde(rename = "rewritten")]
    _rewritten: Vec<(NodeId, String, Vec<f32>)>,
    audio: Vec<AudioSpan>,
    untraced: u32,
}

/// A distillate of format 3.
#[derive(Deserialize)]
pub struct DistillateV3 {
    block: BlockId,
    #[serde(rename = "scene_label")]
    _scene_label: String,
    scene_vector: Vec<f32>,
    #[serde(rename = "event_text")]
    _event_text: String,
    event_vector: Vec<f32>,
    #[serde(rename = "event_speaker")]
    _event_speaker: Option<String>,
    event_evidence: Vec<EvidenceV3>,
    said_ms: u64,
    units: Vec<UnitV3>,
}

#[derive(Deserialize)]
struct UnitV3 {
    #[serde(rename = "text")]
    _text: String,
    speaker: Option<String>,
    evidence: Vec<EvidenceV3>,
    #[serde(rename = "salience")]
    _salience: f32,
    said_ms: u64,
    vector: Vec<f32>,
}

impl Recorded for InputV3 {
    fn apply_to(self, recovery: &mut Recovery) -> Result<(), InputError> {
        let input = match self {
            Self::Begin(start) => Input::Begin(start),
            Self::Heard { utterance, vector } => Input::heard(utterance, vector.into()),
            Self::Break { resumes_at_unix_ms } => Input::Break { resumes_at_unix_ms },
            Self::Flush => Input::Flush,
            Self::Mount(made) => return made.mount(recovery),
            // recalled nodes mean little for a tree that is rebuilt
            Self::Recalled { .. } => return Ok(()),
            Self::Pin { node, pinned } => Input::Pin { node, pinned },
            Self::Edit { node, text, vector } => Input::Edit {
                node,
                text,
                vector,
                terms: Terms::default(),
            },
            Self::Budget(budgets) => Input::Budget(Budgets {
                tokens: budgets.tokens,
                bytes: budgets.bytes,
                nodes: budgets.nodes,
                transcript_bytes: None,
            }),
            Self::Erase(old) => {
                recovery.erase(old.utterances, old.audio, old.untraced);
                return Ok(());
            }
        };
        input.apply_to(recovery)
    }
}

impl DistillateV3 {
    /// Mounts the same statements, verbatim, on the block that waits for them.
    fn mount(self, recovery: &mut Recovery) -> Result<(), InputError> {
        let named = |heard: &BufferedUtterance| {
            let proofs = self.event_evidence.iter();
            let mut proofs = proofs.chain(self.units.iter().flat_map(|unit| &unit.evidence));
            proofs.any(|item| {
                item.utterance == heard.utterance.id && item.stream == heard.utterance.stream
            })
        };
        recovery.recut(self.block, named)?;
        match self.migrated(recovery.session()) {
            Some(made) => recovery.apply(&Input::Mount(Box::new(made))),
            None => Ok(()),
        }
    }

    /// The distillate for the waiting block that contains the words.
    fn migrated(self, session: &Session) -> Option<Distillate> {
        let block = session.next_block()?;
        let source = |item: &EvidenceV3| {
            let mut heard = block.leading.iter().chain(&block.fresh);
            heard.find(|heard| {
                heard.utterance.id == item.utterance && heard.utterance.stream == item.stream
            })
        };
        let units = self.units.iter().filter_map(|unit| unit.migrated(&source));
        let events = block.fresh.iter().map(|heard| Evidence {
            share: 0.0,
            ..Evidence::of(heard, &heard.utterance.text)
        });
        Some(Distillate {
            block: self.block,
            scene_label: String::new(),
            scene_vector: self.scene_vector,
            event_text: String::new(),
            event_vector: self.event_vector,
            event_speaker: None,
            event_evidence: events.collect(),
            said_ms: self.said_ms,
            units: units.collect(),
            opinions: Vec::new(),
            facts: Vec::new(),
        })
    }
}

impl UnitV3 {
    fn migrated<'a>(
        &self,
        source: &impl Fn(&EvidenceV3) -> Option<&'a BufferedUtterance>,
    ) -> Option<DistilledUnit> {
        let words = |item: &EvidenceV3| {
            let heard = source(item)?;
            let start = heard.utterance.text.find(&item.quote)?;
            Some((heard, start..start + item.quote.len()))
        };
        let (heard, range) = words(self.evidence.first()?)?;
        let text = &heard.utterance.text[range];
        let asked = self.evidence.get(1).and_then(words);
        let mut evidence = vec![Evidence::of(heard, text)];
        evidence.extend(asked.clone().map(|(asker, range)| Evidence {
            verbatim: false,
            ..Evidence::of(asker, &asker.utterance.text[range])
        }));
        let around = Around {
            utterance: &heard.utterance.text,
            place: 0,
            statements: 1,
            answers: asked.is_some(),
            new_terms: &heard.new_terms,
            names: &[],
        };
        Some(DistilledUnit {
            text: text.to_owned(),
            retold: false,
            asked: asked.map(|(asker, range)| asker.utterance.text[range].to_owned()),
            speaker: self.speaker.clone(),
            salience: Salience::said(text, &around),
            evidence,
            said_ms: self.said_ms,
            vector: self.vector.clone(),
            terms: Terms::default(),
        })
    }
}
