//! What a stream file says, as plain data: header, utterances, breaks and probes.
//!
//! Gold labels sit apart in [`Gold`], so that handing a question to the engine cannot hand them
//! over.

use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use weir_core::stream::Span;

/// The first line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Header {
    /// Name of the stream, as results and citations quote it.
    pub name: String,
    /// Wall time of stream time 0 in Unix milliseconds; `None` where unknown.
    pub started_at_unix_ms: Option<i64>,
}

/// One line after the header.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Item {
    /// Something was said.
    Utterance(Line),
    /// The recording pauses at the largest end so far.
    Break {
        /// Wall time at which it goes on, in Unix milliseconds; `None` where unknown.
        started_at_unix_ms: Option<i64>,
    },
    /// A question is asked here.
    Probe(Probe),
}

/// One utterance as the file gives it: it has text, or audio, or both.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// Unique in the file.
    pub id: String,
    /// Who speaks; `None` when that is to be found from the voice.
    pub speaker: Option<String>,
    /// When, in stream time.
    pub span: Span,
    /// Where it can be heard; then the words come from recognition and `text` is a reference.
    pub audio: Option<LineAudio>,
    /// The words; `None` and empty text are the same.
    pub text: Option<String>,
}

/// The seconds of an audio file that a line stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineAudio {
    /// The path as the stream file gives it, which is how citations name it.
    pub named: String,
    /// The file to open; checked to lie inside the stream file's folder.
    pub path: PathBuf,
    /// Where in that file.
    pub span: Span,
}

/// A question and, apart from it, what would be right.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Probe {
    /// Unique among the file's probes.
    pub id: String,
    /// The question.
    pub question: String,
    /// Who asks, where known.
    pub asked_by: Option<String>,
    /// The labels; they never reach the engine.
    pub gold: Gold,
}

/// Gold labels of a probe.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Gold {
    /// The right answer; `None` in an adversarial probe means "not in the stream".
    pub answer: Option<String>,
    /// Ids of the utterances that prove it, all of them above the probe.
    pub evidence: Vec<String>,
    /// Kind of question, where labelled.
    pub category: Option<Category>,
}

impl Gold {
    /// Whether nothing answers the question, or it presumes what is not so.
    #[must_use]
    pub fn is_adversarial(&self) -> bool {
        self.category == Some(Category::Adversarial)
    }
}

/// Kinds of question (STEM-Bench's).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Category {
    /// One utterance answers it.
    SingleHop,
    /// Nothing answers it, or it presumes what is not so.
    Adversarial,
    /// Needs knowledge from outside.
    OpenDomain,
    /// Several utterances together answer it.
    MultiHop,
    /// Sets two things side by side.
    Comparative,
    /// Collects or counts.
    Aggregative,
    /// Asks when, or in what order.
    Temporal,
}

impl Category {
    /// All of them, in the order the format lists them.
    pub const ALL: [Self; 7] = [
        Self::SingleHop,
        Self::Adversarial,
        Self::OpenDomain,
        Self::MultiHop,
        Self::Comparative,
        Self::Aggregative,
        Self::Temporal,
    ];

    /// Its name in a stream file.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::SingleHop => "single-hop",
            Self::Adversarial => "adversarial",
            Self::OpenDomain => "open-domain",
            Self::MultiHop => "multi-hop",
            Self::Comparative => "comparative",
            Self::Aggregative => "aggregative",
            Self::Temporal => "temporal",
        }
    }

    /// The category of that name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|known| known.name() == name)
    }
}
