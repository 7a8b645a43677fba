//! Sessions of image format 4, which had vectors and no terms.
//!
//! The converted session has no terms; a caller with a sparse encoder computes them
//! ([`super::Session::with_terms_of`]).

use super::body::Body;
use super::format3::StampV4;
use super::format5::ConfigV5;
use super::recovery::{Recorded, Recovery};
use super::{Budgets, Input, InputError};
use crate::memory::{NodeId, TreeV4};
use crate::sense::BufferV4;
use crate::stream::{AudioSpan, StreamStart, Utterance};
use crate::talk::Evidence;
use crate::talk::{BlockId, Distillate, DistilledUnit};
use serde::Deserialize;
use weir_models::{Encoded, Terms};

pub(super) type BodyV4 = Body<ConfigV5, StampV4, BufferV4, TreeV4>;

/// One input of a journal of format 4.
#[derive(Deserialize)]
pub enum InputV4 {
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
    Mount(Box<DistillateV4>),
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
    Budget(Budgets),
    /// Everything derived from given utterances is erased.
    Erase(Box<ErasureV4>),
}

/// A distillate of format 4.
#[derive(Deserialize)]
pub struct DistillateV4 {
    block: BlockId,
    scene_label: String,
    scene_vector: Vec<f32>,
    event_text: String,
    event_vector: Vec<f32>,
    event_speaker: Option<String>,
    event_evidence: Vec<Evidence>,
    said_ms: u64,
    units: Vec<UnitV4>,
}

#[derive(Deserialize)]
struct UnitV4 {
    text: String,
    retold: bool,
    asked: Option<String>,
    speaker: Option<String>,
    evidence: Vec<Evidence>,
    salience: f32,
    said_ms: u64,
    vector: Vec<f32>,
}

/// An erasure of format 4.
#[derive(Deserialize)]
pub struct ErasureV4 {
    utterances: Vec<(String, String)>,
    #[serde(rename = "units")]
    _units: Vec<NodeId>,
    #[serde(rename = "rewritten")]
    _rewritten: Vec<(NodeId, String, u64, Vec<f32>)>,
    #[serde(rename = "turns")]
    _turns: Vec<u64>,
    audio: Vec<AudioSpan>,
    untraced: u32,
}

impl Recorded for InputV4 {
    fn apply_to(self, recovery: &mut Recovery) -> Result<(), InputError> {
        let input = match self {
            Self::Begin(start) => Input::Begin(start),
            Self::Heard { utterance, vector } => Input::heard(utterance, Encoded::from(vector)),
            Self::Break { resumes_at_unix_ms } => Input::Break { resumes_at_unix_ms },
            Self::Flush => Input::Flush,
            Self::Mount(made) => Input::Mount(Box::new((*made).into())),
            Self::Recalled { nodes, session_ms } => Input::Recalled { nodes, session_ms },
            Self::Pin { node, pinned } => Input::Pin { node, pinned },
            Self::Edit { node, text, vector } => Input::Edit {
                node,
                text,
                vector,
                terms: Terms::default(),
            },
            Self::Budget(budgets) => Input::Budget(budgets),
            Self::Erase(old) => {
                recovery.erase(old.utterances, old.audio, old.untraced);
                return Ok(());
            }
        };
        input.apply_to(recovery)
    }
}

impl From<DistillateV4> for Distillate {
    fn from(old: DistillateV4) -> Self {
        let unit = |unit: UnitV4| DistilledUnit {
            text: unit.text,
            retold: unit.retold,
            asked: unit.asked,
            speaker: unit.speaker,
            evidence: unit.evidence,
            salience: unit.salience,
            said_ms: unit.said_ms,
            vector: unit.vector,
            terms: Terms::default(),
        };
        Self {
            block: old.block,
            scene_label: old.scene_label,
            scene_vector: old.scene_vector,
            event_text: old.event_text,
            event_vector: old.event_vector,
            event_speaker: old.event_speaker,
            event_evidence: old.event_evidence,
            said_ms: old.said_ms,
            units: old.units.into_iter().map(unit).collect(),
            opinions: Vec::new(),
            facts: Vec::new(),
        }
    }
}
