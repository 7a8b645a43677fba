//! What goes into a distiller and what comes out: blocks and distillates.
//!
//! A block is owned by the session until it is mounted; a distillate is a proposal that the tree
//! checks again when it is mounted. Both are plain data, so that any thread may hold them.

use super::buffered_utterance::BufferedUtterance;
use super::evidence::{Evidence, Wording};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use weir_models::Terms;

/// Names a block within its session; counts up from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct BlockId(pub u64);

/// Utterances that were cut together and wait to be distilled.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Block {
    /// Its name.
    pub id: BlockId,
    /// Utterances before it, for reading only.
    pub leading: Vec<BufferedUtterance>,
    /// The new utterances, at least one.
    pub fresh: Vec<BufferedUtterance>,
}

/// One statement a distiller proposes to keep.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DistilledUnit {
    /// The statement: a contiguous part of the utterance of its first proof.
    pub text: String,
    /// Whether a model told it in other words; journals of earlier builds hold such units.
    pub retold: bool,
    /// The question that it answers, word for word; its utterance is the second proof.
    pub asked: Option<String>,
    /// Who made it.
    pub speaker: Option<String>,
    /// Its proof, at least one item.
    pub evidence: Vec<Evidence>,
    /// What it says by itself.
    pub salience: f32,
    /// Session time when it was said.
    pub said_ms: u64,
    /// Its unit-length vector.
    pub vector: Vec<f32>,
    /// What a sparse encoder finds it by; empty where none was at hand.
    pub terms: Terms,
}

impl DistilledUnit {
    /// How its words stand to what was said.
    #[must_use]
    pub fn wording(&self) -> Wording {
        match self.retold {
            true => Wording::Retold,
            false => Wording::Verbatim,
        }
    }

    /// Its words with the question before them, as they are counted and encoded.
    #[must_use]
    pub fn said(&self) -> Cow<'_, str> {
        match &self.asked {
            Some(asked) => Cow::Owned(format!("({asked}) {}", self.text)),
            None => Cow::Borrowed(&self.text),
        }
    }
}

/// What a distiller made of a block: one event, a label for a scene of its own, and units.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Distillate {
    /// The block it was made from.
    pub block: BlockId,
    /// Label of the scene where a model wrote one, should no scene of the tree suit; else empty.
    pub scene_label: String,
    /// Vector of the block's theme, for finding its scene.
    pub scene_vector: Vec<f32>,
    /// The event's summary where a model wrote one, else empty.
    pub event_text: String,
    /// Its vector.
    pub event_vector: Vec<f32>,
    /// Its speaker, where the whole event is one person's.
    pub event_speaker: Option<String>,
    /// The event's proof, at least one item.
    pub event_evidence: Vec<Evidence>,
    /// Session time of the block's first utterance.
    pub said_ms: u64,
    /// The units, in the order said.
    pub units: Vec<DistilledUnit>,
}
