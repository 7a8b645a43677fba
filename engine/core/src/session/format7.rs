//! Sessions of image formats 5 to 7, whose distillates had neither opinions nor facts.

use super::EncoderStamp;
use super::body::Body;
use super::input::{Budgets, Erasure, Input, InputError};
use super::names::{Naming, SpeakerNames};
use super::recovery::{Recorded, Recovery};
use crate::config::SessionConfig;
use crate::memory::{MemoryTree, NodeId};
use crate::sense::SensingBuffer;
use crate::stream::{StreamStart, Utterance};
use crate::talk::{BlockId, Distillate, DistilledUnit, Evidence};
use serde::Deserialize;
use weir_models::Terms;

pub(super) type BodyV7 = Body<SessionConfig, EncoderStamp, SensingBuffer, MemoryTree, SpeakerNames>;

/// One input of a journal of these formats.
#[derive(Deserialize)]
pub enum InputV7 {
    /// A stream begins.
    Begin(StreamStart),
    /// An utterance.
    Heard {
        /// The utterance.
        utterance: Utterance,
        /// Its vector.
        vector: Vec<f32>,
        /// Its sparse terms.
        terms: Terms,
    },
    /// The recording pauses.
    Break {
        /// Wall time when it resumes.
        resumes_at_unix_ms: Option<i64>,
    },
    /// The input ended.
    Flush,
    /// A block was distilled.
    Mount(Box<DistillateV7>),
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
        /// Their terms.
        terms: Terms,
    },
    /// New budgets.
    Budget(Budgets),
    /// Everything derived from given utterances is erased.
    Erase(Box<Erasure>),
    /// The name of a speaker changes.
    Speaker(Box<Naming>),
}

/// A distillate of these formats.
#[derive(Deserialize)]
pub struct DistillateV7 {
    block: BlockId,
    scene_label: String,
    scene_vector: Vec<f32>,
    event_text: String,
    event_vector: Vec<f32>,
    event_speaker: Option<String>,
    event_evidence: Vec<Evidence>,
    said_ms: u64,
    units: Vec<DistilledUnit>,
}

impl Recorded for InputV7 {
    fn apply_to(self, recovery: &mut Recovery) -> Result<(), InputError> {
        let input = match self {
            Self::Begin(start) => Input::Begin(start),
            Self::Heard {
                utterance,
                vector,
                terms,
            } => Input::Heard {
                utterance,
                vector,
                terms,
            },
            Self::Break { resumes_at_unix_ms } => Input::Break { resumes_at_unix_ms },
            Self::Flush => Input::Flush,
            Self::Mount(made) => Input::Mount(Box::new((*made).into())),
            Self::Recalled { nodes, session_ms } => Input::Recalled { nodes, session_ms },
            Self::Pin { node, pinned } => Input::Pin { node, pinned },
            Self::Edit {
                node,
                text,
                vector,
                terms,
            } => Input::Edit {
                node,
                text,
                vector,
                terms,
            },
            Self::Budget(budgets) => Input::Budget(budgets),
            Self::Erase(erasure) => Input::Erase(erasure),
            Self::Speaker(naming) => Input::Speaker(naming),
        };
        input.apply_to(recovery)
    }
}

impl From<DistillateV7> for Distillate {
    fn from(old: DistillateV7) -> Self {
        Self {
            block: old.block,
            scene_label: old.scene_label,
            scene_vector: old.scene_vector,
            event_text: old.event_text,
            event_vector: old.event_vector,
            event_speaker: old.event_speaker,
            event_evidence: old.event_evidence,
            said_ms: old.said_ms,
            units: old.units,
            opinions: Vec::new(),
            facts: Vec::new(),
        }
    }
}
