//! What a distiller read from the statements of a block beside the statements themselves: opinions
//! and facts about their speakers.

use super::evidence::Evidence;
use crate::limits;
use crate::text::{Doubt, FactSlot, ObjectKind, Sentiment};
use serde::{Deserialize, Serialize};

/// One opinion, as it was said: an observation for a belief (DAM-LLM 3.3.2).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DistilledOpinion {
    /// Whose opinion it is.
    pub holder: Option<String>,
    /// What it is about: "coffee".
    pub object: String,
    /// The kind of thing that is.
    pub kind: ObjectKind,
    /// Which side of it: "taste", or "general".
    pub aspect: String,
    /// Confidences of the polarities.
    pub sentiment: Sentiment,
    /// Strength of the evidence, `0.0..=3.0`.
    pub strength: f32,
    /// Why it does not count, if it does not.
    pub doubt: Option<Doubt>,
    /// The utterance; its part is the clause that gives the reason.
    pub evidence: Evidence,
    /// Session time when it was said.
    pub said_ms: u64,
    /// Unit-length vector of object and aspect; empty for a weak remark, which says something only
    /// of a belief that is held.
    pub vector: Vec<f32>,
}

impl DistilledOpinion {
    /// Whether it begins no belief.
    pub(crate) fn is_weak(&self) -> bool {
        self.vector.is_empty()
    }
}

/// The text that stands for an opinion in search: "taste of coffee".
#[must_use]
pub fn opinion_label(object: &str, aspect: &str) -> String {
    match aspect {
        limits::BELIEF_ASPECT_GENERAL | "" => object.to_owned(),
        aspect => format!("{aspect} of {object}"),
    }
}

/// One fact that a speaker said of themselves.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DistilledFact {
    /// Whom it is about: who said it.
    pub speaker: Option<String>,
    /// The heading that it stands under.
    pub slot: FactSlot,
    /// Empty. Builds that read values wrote here which of several things a value is of: "sister".
    pub about: String,
    /// The statement, word for word.
    pub value: String,
    /// False. Builds that read values set it where a statement only ended another fact.
    pub ended: bool,
    /// False. Builds that read values set it where the speaker said that something changed.
    pub changed: bool,
    /// Whether the speaker asked to remember it.
    pub wanted: bool,
    /// The utterance; its part is the clause that says so.
    pub evidence: Evidence,
    /// Session time when it was said.
    pub said_ms: u64,
    /// Unit-length vector of the statement.
    pub vector: Vec<f32>,
}
