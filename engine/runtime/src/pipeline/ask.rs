//! One question against one state of a session: encode, recall, answer, with the time of each.
//!
//! A pure read of the session it is given; shared by the lock-step driver, the threads and `weir
//! ask`.

use super::feed::AskRequest;
use super::transcript::SharedTranscript;
use crate::index::VectorIndex;
use crate::store::TranscriptStats;
use std::time::{Duration, Instant};
use weir_core::answer::{Answer, Answerer, Question, Quote, Recall};
use weir_core::limits;
use weir_core::recall::Found;
use weir_core::session::{Input, MemoryStats, Session};
use weir_models::{Encode, EncodeError, Rerank};

/// Statements that a reranker reads: more than fill a context of the default length.
pub const RERANKED_MAX: usize = 64;
/// Statements that it reads before the clock is looked at.
const RERANKED_AT_ONCE: usize = 32;

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

impl Answered {
    /// The input that makes what was recalled stay longer.
    #[must_use]
    pub fn access_input(&self) -> Input {
        Input::Recalled {
            nodes: self.recall.nodes.clone(),
            session_ms: self.recall.session_ms,
        }
    }
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

/// Whose words contexts show.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ContextFrom {
    /// Those of memory; where it holds key words alone, those of the transcript.
    #[default]
    Transcript,
    /// Those of memory alone.
    Memory,
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

/// Answers a question from a session as it is, by quoting.
///
/// # Errors
/// [`EncodeError`] when the question cannot be encoded.
pub fn ask(
    session: &Session,
    encoder: &dyn Encode,
    asking: &AskRequest,
    settings: AskSettings,
) -> Result<Answered, EncodeError> {
    let mut means = AskContext {
        encoder,
        index: None,
        transcript: None,
        reranker: None,
        answerer: &mut Quote,
    };
    ask_by(session, &mut means, asking, settings)
}

/// What was found in the order of a reranker; as it is, and why, where that fails or takes longer
/// than `limit`.
fn reranked<'a>(
    found: Found<'a>,
    reranker: &dyn Rerank,
    question: &Question,
    limit: Duration,
) -> (Found<'a>, Option<String>) {
    let begun = Instant::now();
    let best = found.best(RERANKED_MAX);
    let texts: Vec<&str> = best.iter().map(String::as_str).collect();
    let mut scores = Vec::with_capacity(texts.len());
    for texts in texts.chunks(RERANKED_AT_ONCE) {
        if begun.elapsed() >= limit {
            let ms = limit.as_millis();
            return (found, Some(format!("it took longer than {ms} ms")));
        }
        match reranker.scores(&question.text, texts) {
            Ok(more) => scores.extend(more),
            Err(error) => return (found, Some(error.to_string())),
        }
    }
    (found.reranked(&scores), None)
}

/// What a question is answered with.
pub struct AskContext<'a> {
    /// Makes the question's vector.
    pub encoder: &'a dyn Encode,
    /// An index of the session, where there is one.
    pub index: Option<&'a VectorIndex>,
    /// Where the words of what was heard are looked up, where they are kept.
    pub transcript: Option<&'a SharedTranscript>,
    /// Puts what was found best into an order of its own, where there is one.
    pub reranker: Option<&'a dyn Rerank>,
    /// Makes an answer of what was recalled.
    pub answerer: &'a mut dyn Answerer,
}

/// As [`ask`], with other means.
///
/// # Errors
/// [`EncodeError`] when the question cannot be encoded.
pub fn ask_by(
    session: &Session,
    means: &mut AskContext<'_>,
    asking: &AskRequest,
    settings: AskSettings,
) -> Result<Answered, EncodeError> {
    let started = Instant::now();
    let asked = means
        .encoder
        .encode_queries_for_search(&[asking.text.as_str()])?;
    let asked = asked.into_iter().next().unwrap_or_default();
    let encode = started.elapsed();
    let question = Question::new(asking.text.clone(), asked, asking.asked_by.clone());
    let searching = Instant::now();
    let found = match means.index {
        Some(index) => session.search_by(&question, index),
        None => session.search(&question),
    };
    let found = match (means.transcript, settings.context_from) {
        (None, _) => found,
        (Some(transcript), ContextFrom::Transcript) => found.with_transcript(transcript),
        (Some(transcript), ContextFrom::Memory) => {
            found.with_transcript(transcript).showing_memory()
        }
    };
    let search = searching.elapsed();
    let reranking = Instant::now();
    let (found, not_reranked) = match means.reranker {
        Some(reranker) => reranked(found, reranker, &question, settings.rerank_limit),
        None => (found, None),
    };
    let rerank = reranking.elapsed();
    let assembling = Instant::now();
    let recall = found.assemble(settings.context_tokens);
    let assemble = assembling.elapsed();
    let answering = Instant::now();
    let answer = means.answerer.answer(&question, &recall);
    let took = Timings {
        encode,
        search,
        rerank,
        assemble,
        answer: answering.elapsed(),
    };
    let stats = session.stats();
    Ok(Answered {
        asking: asking.clone(),
        answer,
        recall,
        memory: stats.memory,
        transcript: means.transcript.map(SharedTranscript::stats),
        turns: stats.turns,
        stream_ms: session.stream_ms(),
        unrecognised_ms: 0,
        took,
        not_reranked,
        held: (settings.held == ListHeld::Yes).then(|| session.held()),
    })
}
