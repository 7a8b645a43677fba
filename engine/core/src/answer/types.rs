//! Questions and answers as values.

use crate::memory::NodeId;
use crate::session::Input;
use crate::talk::Evidence;
use serde::{Deserialize, Serialize};
use weir_models::{Encoded, Terms};

/// A question, encoded.
#[derive(Debug, Clone, PartialEq)]
pub struct Question {
    /// Its words.
    pub text: String,
    /// Its unit-length vector.
    pub vector: Vec<f32>,
    /// Its terms; empty where no sparse encoder is at hand.
    pub terms: Terms,
    /// Who asks; decides whom "I" and "my" mean.
    pub asked_by: Option<String>,
}

impl Question {
    /// A question of somebody, found by this.
    pub fn new(text: impl Into<String>, encoded: Encoded, asked_by: Option<String>) -> Self {
        let Encoded { vector, terms } = encoded;
        Self {
            text: text.into(),
            vector,
            terms,
            asked_by,
        }
    }
}

/// A part of memory that recall reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// Raw talk: the block being heard and the leading context.
    ShortTerm,
    /// Raw talk that waits to be distilled.
    Pending,
    /// The tree.
    LongTerm,
}

/// Proof of an answer: one utterance, with the score of what it proves.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Citation {
    /// The proof.
    pub evidence: Evidence,
    /// The words of the utterance that prove it, contiguous as they were said; `None` where
    /// neither memory nor a transcript holds them.
    pub quote: Option<String>,
    /// Score of the unit or raw utterance it was found by, higher is better.
    pub score: f32,
}

/// A statement that may answer, with how well it does.
#[derive(Debug, Clone, PartialEq)]
pub struct Statement {
    /// Its words.
    pub text: String,
    /// Who made it.
    pub speaker: Option<String>,
    /// Its proof, at least one item.
    pub citations: Vec<Citation>,
    /// How well it bears on the question, `0.0..=1.0`.
    pub strength: f32,
    /// The chance that it answers the question, `0.0..=1.0`; 0 where that was not weighed.
    pub chance: f32,
    /// The day on which it was said, where that is asked and its words do not name one.
    pub day: Option<String>,
}

/// What memory has to say about a question.
#[derive(Debug, Clone, PartialEq)]
pub struct Recall {
    /// The exact text an answerer reads: short-term, pending and long-term sections.
    pub context: String,
    /// Its length in tokens.
    pub context_tokens: usize,
    /// `(stream, utterance)` of everything the context carries to at least half of its content
    /// words.
    pub context_utterances: Vec<(String, String)>,
    /// The fewest statements that together name what was asked, strongest first; after a reranker,
    /// its best first.
    pub joined: Vec<Statement>,
    /// The best statements, strongest first; after a reranker, in its order.
    pub statements: Vec<Statement>,
    /// What may answer by itself, the likeliest first; after a reranker, its best first. No
    /// question is among them.
    pub answers: Vec<Statement>,
    /// What fits the question best of what others said than the people it asks about.
    pub elsewhere: Option<Statement>,
    /// The best proofs first, one per utterance; one per part where a long one was heard in parts.
    pub citations: Vec<Citation>,
    /// The chance that memory answers the question, `0.0..=1.0`.
    pub support: f32,
    /// What the question takes for granted against memory, if anything.
    pub premise: Option<Premise>,
    /// What is said to a question about memory itself, or to one that asks nothing.
    pub overview: Option<Overview>,
    /// Nodes whose access counts are due to grow.
    pub nodes: Vec<NodeId>,
    /// Statements that bear on the question and cannot be shown: memory holds key words of them
    /// alone, and no transcript gives the rest.
    pub unreadable: usize,
    /// Session time of the question.
    pub session_ms: u64,
    /// Whether what was found was said on more than one day.
    pub spans_days: bool,
}

impl Recall {
    /// The input that makes what was recalled stay longer.
    #[must_use]
    pub fn access_input(&self) -> Input {
        Input::Recalled {
            nodes: self.nodes.clone(),
            session_ms: self.session_ms,
        }
    }
}

/// What memory says of itself: how much it heard, what it knows of somebody, what was talked about.
#[derive(Debug, Clone, PartialEq)]
pub struct Overview {
    /// What it was asked.
    pub of: OverviewOf,
    /// Utterances heard, those that were forgotten too.
    pub heard: u64,
    /// Session time.
    pub session_ms: u64,
    /// The first and the last day of what it holds, in words, and on how many days that was said.
    pub days: Option<(String, String, usize)>,
    /// Who is heard in what it holds.
    pub people: Vec<String>,
    /// The most telling statements of the person or the days in question, in the order said.
    pub statements: Vec<Statement>,
}

/// What a question asks of memory itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OverviewOf {
    /// How much was heard, since when and until when.
    Extent,
    /// What is known of somebody, by name.
    Person(String),
    /// The same of the one who asks, who is not known.
    Asker,
    /// What was talked about.
    Talk,
    /// What memory is for; also the reply to a greeting, or where nothing is asked.
    Purpose,
}

/// What an answer is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum AnswerKind {
    /// An answer.
    Answer,
    /// Memory holds none.
    NotKnown,
    /// The question takes something for granted that memory has otherwise; the text says so first.
    FalsePremise {
        /// Whether an answer follows.
        answered: bool,
    },
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

/// An answer with its proof.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    /// What it is.
    #[serde(flatten)]
    pub kind: AnswerKind,
    /// The words; where the question is not answered, a sentence that says so.
    pub text: String,
    /// Its proof, best first; where the question is not answered, that of what somebody else said,
    /// if the text quotes it.
    pub citations: Vec<Citation>,
    /// Share of the answer's sentences that its citations carry, `0.0..=1.0`.
    pub grounded: f32,
    /// Sentences that a model wrote and no evidence carries; they are not in the text.
    pub unsupported: Vec<String>,
    /// Why quotes stand where a model was to write.
    pub fallback: Option<String>,
}

/// Something that a question takes for granted and memory has otherwise.
#[derive(Debug, Clone, PartialEq)]
pub enum Premise {
    /// It asks of a person what only somebody else said of himself.
    OtherPerson {
        /// Whom it asks about, as the question writes it.
        asked: String,
    },
    /// It spells the name of a person almost as memory knows it, who is taken to be meant.
    Misspelt {
        /// The name as the question writes it.
        asked: String,
        /// The name as memory knows it.
        meant: String,
    },
    /// It asks in words that nobody used: in another language, or in none.
    Unheard {
        /// The words as the question writes them.
        words: Vec<String>,
    },
    /// It names somebody or something that memory never met, as the question writes it.
    Unknown {
        /// The name.
        name: String,
    },
}
