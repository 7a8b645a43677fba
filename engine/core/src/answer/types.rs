//! Questions and answers as values.

use crate::beliefs::{BeliefId, Tally};
use crate::memory::NodeId;
use crate::sources::place;
use crate::stream::Span;
use crate::talk::Evidence;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};
use weir_models::{Encoded, NameKind, Terms};

/// When and where a question is asked: what "yesterday" means, and which dates are shown.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct QuestionTime {
    /// Unix time; `None` for the time of the last word of the stream.
    pub unix_ms: Option<i64>,
    /// The zone of days and of shown times; `None` for UTC.
    pub zone: Option<TimeZone>,
}

impl QuestionTime {
    /// The time zone.
    #[must_use]
    pub fn time_zone(&self) -> TimeZone {
        self.zone.clone().unwrap_or(TimeZone::UTC)
    }
}

/// The text of an answer while it is written.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AnswerText {
    /// Complete sentences, each supported by what it cites.
    pub checked: String,
    /// The beginning of the next sentence, not checked yet.
    pub tentative: String,
}

/// What a model has written of an answer so far.
pub struct Draft<'a>(pub(super) &'a dyn Fn() -> Option<AnswerText>);

impl Draft<'_> {
    /// Its text; `None` before the model begins with it. Checks it anew.
    #[must_use]
    pub fn text(&self) -> Option<AnswerText> {
        (self.0)()
    }
}

/// A question, encoded.
#[derive(Debug, Clone, PartialEq)]
pub struct Question {
    /// Its words.
    pub text: String,
    /// Its unit-length vector.
    pub vector: Vec<f32>,
    /// Its sparse terms; empty without a sparse encoder.
    pub terms: Terms,
    /// The asker: whom "I" and "my" refer to.
    pub asked_by: Option<String>,
    /// When and where it is asked.
    pub at: QuestionTime,
}

impl Question {
    /// A question with its encoding and asker.
    pub fn new(text: impl Into<String>, encoded: Encoded, asked_by: Option<String>) -> Self {
        let Encoded { vector, terms } = encoded;
        Self {
            text: text.into(),
            vector,
            terms,
            asked_by,
            at: QuestionTime::default(),
        }
    }
}

/// A part of memory that recall reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// Raw talk: the open block and the leading context.
    ShortTerm,
    /// Raw talk that waits to be distilled.
    Pending,
    /// The tree.
    LongTerm,
}

/// Evidence of an answer: one utterance, with the score of the statement it supports.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Citation {
    /// The evidence.
    pub evidence: Evidence,
    /// The words of the utterance that are the evidence, contiguous as said; `None` if neither
    /// memory nor a transcript holds them.
    pub quote: Option<String>,
    /// Score of the unit or raw utterance, higher is better.
    pub score: f32,
}

/// Evidence of an answer in a source: a passage of a file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PassageCitation {
    /// Name of the source.
    pub source: String,
    /// Name of the file.
    pub file: String,
    /// First line of the passage, from 1.
    pub first_line: u32,
    /// Its last line.
    pub last_line: u32,
    /// The time of its cues, in subtitles.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub span: Option<Span>,
    /// The sentences of the passage that are the evidence.
    pub quote: String,
    /// How strongly it supports an answer, `0.0..=1.0`.
    pub score: f32,
}

impl std::fmt::Display for PassageCitation {
    /// `NAME, notes.md:12-18`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let lines = self.first_line..=self.last_line;
        f.write_str(&place(&self.source, &self.file, lines))
    }
}

