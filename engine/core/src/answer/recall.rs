//! What memory found for a question, and what an answerer reads of it.

use super::types::{Answer, BeliefAnswer, Citation, Overview, Premise, Statement};
use crate::character::Character;
use crate::memory::NodeId;
use crate::session::Input;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use std::collections::BTreeSet;

/// What memory found for a question.
#[derive(Debug, Clone, PartialEq)]
pub struct Recall {
    /// The text that an answerer reads.
    pub context: RecalledContext,
    /// What was heard that may answer.
    pub heard: HeardStatements,
    /// What sources say.
    pub passages: FoundPassages,
    /// What beliefs and profiles say.
    pub known: KnownAnswers,
    /// What the question turned out to be.
    pub reading: QuestionReading,
    /// Who answers.
    pub persona: Persona,
    /// Session time of the question.
    pub session_ms: u64,
}

/// The text that an answerer reads, and what it holds.
#[derive(Debug, Clone, PartialEq)]
pub struct RecalledContext {
    /// The exact text: beliefs, profile, sources, then short-term, pending and long-term sections.
    pub text: String,
    /// Its length in tokens.
    pub tokens: usize,
    /// `(stream, utterance)` of every utterance of which the text holds at least half of the
    /// content words.
    pub utterances: Vec<(String, String)>,
    /// The statements in it, best first.
    pub statements: Vec<ShownStatement>,
}

/// A statement of a context.
#[derive(Debug, Clone, PartialEq)]
pub struct ShownStatement {
    /// The unit that holds it; `None` while it waits to be sorted into the tree.
    pub node: Option<NodeId>,
    /// The id of its utterance.
    pub utterance: Option<String>,
    /// Who said it, if that is known.
    pub speaker: Option<String>,
    /// Its words on one line, as the context shows them.
    pub text: String,
    /// The day on which it was said, in the question's time zone.
    pub day: Option<Date>,
    /// Session time when it was said, in milliseconds.
    pub said_ms: u64,
    /// How often it was said, in these or other words.
    pub times: u32,
}

/// Statements from raw talk and the tree.
#[derive(Debug, Clone, PartialEq)]
pub struct HeardStatements {
    /// Statements that may answer alone, likeliest first; after a reranker, its best first.
    /// Questions are excluded.
    pub answers: Vec<Statement>,
    /// How sure the first of them is: the share of such answers that is right in talk held apart.
    /// `None` in other languages than English, where nothing says so.
    pub chance: Option<f32>,
    /// Whether they have too few of the question's words to answer by words: a transcript may know
    /// more.
    pub by_meaning: bool,
    /// The other statements of the first answer's utterance: those after it, then those before it,
    /// nearest first.
    pub around: Vec<Statement>,
    /// The best statements, strongest first; after a reranker, in its order.
    pub statements: Vec<Statement>,
    /// The best statement by somebody other than the people in question, if it fits better than
    /// theirs.
    pub elsewhere: Option<Statement>,
    /// The best evidence first, one citation per utterance, or per part of one recognised in parts.
    pub citations: Vec<Citation>,
    /// The probability that memory answers the question, `0.0..=1.0`.
    pub support: f32,
    /// Number of relevant statements that cannot be shown: memory holds only their key words, and
    /// no transcript has the rest.
    pub unreadable: usize,
    /// Whether the statements found are of more than one day.
    pub spans_days: bool,
}

/// Passages of sources.
#[derive(Debug, Clone, PartialEq)]
pub struct FoundPassages {
    /// Those among the best of all that was found, best first.
    pub best: Vec<Statement>,
    /// Whether the first is clearly better evidence than what was heard.
    pub lead: bool,
}

/// Beliefs and facts about people.
#[derive(Debug, Clone, PartialEq)]
pub struct KnownAnswers {
    /// The beliefs about what the question names, best first.
    pub beliefs: Vec<BeliefAnswer>,
    /// What the asker said of themselves, nearest to the question first; empty where neither the
    /// question nor the caller asks for it.
    pub profile: Vec<Statement>,
}

/// How the question was read.
#[derive(Debug, Clone, PartialEq)]
pub struct QuestionReading {
    /// Its false premise, if any.
    pub premise: Option<Premise>,
    /// The answer to a question about memory itself, or to a message that asks nothing.
    pub overview: Option<Overview>,
    /// The time zone of shown dates.
    pub zone: TimeZone,
    /// Whether it is in another language than English, so that only what was said answers it.
    pub other_language: bool,
    /// The days that it names, if nothing that is held is of them: "on 3 May 2026".
    pub silent_days: Option<String>,
}

/// The character who answers, if any.
#[derive(Debug, Clone, PartialEq)]
pub struct Persona {
    /// The character.
    pub character: Option<Character>,
    /// Whether it has forgotten the statement that fits best.
    pub faded: bool,
    /// What the talk was about before: headings of its last events, oldest first. Empty without a
    /// character, as is the next.
    pub so_far: Vec<String>,
    /// The last turns of the talk, oldest first: "Ana: The boat leaks."
    pub turns: Vec<String>,
}

impl RecalledContext {
    /// The nodes in it.
    pub fn nodes(&self) -> impl Iterator<Item = NodeId> {
        self.statements.iter().filter_map(|it| it.node)
    }
}

impl Recall {
    /// The input that records the access, so that what was used is kept longer: the units that the
    /// answer quotes or cites, and not all that its context shows. `None` if there are none.
    #[must_use]
    pub fn access_input(&self, answer: &Answer) -> Option<Input> {
        if !answer.kind.is_answered() {
            return None;
        }
        let heard = &self.heard;
        let told = heard.answers.iter().chain(&heard.around);
        let told = told.chain(&heard.elsewhere).chain(&heard.statements);
        let told = told.chain(self.reading.overview.iter().flat_map(|it| &it.statements));
        let used = told.filter(|it| answer.citations.iter().any(|shown| it.is_cited(shown)));
        let nodes: BTreeSet<NodeId> = used.filter_map(|it| it.node).collect();
        (!nodes.is_empty()).then(|| Input::Recalled {
            nodes: nodes.into_iter().collect(),
            session_ms: self.session_ms,
        })
    }
}
