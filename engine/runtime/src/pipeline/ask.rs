//! A question with what results say of it: what memory held, and the time of each step.

use super::feed::AskRequest;
use crate::store::TranscriptStats;
use std::time::{Duration, Instant};
use weir_core::answer::{Answer, Recall};
use weir_core::ask::{AskContext, AskStep, ContextFrom, Watch, ask};
use weir_core::limits;
use weir_core::session::{MemoryStats, Session};
use weir_models::EncodeError;

/// An answer with everything a result says about it.
#[derive(Debug, Clone)]
pub struct Answered {
    /// The question.
    pub asking: AskRequest,
    /// The answer.
    pub answer: Answer,
    /// What it was made of.
    pub recall: Recall,
    /// What memory held.
    pub memory: MemoryStats,
    /// What the transcript held; `None` where none is written.
    pub transcript: Option<TranscriptStats>,
    /// Utterances heard by then.
    pub turns: u64,
    /// Stream time of the running stream.
    pub stream_ms: u64,
    /// Sound that was taken in and not recognised by then, in milliseconds; what was said in it is
    /// not in the answer.
    pub unrecognised_ms: u64,
    /// How long it took.
    pub took: Timings,
    /// Why what was found was not reranked, where it was to be.
    pub not_reranked: Option<String>,
    /// `(stream, utterance)` of all that was still held, where that was asked for.
    pub held: Option<Vec<(String, String)>>,
}

/// Time spent on a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Timings {
    /// Encoding it.
    pub encode: Duration,
    /// Scoring everything held.
    pub search: Duration,
    /// Reading the best of it again together with the question, where that was asked for.
    pub rerank: Duration,
    /// Weighing the proofs and filling the context.
    pub assemble: Duration,
    /// Answering from what was found.
    pub answer: Duration,
}

impl Timings {
    /// All of it.
    #[must_use]
    pub fn total(&self) -> Duration {
        self.encode + self.search + self.rerank + self.assemble + self.answer
    }
}

/// Whether answers leave a trace in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Learn {
    /// What was recalled is kept longer for it.
    Yes,
    /// It is not.
    No,
}

/// Whether the ids of everything held are listed with each answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ListHeld {
    /// They are.
    Yes,
    /// They are not.
    No,
}

/// Time that a reranker has by default.
const RERANK_LIMIT: Duration = Duration::from_millis(limits::ANSWER_MS_DEFAULT);

/// How questions are answered.
#[derive(Debug, Clone, Copy)]
pub struct AskSettings {
    /// Tokens of memory shown to the answerer.
    pub context_tokens: usize,
    /// Whose words contexts show.
    pub context_from: ContextFrom,
    /// Whether answers leave a trace.
    pub learn: Learn,
    /// Whether everything held is listed.
    pub held: ListHeld,
    /// Time that a reranker has for a question; what was found then stays in the order in which it
    /// was found.
    pub rerank_limit: Duration,
}

impl Default for AskSettings {
    fn default() -> Self {
        Self {
            context_tokens: limits::CONTEXT_TOKENS_DEFAULT,
            context_from: ContextFrom::default(),
            learn: Learn::Yes,
            held: ListHeld::No,
            rerank_limit: RERANK_LIMIT,
        }
    }
}

/// The clock beside a question.
struct Stopwatch {
    lap: Instant,
    took: Timings,
    rerank_limit: Duration,
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

/// Answers a question from a session as it is.
///
/// # Errors
/// [`EncodeError`] when the question cannot be encoded.
pub fn ask_timed(
    session: &Session,
    context: &mut AskContext<'_>,
    asking: &AskRequest,
    settings: AskSettings,
) -> Result<Answered, EncodeError> {
    let mut watch = Stopwatch {
        lap: Instant::now(),
        took: Timings::default(),
        rerank_limit: settings.rerank_limit,
    };
    let question = (asking.text.as_str(), asking.asked_by.as_deref());
    let asked = ask(
        session, context, question, settings.context_tokens, &mut watch,
    )?;
    let stats = session.stats();
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
        held: (settings.held == ListHeld::Yes).then(|| session.held()),
    })
}
