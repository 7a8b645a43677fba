//! Answers a question and records the state of memory and the time of each step.

use super::feed::AskRequest;
use crate::store::TranscriptStats;
use std::time::{Duration, Instant};
use weir_core::answer::{Answer, Recall};
use weir_core::ask::{AskContext, AskStep, AskedText, ContextFrom, Watch, ask, persona};
use weir_core::limits;
use weir_core::session::{MemoryStats, Session};
use weir_models::EncodeError;

/// An answer with everything that a result object reports.
#[derive(Debug, Clone)]
pub struct Answered {
    /// The question.
    pub asking: AskRequest,
    /// The answer.
    pub answer: Answer,
    /// What was found for it.
    pub recall: Recall,
    /// State of memory.
    pub memory: MemoryStats,
    /// State of the transcript; `None` if the session keeps none.
    pub transcript: Option<TranscriptStats>,
    /// Utterances heard so far.
    pub turns: u64,
    /// Stream time of the running stream.
    pub stream_ms: u64,
    /// Milliseconds of audio captured but not yet recognised; the answer does not cover them.
    pub unrecognised_ms: u64,
    /// Time of each step.
    pub took: Timings,
    /// Why the requested reranking did not happen.
    pub not_reranked: Option<String>,
    /// What the asker said of themselves, in the first person, if requested; empty for an unnamed
    /// asker.
    pub persona: Vec<String>,
    /// `(stream, utterance)` of everything still held, if requested.
    pub held: Option<Vec<(String, String)>>,
}

/// Time spent on a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Timings {
    /// Encoding the question.
    pub encode: Duration,
    /// Scoring everything held.
    pub search: Duration,
    /// Reranking the best candidates, if requested.
    pub rerank: Duration,
    /// Selecting evidence and filling the context.
    pub assemble: Duration,
    /// Answering from the context.
    pub answer: Duration,
}

impl Timings {
    /// Sum of all steps.
    #[must_use]
    pub fn total(&self) -> Duration {
        self.encode + self.search + self.rerank + self.assemble + self.answer
    }
}

/// Whether answers count as accesses in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Learn {
    /// Statements recalled are kept longer.
    Yes,
    /// Answers change nothing.
    No,
}

/// Whether each answer lists the ids of everything held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ListHeld {
    /// Listed.
    Yes,
    /// Not listed.
    No,
}

/// Whether each answer comes with what the asker said of themselves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ListPersona {
    /// Listed.
    Yes,
    /// Not listed.
    No,
}

/// Default time limit of a reranker.
const RERANK_LIMIT: Duration = Duration::from_millis(limits::ANSWER_MS_DEFAULT);

/// Settings for answering questions.
#[derive(Debug, Clone, Copy)]
pub struct AskSettings {
    /// Tokens of memory given to the answerer.
    pub context_tokens: usize,
    /// Source of the words in contexts.
    pub context_from: ContextFrom,
    /// Tokens of the asker's profile handed to every question; 0 hands it only to questions that
    /// concern the asker.
    pub profile_tokens: usize,
    /// Whether answers count as accesses.
    pub learn: Learn,
    /// Whether each answer lists everything held.
    pub held: ListHeld,
    /// Whether each answer lists what the asker said of themselves.
    pub persona: ListPersona,
    /// Time limit of a reranker for one question; after it, candidates keep the order of the
    /// search.
    pub rerank_limit: Duration,
}

impl Default for AskSettings {
    fn default() -> Self {
        Self {
            context_tokens: limits::CONTEXT_TOKENS_DEFAULT,
            context_from: ContextFrom::default(),
            profile_tokens: 0,
            learn: Learn::Yes,
            held: ListHeld::No,
            persona: ListPersona::No,
            rerank_limit: RERANK_LIMIT,
        }
    }
}

/// Measures the steps of a question.
pub(crate) struct Stopwatch {
    lap: Instant,
    took: Timings,
    rerank_limit: Duration,
}

impl Stopwatch {
    /// A watch that starts now.
    pub(crate) fn started(rerank_limit: Duration) -> Self {
        Self {
            lap: Instant::now(),
            took: Timings::default(),
            rerank_limit,
        }
    }
}

impl Watch for Stopwatch {
    fn done(&mut self, step: AskStep) {
        let now = Instant::now();
        let time = match step {
            AskStep::Encoded => &mut self.took.encode,
            AskStep::Searched => &mut self.took.search,
            AskStep::Reranked => &mut self.took.rerank,
            AskStep::Assembled => &mut self.took.assemble,
            AskStep::Answered => &mut self.took.answer,
        };
        *time = now - std::mem::replace(&mut self.lap, now);
    }

    fn out_of_time(&mut self) -> Option<String> {
        let ms = self.rerank_limit.as_millis();
        let late = self.lap.elapsed() >= self.rerank_limit;
        late.then(|| format!("it took longer than {ms} ms"))
    }
}

/// Answers a question from a session without changing it.
///
/// # Errors
/// [`EncodeError`] when the question cannot be encoded.
pub fn ask_timed(
    session: &Session,
    context: &mut AskContext<'_>,
    asking: &AskRequest,
    settings: AskSettings,
) -> Result<Answered, EncodeError> {
    let mut watch = Stopwatch::started(settings.rerank_limit);
    let question = AskedText {
        text: &asking.text,
        asked_by: asking.asked_by.as_deref(),
    };
    let asked = ask(
        session, context, question, settings.context_tokens, &mut watch,
    )?;
    let stats = session.stats();
    let persona = match settings.persona {
        ListPersona::Yes => persona(session, asking.asked_by.as_deref()),
        ListPersona::No => Vec::new(),
    };
    Ok(Answered {
        asking: asking.clone(),
        answer: asked.answer,
        recall: asked.recall,
        memory: stats.memory,
        transcript: None,
        turns: stats.turns,
        stream_ms: session.stream_ms(),
        unrecognised_ms: 0,
        took: watch.took,
        not_reranked: asked.not_reranked,
        persona,
        held: (settings.held == ListHeld::Yes).then(|| session.held()),
    })
}
