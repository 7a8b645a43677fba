//! The content of a stream file as plain data: header, utterances, breaks and probes.
//!
//! Gold labels are kept separately in [`Gold`], so that passing a question to the engine cannot
//! pass them too.

use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use weir_core::stream::Span;

/// The first line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Header {
    /// Name of the stream in results and citations.
    pub name: String,
    /// Wall time of stream time 0 in Unix milliseconds; `None` if unknown.
    pub started_at_unix_ms: Option<i64>,
    /// The time zone of its questions: what "yesterday" means, and which dates are shown; `None`
    /// for UTC.
    pub zone: Option<TimeZone>,
}

/// One line after the header.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Item {
    /// An utterance.
    Utterance(Line),
    /// The recording pauses at the largest end so far.
    Break {
        /// Wall time when it resumes, in Unix milliseconds; `None` if unknown.
        started_at_unix_ms: Option<i64>,
    },
    /// A question at this position.
    Probe(Probe),
}

/// One utterance as in the file: with text, or audio, or both.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// Unique in the file.
    pub id: String,
    /// The speaker; `None` if it must be recognised from the voice.
    pub speaker: Option<String>,
    /// Its span in stream time.
    pub span: Span,
    /// Its audio, if any; then the words are recognised and `text` is the reference.
    pub audio: Option<LineAudio>,
    /// The words; `None` and empty text are the same.
    pub text: Option<String>,
}

/// The span of an audio file that belongs to a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineAudio {
    /// The path as in the stream file, which citations use.
    pub named: String,
    /// The file to open; checked to be inside the stream file's folder.
    pub path: PathBuf,
    /// Position in that file.
    pub span: Span,
}

/// A question and, separately, its gold labels.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Probe {
    /// Unique among the file's probes.
    pub id: String,
    /// The question.
    pub question: String,
    /// The asker, if known.
    pub asked_by: Option<String>,
    /// The gold labels; they never reach the engine.
    pub gold: Gold,
}

/// Gold labels of a probe; as JSON its answer and evidence: lines of results have the category
/// beside them.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Gold {
    /// The right answer; `None` in an adversarial probe means "not in the stream".
    pub answer: Option<String>,
    /// Ids of its evidence; all utterances are above the probe.
    pub evidence: Vec<String>,
    /// Kind of question, if labelled.
    #[serde(skip)]
    pub category: Option<Category>,
}

impl Gold {
    /// Whether nothing answers the question, or its premise is false.
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
    /// Nothing answers it, or its premise is false.
    Adversarial,
    /// Needs external knowledge.
    OpenDomain,
    /// Several utterances together answer it.
    MultiHop,
    /// Compares two things.
    Comparative,
    /// Collects or counts.
    Aggregative,
    /// Asks when, or in what order.
    Temporal,
}

impl Category {
    /// All categories, in the order of the format.
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

    /// The category with this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|known| known.name() == name)
    }
}
