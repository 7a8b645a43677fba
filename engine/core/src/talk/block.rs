//! Input and output of a distiller: blocks and distillates.
//!
//! The session owns a block until it is mounted. A distillate is a proposal that the tree checks
//! again when mounting. Both are plain data, so any thread may hold them.

use super::buffered_utterance::BufferedUtterance;
use super::evidence::{Evidence, Wording};
use super::observed::{DistilledFact, DistilledOpinion};
use crate::analysis::Analysis;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use weir_models::Terms;

/// Stands before the key words of an event, which a title written by a model does not have.
pub const KEYS_MARK: &str = "· ";

/// Id of a block within its session; counts up from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct BlockId(pub u64);

/// Utterances that were cut together and wait to be distilled.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Block {
    /// Its id.
    pub id: BlockId,
    /// Utterances before it, as context only.
    pub leading: Vec<BufferedUtterance>,
    /// The new utterances, at least one.
    pub fresh: Vec<BufferedUtterance>,
}

/// One statement a distiller proposes to keep.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DistilledUnit {
    /// The statement: a contiguous part of the utterance of its first evidence item.
    pub text: String,
    /// Whether a model rewrote it; journals of earlier builds have such units.
    pub retold: bool,
    /// The question that it answers, verbatim; its utterance is the second evidence item.
    pub asked: Option<String>,
    /// Its speaker.
    pub speaker: Option<String>,
    /// Its evidence, at least one item.
    pub evidence: Vec<Evidence>,
    /// Salience of the statement itself.
    pub salience: f32,
    /// Session time when it was said.
    pub said_ms: u64,
    /// Its unit-length vector.
    pub vector: Vec<f32>,
    /// Its sparse terms; empty without a sparse encoder.
    pub terms: Terms,
    /// What was read from it. Stored after the input.
    #[serde(skip)]
    pub analysis: Analysis,
}

impl DistilledUnit {
    /// How its words relate to what was said.
    #[must_use]
    pub fn wording(&self) -> Wording {
        match self.retold {
            true => Wording::Retold,
            false => Wording::Verbatim,
        }
    }

    /// Its words after the question it answers, as counted and encoded.
    #[must_use]
    pub fn said(&self) -> Cow<'_, str> {
        match &self.asked {
            Some(asked) => Cow::Owned(format!("({asked}) {}", self.text)),
            None => Cow::Borrowed(&self.text),
        }
    }
}

/// The result of distilling a block: one event, a label for a possible new scene, and units.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Distillate {
    /// The block it was made from.
    pub block: BlockId,
    /// A label written by a model for a new scene, else empty.
    pub scene_label: String,
    /// Vector of the block's theme, used to find its scene.
    pub scene_vector: Vec<f32>,
    /// The event's words: behind [`KEYS_MARK`] those of which some become its key words, or the
    /// title that a model wrote. What was said heads the event: the first item of its evidence.
    pub event_text: String,
    /// Its vector.
    pub event_vector: Vec<f32>,
    /// Its speaker, if all of the event is by one person.
    pub event_speaker: Option<String>,
    /// The event's evidence, at least one item.
    pub event_evidence: Vec<Evidence>,
    /// Session time of the block's first utterance.
    pub said_ms: u64,
    /// The units, in the order said.
    pub units: Vec<DistilledUnit>,
    /// The opinions in them, in the order said.
    pub opinions: Vec<DistilledOpinion>,
    /// The facts in them that speakers said of themselves, in the order said.
    pub facts: Vec<DistilledFact>,
    /// What was read from the summary. Stored after the input, as is the next.
    #[serde(skip)]
    pub event_analysis: Analysis,
    /// What was read from the label.
    #[serde(skip)]
    pub scene_analysis: Analysis,
}