/// A statement that may answer, with its scores.
#[derive(Debug, Clone, PartialEq)]
pub struct Statement {
    /// Its words.
    pub text: String,
    /// Its speaker.
    pub speaker: Option<String>,
    /// The unit that says it; `None` of raw talk, of a transcript and of a passage.
    pub node: Option<NodeId>,
    /// Its evidence, at least one item; none of a passage.
    pub citations: Vec<Citation>,
    /// Its place, if it is a passage of a source.
    pub passage: Option<Box<PassageCitation>>,
    /// How strongly it supports an answer, `0.0..=1.0`.
    pub strength: f32,
    /// The probability that it answers the question, `0.0..=1.0`; 0 if not computed.
    pub chance: f32,
    /// The day of the utterance, if the question asks for it and the words do not name one.
    pub day: Option<String>,
    /// The day of the utterance in the question's time zone, if it is known.
    pub said_on: Option<Date>,
    /// Whether the speaker said later what holds now: an answer then shows it as what was before.
    pub earlier: bool,
}

impl Statement {
    /// Whether a citation shows it.
    pub(super) fn is_cited(&self, citation: &Citation) -> bool {
        self.citations.iter().any(|own| {
            let parts = own.evidence.part.zip(citation.evidence.part);
            own.evidence.same_turn(&citation.evidence)
                && parts.is_none_or(|(own, shown)| shown.holds(own))
        })
    }

    /// Whether both are of one utterance.
    pub(super) fn is_said_with(&self, other: &Self) -> bool {
        let both = self.citations.first().zip(other.citations.first());
        both.is_some_and(|(a, b)| a.evidence.same_turn(&b.evidence))
    }

    /// What one item of evidence says, with the score of its citation and no other; without words
    /// if there is no quote.
    pub(crate) fn of(evidence: Evidence, quote: Option<String>, score: f32) -> Self {
        Self {
            text: quote.clone().unwrap_or_default(),
            speaker: evidence.speaker.clone(),
            node: None,
            citations: vec![Citation {
                evidence,
                quote,
                score,
            }],
            passage: None,
            strength: 0.0,
            chance: 0.0,
            day: None,
            said_on: None,
            earlier: false,
        }
    }

    /// Where a passage stands: `NAME, notes.md:12-18`; `None` for what was heard.
    #[must_use]
    pub fn place(&self) -> Option<String> {
        self.passage.as_ref().map(ToString::to_string)
    }
}

/// A belief about what a question names. Its [`Display`](std::fmt::Display) is a sentence.
#[derive(Debug, Clone, PartialEq)]
pub struct BeliefAnswer {
    /// The belief.
    pub id: BeliefId,
    /// Whose it is; `None` if the speaker is unknown.
    pub holder: Option<String>,
    /// What it is about.
    pub object: String,
    /// Which side of it, or "general".
    pub aspect: String,
    /// Profiles, weight and number of observations.
    pub tally: Tally,
    /// The remark that shows it best; without words where they are held nowhere.
    pub said: Option<Statement>,
}

/// Memory's data about itself: how much it heard, what it knows of somebody, what was talked about.
#[derive(Debug, Clone, PartialEq)]
pub struct Overview {
    /// What the question asks.
    pub of: OverviewOf,
    /// Utterances heard, including forgotten ones.
    pub heard: u64,
    /// Session time.
    pub session_ms: u64,
    /// The first and the last day of the statements held, as text, and the number of distinct days.
    pub days: Option<(String, String, usize)>,
    /// Speakers of the statements held.
    pub people: Vec<String>,
    /// The days that the question names: "on 3 May 2026".
    pub asked_days: Option<String>,
    /// Whether what was asked for was said, also if none of it tells anything.
    pub was_said: bool,
    /// The names that answer a question for names, those said most often first; the one that
    /// stands between two that are not named together.
    pub names: Vec<String>,
    /// The most informative statements of the person, name or days in question, in the order said.
    pub statements: Vec<Statement>,
    /// How many statements of them tell something.
    pub of_statements: usize,
}

