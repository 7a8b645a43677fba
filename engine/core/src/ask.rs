//! One question against one state of a session: encode, search, rerank, assemble, answer.
//!
//! A pure read of the session it is given; the driver, the threads and `weir ask` all come here.

use crate::answer::{Answer, Answerer, Question, Recall};
use crate::memory::NearestUnits;
use crate::recall::Found;
use crate::session::Session;
use crate::transcript::Transcript;
use weir_models::{Encode, EncodeError, Rerank};

/// Statements that a reranker reads: more than fill a context of the default length.
pub const RERANKED_MAX: usize = 64;
/// Statements that it reads before it is asked whether there is time for more.
const RERANKED_AT_ONCE: usize = 32;

/// Whose words contexts show.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ContextFrom {
    /// Those of memory; where it holds key words alone, those of the transcript.
    #[default]
    Transcript,
    /// Those of memory alone.
    Memory,
}

/// What a question is answered with.
pub struct AskContext<'a> {
    /// Makes the question's vector.
    pub encoder: &'a dyn Encode,
    /// An index of the session, where there is one.
    pub index: Option<&'a dyn NearestUnits>,
    /// Where the words of what was heard are looked up, where they are kept.
    pub transcript: Option<&'a dyn Transcript>,
    /// Whose words the context shows.
    pub context_from: ContextFrom,
    /// Puts what was found best into an order of its own, where there is one.
    pub reranker: Option<&'a dyn Rerank>,
    /// Makes an answer of what was recalled.
    pub answerer: &'a mut dyn Answerer,
}

/// An answer and what it was made of.
#[derive(Debug, Clone)]
pub struct Asked {
    /// The answer.
    pub answer: Answer,
    /// What it was made of.
    pub recall: Recall,
    /// Why what was found was not reranked, where it was to be.
    pub not_reranked: Option<String>,
}

/// A step of answering.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AskStep {
    /// The question has its vector.
    Encoded,
    /// Everything held was scored.
    Searched,
    /// The best of it was read again.
    Reranked,
    /// The context is filled.
    Assembled,
    /// There is an answer.
    Answered,
}

/// Looks on while a question is answered: it has the clock that this crate has not.
pub trait Watch {
    /// A step is done.
    fn done(&mut self, _step: AskStep) {}

    /// Why reranking must stop now, if it must.
    fn out_of_time(&mut self) -> Option<String> {
        None
    }
}

impl Watch for () {}

/// Answers a question, `(text, asked_by)`, from a session as it is.
///
/// # Errors
/// [`EncodeError`] when the question cannot be encoded.
pub fn ask(
    session: &Session,
    context: &mut AskContext<'_>,
    (text, asked_by): (&str, Option<&str>),
    context_tokens: usize,
    watch: &mut dyn Watch,
) -> Result<Asked, EncodeError> {
    let encoded = context.encoder.encode_queries_for_search(&[text])?.pop();
    watch.done(AskStep::Encoded);
    let asked_by = asked_by.map(str::to_owned);
    let question = Question::new(text, encoded.unwrap_or_default(), asked_by);
    let mut found = match context.index {
        Some(index) => session.search_by(&question, index),
        None => session.search(&question),
    };
    if let Some(transcript) = context.transcript {
        found = found.with_transcript(transcript);
        if context.context_from == ContextFrom::Memory {
            found = found.showing_memory();
        }
    }
    watch.done(AskStep::Searched);
    let (found, not_reranked) = match context.reranker {
        Some(reranker) => reranked(found, reranker, text, watch),
        None => (found, None),
    };
    watch.done(AskStep::Reranked);
    let recall = found.assemble(context_tokens);
    watch.done(AskStep::Assembled);
    let answer = context.answerer.answer(&question, &recall);
    watch.done(AskStep::Answered);
    Ok(Asked {
        answer,
        recall,
        not_reranked,
    })
}

/// What was found in the order of a reranker; as it is, and why, where that fails or has no time.
fn reranked<'a>(
    found: Found<'a>,
    reranker: &dyn Rerank,
    question: &str,
    watch: &mut dyn Watch,
) -> (Found<'a>, Option<String>) {
    let best = found.best(RERANKED_MAX);
    let texts: Vec<&str> = best.iter().map(String::as_str).collect();
    let mut scores = Vec::with_capacity(texts.len());
    for texts in texts.chunks(RERANKED_AT_ONCE) {
        if let Some(why) = watch.out_of_time() {
            return (found, Some(why));
        }
        match reranker.scores(question, texts) {
            Ok(more) => scores.extend(more),
            Err(error) => return (found, Some(error.to_string())),
        }
    }
    (found.reranked(&scores), None)
}
