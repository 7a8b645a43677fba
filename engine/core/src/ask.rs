//! Answers one question from one state of a session: encode, search, rerank, assemble, answer.
//!
//! A pure read of the session; the driver, the threads and `weir ask` all use it.

use crate::answer::{
    Answer, AnswerCheck, Answerer, CheckClaim, CheckError, Draft, Question, QuestionTime, Recall,
    check_answer,
};
use crate::character::Character;
use crate::memory::NearestUnits;
use crate::profile::NearestFacts;
use crate::recall::Found;
use crate::session::Session;
use crate::text::{SpeakerText, question_in, sentences};
use crate::transcript::Transcript;
use crate::window::Window;
use weir_models::{Encode, EncodeError, Flow, Rerank};

/// Maximum number of statements for a reranker: more than fill a context of the default length.
pub const RERANKED_MAX: usize = 64;
/// Statements reranked between two checks of the time limit.
const RERANKED_AT_ONCE: usize = 32;

/// The parts used to answer a question.
pub struct AskContext<'a> {
    /// Encodes the question.
    pub encoder: &'a dyn Encode,
    /// An index of the session, if there is one.
    pub index: Option<&'a dyn NearestUnits>,
    /// An index of its profiles, if there is one.
    pub fact_index: Option<&'a dyn NearestFacts>,
    /// The transcript for looking up words, if one is kept.
    pub transcript: Option<&'a dyn Transcript>,
    /// Tokens of the asker's profile handed to every question; 0 hands it only to questions that
    /// concern the asker.
    pub profile_tokens: usize,
    /// The character who answers, if there is one.
    pub character: Option<&'a Character>,
    /// The part of the talk that is asked about; `None` for all of it.
    pub window: Option<&'a Window>,
    /// Reranks the best candidates, if there is one.
    pub reranker: Option<&'a dyn Rerank>,
    /// Answers from what was recalled.
    pub answerer: &'a mut dyn Answerer,
}

/// An answer with what it was made of.
#[derive(Debug, Clone)]
pub struct AnswerWithRecall {
    /// The answer.
    pub answer: Answer,
    /// What was found for it.
    pub recall: Recall,
    /// Why the requested reranking did not happen.
    pub not_reranked: Option<String>,
}

/// A step of answering.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AskStep {
    /// The question was encoded.
    Encoded,
    /// Everything held was scored.
    Searched,
    /// The best candidates were reranked.
    Reranked,
    /// The context was filled.
    Assembled,
    /// The answer was made.
    Answered,
}

/// Observes the steps of a question and keeps the clock, which this crate does not have.
pub trait Watch {
    /// A step was completed.
    fn done(&mut self, _step: AskStep) {}

    /// The reason to stop reranking now, if any.
    fn out_of_time(&mut self) -> Option<String> {
        None
    }

    /// A model has written more of the answer; says whether it may go on.
    fn written(&mut self, _draft: &Draft<'_>) -> Flow {
        Flow::On
    }
}

impl Watch for () {}

/// A question in words.
#[derive(Debug, Clone, Copy)]
pub struct QuestionText<'a> {
    /// Its words.
    pub text: &'a str,
    /// Who asks: whom "I" and "my" refer to.
    pub asked_by: Option<&'a str>,
    /// When and where it is asked.
    pub at: &'a QuestionTime,
}

/// Answers a question from a session without changing it.
///
/// # Errors
/// [`EncodeError`] when the question cannot be encoded.
pub fn ask(
    session: &Session,
    context: &mut AskContext<'_>,
    question: QuestionText<'_>,
    context_tokens: usize,
    watch: &mut dyn Watch,
) -> Result<AnswerWithRecall, EncodeError> {
    let text = &*question_in(question.text);
    let encoded = context.encoder.encode_queries_for_search(&[text])?.pop();
    watch.done(AskStep::Encoded);
    let names = session.speaker_names();
    let asked_by = question.asked_by.map(|it| names.current(it).to_owned());
    let question = Question {
        at: question.at.clone(),
        ..Question::new(text, encoded.unwrap_or_default(), asked_by)
    };
    // an index finds what is near in all talk, which may be outside of the window
    let mut found = match context.index.filter(|_| context.window.is_none()) {
        Some(index) => session.search_by(&question, index),
        None => session.search(&question),
    };
    found = found.with_profile(context.profile_tokens);
    if let Some(index) = context.fact_index {
        found = found.with_fact_index(index);
    }
    if let Some(transcript) = context.transcript {
        found = found.with_transcript(transcript);
    }
    if let Some(character) = context.character {
        found = found.as_character(character);
    }
    if let Some(window) = context.window {
        found = found.within(window);
    }
    watch.done(AskStep::Searched);
    let (found, not_reranked) = match context.reranker {
        Some(reranker) => reranked(found, reranker, text, watch),
        None => (found, None),
    };
    watch.done(AskStep::Reranked);
    let recall = found.assemble(context_tokens);
    watch.done(AskStep::Assembled);
    let answerer = &mut context.answerer;
    let answer = answerer.answer_watched(&question, &recall, &mut |draft| watch.written(draft));
    watch.done(AskStep::Answered);
    Ok(AnswerWithRecall {
        answer,
        recall,
        not_reranked,
    })
}

/// The candidates in a reranker's order; unchanged, with the reason, if it fails or has no time.
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

/// Whom an answer must not contradict: who asks, by what they said of themselves, or the character
/// who answers, by its description (Characters, "consistency with the persona").
#[derive(Debug, Clone, Default)]
pub struct CheckedPerson {
    /// The name, if it is known.
    pub name: Option<String>,
    /// Sentences about that person; those of an asker are in the first person.
    pub persona: Vec<String>,
}

impl CheckedPerson {
    /// The character, if it is described, or else the asker.
    #[must_use]
    pub fn of(session: &Session, asked_by: Option<&str>, character: Option<&Character>) -> Self {
        let described = character.filter(|it| !it.description.trim().is_empty());
        if let Some(character) = described {
            let sentences = sentences(&character.description).into_iter();
            return Self {
                name: Some(character.name.clone()),
                persona: sentences.map(str::to_owned).collect(),
            };
        }
        let names = session.speaker_names();
        let own = asked_by.map(|it| session.profiles().persona(names.current(it)));
        Self {
            name: asked_by.map(str::to_owned),
            persona: own.unwrap_or_default(),
        }
    }
}

/// Checks the claims of an answer against what was found, what it cites, and whom it must not
/// contradict.
///
/// # Errors
/// [`CheckError`] of the first claim that cannot be checked.
pub fn check_claims(
    answer: &Answer,
    recall: &Recall,
    person: &CheckedPerson,
    check: &mut dyn CheckClaim,
) -> Result<AnswerCheck, CheckError> {
    let speaker = person.name.as_deref();
    let facts = person
        .persona
        .iter()
        .map(|text| SpeakerText { speaker, text });
    check_answer(answer, recall, &facts.collect::<Vec<_>>(), check)
}