/// A question about memory itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OverviewOf {
    /// How much was heard, and from when to when.
    Extent,
    /// Who spoke.
    People,
    /// What the named person said.
    Person(String),
    /// What is known about the asker, whose name is unknown.
    Asker,
    /// What was talked about.
    Talk,
    /// What names a person, place, organisation or thing.
    Named(String),
    /// Whom or what of a kind somebody names, or what names somebody.
    NamedBy {
        /// Who.
        whom: String,
        /// The kind of the names.
        kind: NameKind,
    },
    /// What names two, or joins them.
    Between(String, String),
    /// The purpose of memory; also for a greeting, or a message that asks nothing.
    Purpose,
}

impl OverviewOf {
    /// Whether statements answer it, of which none may be passed over.
    pub(crate) fn tells(&self) -> bool {
        match self {
            Self::Extent | Self::People | Self::Asker | Self::Purpose => false,
            Self::Person(_) | Self::Talk => true,
            Self::Named(_) | Self::NamedBy { .. } | Self::Between(..) => true,
        }
    }
}

/// Kind of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum AnswerKind {
    /// An answer.
    Answer,
    /// Memory has no answer.
    NotKnown,
    /// Memory contradicts the question's premise; the text says so first.
    FalsePremise {
        /// Whether an answer follows.
        answered: bool,
    },
    /// It is not clear what is asked; the text asks back.
    AskBack,
}

impl AnswerKind {
    pub(super) fn of(premise: Option<&Premise>, answered: bool) -> Self {
        match premise {
            Some(Premise::OtherPerson { .. } | Premise::Unknown { .. }) => {
                Self::FalsePremise { answered }
            }
            _ if answered => Self::Answer,
            _ => Self::NotKnown,
        }
    }

    /// Whether the question is answered.
    #[must_use]
    pub fn is_answered(self) -> bool {
        matches!(self, Self::Answer | Self::FalsePremise { answered: true })
    }
}

/// An answer with its evidence.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    /// Its kind.
    #[serde(flatten)]
    pub kind: AnswerKind,
    /// The text; if the question is not answered, a sentence that says so.
    pub text: String,
    /// Its evidence, best first; if the question is not answered, that of another speaker's
    /// statement in the text.
    pub citations: Vec<Citation>,
    /// Its evidence in sources, best first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub passages: Vec<PassageCitation>,
    /// How sure its first quote is: the share of such answers that is right in talk held apart,
    /// `0.0..=1.0`. `None` where nothing says so: of sources, other languages, memory itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chance: Option<f32>,
    /// Share of the answer's sentences that its citations support, `0.0..=1.0`.
    pub grounded: f32,
    /// Sentences that a model wrote without support; they are not in the text.
    pub unsupported: Vec<String>,
    /// Why quotes replaced a model's text.
    pub fallback: Option<String>,
}

impl Answer {
    /// An answer that memory computed; no model wrote it and no passage proves it.
    pub(crate) fn computed(kind: AnswerKind, text: String, citations: Vec<Citation>) -> Self {
        Self {
            kind,
            text,
            citations,
            passages: Vec::new(),
            chance: None,
            grounded: 1.0,
            unsupported: Vec::new(),
            fallback: None,
        }
    }
}

/// What is wrong with a question as far as memory knows: a premise it contradicts, or a name that
/// several people have.
#[derive(Debug, Clone, PartialEq)]
pub enum Premise {
    /// It asks about one person what only another said of themselves.
    OtherPerson {
        /// The person in question, as the question writes the name.
        asked: String,
    },
    /// It misspells a name that memory knows; that person is assumed.
    Misspelt {
        /// The name as the question writes it.
        asked: String,
        /// The name as memory knows it.
        meant: String,
    },
    /// None of its words was ever used: another language, or no language.
    Unheard {
        /// The words as the question writes them.
        words: Vec<String>,
    },
    /// It names a person or thing that memory never met.
    Unknown {
        /// The name.
        name: String,
    },
    /// It names somebody by a name that several speakers share: [`AnswerKind::AskBack`].
    Ambiguous {
        /// The name as the question writes it.
        asked: String,
        /// The speakers it may mean, in order; two at least.
        people: Vec<String>,
    },
}
