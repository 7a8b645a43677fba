//! Answers a question and records the state of memory and the time of each step.

use crate::pipeline::driving::transcript::SharedTranscript;
use crate::pipeline::feed::AskRequest;
use crate::results::{AnswerKind, CitationResult, ProbeResult, TimingsUs, TranscriptResult};
use crate::store::TranscriptStats;
use std::sync::Arc;
use std::time::{Duration, Instant};
use weir_core::answer::{Answer, Answerer, Recall};
use weir_core::ask::{AskContext, AskStep, AskedText, ContextFrom, Watch, ask, persona};
use weir_core::character::Character;
use weir_core::limits;
use weir_core::memory::NearestUnits;
use weir_core::profile::NearestFacts;
use weir_core::session::{MemoryStats, Session};
use weir_core::transcript::Transcript;
use weir_models::{Encode, EncodeError, Rerank};

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

impl Answered {
    /// The answer in the format of results; `stream` is named where there are several.
    #[must_use]
    pub fn result(&self, stream: Option<&str>) -> ProbeResult {
        let assembling = Instant::now();
        let (answer, recall, took) = (&self.answer, &self.recall, self.took);
        let citations = answer.citations.iter();
        let carried = recall.context.utterances.iter();
        let mut result = ProbeResult {
            probe: self.asking.id.clone(),
            stream: stream.map(str::to_owned),
            answer: answer.text.clone(),
            kind: AnswerKind::of(answer.kind),
            abstained: !answer.kind.is_answered(),
            grounded: answer.grounded,
            unsupported: answer.unsupported.clone(),
            fallback: answer.fallback.clone(),
            citations: citations.map(CitationResult::of).collect(),
            passages: answer.passages.clone(),
            context: recall.context.text.clone(),
            context_utterances: carried.map(|(_, utterance)| utterance.clone()).collect(),
            context_tokens: recall.context.tokens,
            memory: self.memory.clone(),
            transcript: self.transcript.map(|kept| TranscriptResult {
                bytes: kept.bytes,
                utterances: kept.utterances,
                evicted: kept.evicted,
                gaps: kept.gaps,
            }),
            turns: self.turns,
            stream_ms: self.stream_ms,
            unrecognised_ms: self.unrecognised_ms,
            timings_us: TimingsUs {
                encode: micros(took.encode),
                search: micros(took.search),
                rerank: micros(took.rerank),
                assemble: 0,
                answer: micros(took.answer),
                total: 0,
            },
        };
        // the asker waits for the writing of the result too
        let written = assembling.elapsed();
        result.timings_us.assemble = micros(took.assemble + written);
        result.timings_us.total = micros(took.total() + written);
        result
    }
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
            rerank_limit: Duration::from_millis(limits::ANSWER_MS_DEFAULT),
        }
    }
}

/// Whole microseconds.
#[must_use]
pub fn micros(took: Duration) -> u64 {
    u64::try_from(took.as_micros()).unwrap_or(u64::MAX)
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

/// The models and settings that answer questions.
pub struct Asker {
    /// The encoder of the session's vectors.
    pub encoder: Arc<dyn Encode>,
    /// Answers from what was recalled.
    pub answerer: Box<dyn Answerer>,
    /// Reranks candidates, if requested.
    pub reranker: Option<Arc<dyn Rerank>>,
    /// The character who answers, if there is one.
    pub character: Option<Character>,
    /// The settings.
    pub settings: AskSettings,
}

/// Graphs over a large memory; what has none is scored one by one.
#[derive(Clone, Copy, Default)]
pub struct Indexes<'a> {
    /// Of its units.
    pub units: Option<&'a dyn NearestUnits>,
    /// Of the facts of its profiles.
    pub facts: Option<&'a dyn NearestFacts>,
}

impl Asker {
    /// Answers a question from a session without changing it.
    ///
    /// # Errors
    /// [`EncodeError`] when the question cannot be encoded.
    pub fn ask(
        &mut self,
        session: &Session,
        indexes: Indexes<'_>,
        transcript: Option<&SharedTranscript>,
        asking: &AskRequest,
    ) -> Result<Answered, EncodeError> {
        let settings = self.settings;
        let mut context = AskContext {
            encoder: self.encoder.as_ref(),
            index: indexes.units,
            fact_index: indexes.facts,
            transcript: transcript.map(|it| it as &dyn Transcript),
            context_from: settings.context_from,
            profile_tokens: settings.profile_tokens,
            character: self.character.as_ref(),
            reranker: self.reranker.as_deref(),
            answerer: self.answerer.as_mut(),
        };
        let mut watch = Stopwatch::started(settings.rerank_limit);
        let asked_by = asking.asked_by.as_deref();
        let question = AskedText {
            text: &asking.text,
            asked_by,
        };
        let tokens = settings.context_tokens;
        let asked = ask(session, &mut context, question, tokens, &mut watch)?;
        let stats = session.stats();
        Ok(Answered {
            asking: asking.clone(),
            answer: asked.answer,
            recall: asked.recall,
            memory: stats.memory,
            transcript: transcript.and_then(SharedTranscript::stats),
            turns: stats.turns,
            stream_ms: session.stream_ms(),
            unrecognised_ms: 0,
            took: watch.took,
            not_reranked: asked.not_reranked,
            persona: match settings.persona {
                ListPersona::Yes => persona(session, asked_by),
                ListPersona::No => Vec::new(),
            },
            held: (settings.held == ListHeld::Yes).then(|| session.held()),
        })
    }
}
