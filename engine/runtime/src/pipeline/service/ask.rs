//! Answers a question from one state of a session, with the time of each step.
//!
//! The only way to ask: the threads of a service, a replay without threads and `weir ask` use it.

use crate::pipeline::driving::transcript::SharedTranscript;
use crate::pipeline::feed::AskRequest;
use crate::store::TranscriptStats;
use parking_lot::Mutex;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use weir_core::answer::{
    Answer, AnswerCheck, AnswerKind as Kind, Answerer, CheckClaim, CheckError, Draft, Question,
    Quote, Recall,
};
use weir_core::ask::{
    self, AnswerWithRecall, AskContext, AskStep, QuestionText, Watch, check_claims,
};
use weir_core::character::Character;
use weir_core::limits;
use weir_core::memory::NearestUnits;
use weir_core::profile::NearestFacts;
use weir_core::recall::TranscriptSearch;
use weir_core::session::{MemoryStats, Session};
use weir_core::transcript::Transcript;
use weir_core::window::Window;
use weir_models::{Encode, EncodeError, Flow, Rerank};

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
    /// Time from the question until all talk before it was in memory.
    pub waited: Duration,
    /// Time of each step.
    pub took: Timings,
    /// Why the requested reranking did not happen.
    pub not_reranked: Option<String>,
    /// The check of its claims, or why it failed; `None` without a check.
    pub check: Option<Result<AnswerCheck, CheckError>>,
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
    /// Searching the transcript, if memory has no answer.
    pub transcript: Duration,
}

impl Timings {
    /// Sum of all steps.
    #[must_use]
    pub fn total(&self) -> Duration {
        self.encode + self.search + self.rerank + self.assemble + self.answer + self.transcript
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

/// Who words an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum AnswerBy {
    /// The answerer that was loaded.
    #[default]
    Answerer,
    /// Quotes, also where a model was loaded.
    Quotes,
}

/// How one question is answered.
#[derive(Debug, Clone)]
pub struct AskSettings {
    /// Who words the answer.
    pub answer_by: AnswerBy,
    /// The character who answers, if there is one.
    pub character: Option<Arc<Character>>,
    /// The part of the talk that is asked about; `None` for all that is known.
    pub window: Option<Window>,
    /// Tokens of memory given to the answerer.
    pub context_tokens: usize,
    /// Tokens of the asker's profile handed to every question; 0 hands it only to questions that
    /// concern the asker.
    pub profile_tokens: usize,
    /// Whether answers count as accesses.
    pub learn: Learn,
    /// Time limit of a reranker for one question; after it, candidates keep the order of the
    /// search.
    pub rerank_limit: Duration,
    /// Time limit of a search of the transcript, newest utterances first, for a question that
    /// memory cannot answer; 0 for no search.
    pub transcript_limit: Duration,
    /// Whether the claims of the answer are checked, where there is a check.
    pub check: bool,
}

impl Default for AskSettings {
    fn default() -> Self {
        Self {
            answer_by: AnswerBy::default(),
            character: None,
            window: None,
            context_tokens: limits::CONTEXT_TOKENS_DEFAULT,
            profile_tokens: 0,
            learn: Learn::Yes,
            rerank_limit: Duration::from_millis(limits::ANSWER_MS_DEFAULT),
            transcript_limit: Duration::from_millis(limits::TRANSCRIPT_SEARCH_MS_DEFAULT),
            check: true,
        }
    }
}

/// Whole microseconds.
#[must_use]
pub fn micros(took: Duration) -> u64 {
    u64::try_from(took.as_micros()).unwrap_or(u64::MAX)
}

/// Utterances of a transcript between two looks at the clock.
const UTTERANCES_A_LOOK: u32 = 256;

/// Measures the steps of a question.
struct Stopwatch<'a> {
    lap: Instant,
    took: Timings,
    rerank_limit: Duration,
    watch: AskWatch<'a>,
}

/// How an asker follows a question that is being answered, and gives it up.
#[derive(Default)]
pub struct AskWatch<'a> {
    /// Set when the asker no longer waits: a model stops writing, and what was not begun is left.
    pub given_up: Option<&'a AtomicBool>,
    /// Gets what a model has written, with each piece. The answer may be another: see
    /// [`Answerer::answer_watched`].
    pub on_draft: Option<&'a mut dyn FnMut(&Draft<'_>)>,
}

impl AskWatch<'_> {
    fn is_given_up(&self) -> bool {
        self.given_up.is_some_and(|it| it.load(Ordering::Relaxed))
    }
}

impl Watch for Stopwatch<'_> {
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
        if self.watch.is_given_up() {
            return Some("the question was given up".to_owned());
        }
        let ms = self.rerank_limit.as_millis();
        let late = self.lap.elapsed() >= self.rerank_limit;
        late.then(|| format!("it took longer than {ms} ms"))
    }

    fn written(&mut self, draft: &Draft<'_>) -> Flow {
        if self.watch.is_given_up() {
            return Flow::Stop;
        }
        if let Some(on_draft) = &mut self.watch.on_draft {
            on_draft(draft);
        }
        Flow::On
    }
}

/// The models that answer questions. Several threads may share them: a model that writes or checks
/// works on one question at a time, everything else on all at once.
pub struct Asker {
    encoder: Arc<dyn Encode>,
    answerer: Mutex<Box<dyn Answerer>>,
    reranker: Option<Arc<dyn Rerank>>,
    check: Option<Mutex<Box<dyn CheckClaim>>>,
}

/// Graphs over a large memory; what has none is scored one by one.
#[derive(Clone, Copy, Default)]
pub struct Indexes<'a> {
    /// Of its units.
    pub units: Option<&'a dyn NearestUnits>,
    /// Of the facts of its profiles.
    pub facts: Option<&'a dyn NearestFacts>,
}

/// The state that a question is answered from.
#[derive(Clone, Copy)]
pub struct SessionView<'a> {
    /// The session.
    pub session: &'a Session,
    /// Its indexes.
    pub indexes: Indexes<'a>,
    /// Its transcript, if it keeps one.
    pub transcript: Option<&'a SharedTranscript>,
}

/// An answerer that is locked while it answers, not while memory is searched.
struct Locked<'a>(&'a Mutex<Box<dyn Answerer>>);

impl Answerer for Locked<'_> {
    fn name(&self) -> &'static str {
        "shared"
    }

    fn answer_watched(
        &mut self,
        question: &Question,
        recall: &Recall,
        watch: &mut dyn FnMut(&Draft<'_>) -> Flow,
    ) -> Answer {
        self.0.lock().answer_watched(question, recall, watch)
    }
}

/// Whether the transcript is searched: memory has no answer, or one that only resembles it, and who
/// answers knows what was heard.
fn is_for_transcript(asked: &AnswerWithRecall, settings: &AskSettings) -> bool {
    let quotes = asked.answer.chance.is_some();
    (!asked.answer.kind.is_answered() || quotes && asked.recall.heard.by_meaning)
        && asked.answer.kind != Kind::AskBack
        && settings.character.is_none()
        && !settings.transcript_limit.is_zero()
}

/// Searches the transcript, newest utterances first.
fn search_transcript(
    of: SessionView<'_>,
    asking: &AskRequest,
    settings: &AskSettings,
    asked: &mut AnswerWithRecall,
    watch: &AskWatch<'_>,
) {
    let Some(transcript) = of.transcript else {
        return;
    };
    let Some(search) = TranscriptSearch::of(of.session, &asking.text, &asking.at) else {
        return;
    };
    let search = search.within(settings.window.clone().unwrap_or_default());
    let limit = settings.transcript_limit;
    let (begun, mut seen) = (Instant::now(), 0_u32);
    let mut go_on = || {
        seen = seen.wrapping_add(1);
        // a look at the clock costs as much as one at an utterance
        !seen.is_multiple_of(UTTERANCES_A_LOOK) || begun.elapsed() < limit && !watch.is_given_up()
    };
    let (answer, searched) = search.run(transcript, &asking.at, &mut go_on);
    match answer {
        Some(answer) => asked.answer = answer,
        None if searched.complete || asked.answer.kind.is_answered() => {}
        None => asked.answer.text.push_str(&format!(
            " The last {} utterances of the transcript do not say it either; there are more.",
            searched.utterances
        )),
    }
}

impl Asker {
    /// Answers with this encoder, which must be that of the session, and this answerer.
    #[must_use]
    pub fn new(encoder: Arc<dyn Encode>, answerer: Box<dyn Answerer>) -> Self {
        Self {
            encoder,
            answerer: Mutex::new(answerer),
            reranker: None,
            check: None,
        }
    }

    /// Reranks the best candidates.
    #[must_use]
    pub fn with_reranker(self, reranker: Option<Arc<dyn Rerank>>) -> Self {
        Self { reranker, ..self }
    }

    /// Checks the claims of every answer; the check changes no answer.
    #[must_use]
    pub fn with_check(self, check: Option<Box<dyn CheckClaim>>) -> Self {
        let check = check.map(Mutex::new);
        Self { check, ..self }
    }

    /// Answers a question from a session without changing it.
    ///
    /// # Errors
    /// [`EncodeError`] when the question cannot be encoded.
    pub fn ask(
        &self,
        of: SessionView<'_>,
        asking: &AskRequest,
        settings: &AskSettings,
    ) -> Result<Answered, EncodeError> {
        self.ask_watched(of, asking, settings, AskWatch::default())
    }

    /// As [`Self::ask`], for an asker who watches.
    ///
    /// # Errors
    /// As for [`Self::ask`].
    pub fn ask_watched(
        &self,
        of: SessionView<'_>,
        asking: &AskRequest,
        settings: &AskSettings,
        watch: AskWatch<'_>,
    ) -> Result<Answered, EncodeError> {
        let mut watch = Stopwatch {
            lap: Instant::now(),
            took: Timings::default(),
            rerank_limit: settings.rerank_limit,
            watch,
        };
        let mut asked = self.answered(of, asking, settings, &mut watch)?;
        if of.transcript.is_some() && is_for_transcript(&asked, settings) {
            search_transcript(of, asking, settings, &mut asked, &watch.watch);
            watch.took.transcript = watch.lap.elapsed();
        }
        let check = match settings.check && !watch.watch.is_given_up() {
            true => self.checked(of.session, asking, &asked, settings.character.as_deref()),
            false => None,
        };
        let stats = of.session.stats();
        Ok(Answered {
            asking: asking.clone(),
            answer: asked.answer,
            recall: asked.recall,
            memory: stats.memory,
            transcript: of.transcript.and_then(SharedTranscript::stats),
            turns: stats.turns,
            stream_ms: of.session.stream_ms(),
            unrecognised_ms: 0,
            waited: Duration::ZERO,
            took: watch.took,
            not_reranked: asked.not_reranked,
            check,
        })
    }

    fn answered(
        &self,
        of: SessionView<'_>,
        asking: &AskRequest,
        settings: &AskSettings,
        watch: &mut Stopwatch<'_>,
    ) -> Result<AnswerWithRecall, EncodeError> {
        let (mut locked, mut quote) = (Locked(&self.answerer), Quote);
        let mut context = AskContext {
            encoder: self.encoder.as_ref(),
            index: of.indexes.units,
            fact_index: of.indexes.facts,
            transcript: of.transcript.map(|it| it as &dyn Transcript),
            profile_tokens: settings.profile_tokens,
            character: settings.character.as_deref(),
            window: settings.window.as_ref(),
            reranker: self.reranker.as_deref(),
            answerer: match settings.answer_by {
                AnswerBy::Answerer => &mut locked,
                AnswerBy::Quotes => &mut quote,
            },
        };
        let question = QuestionText {
            text: &asking.text,
            asked_by: asking.asked_by.as_deref(),
            at: &asking.at,
        };
        let tokens = settings.context_tokens;
        ask::ask(of.session, &mut context, question, tokens, watch)
    }

    /// Checks the claims of an answer against what was found, what it cites, and the character who
    /// answers or the asker.
    fn checked(
        &self,
        session: &Session,
        asking: &AskRequest,
        asked: &AnswerWithRecall,
        character: Option<&Character>,
    ) -> Option<Result<AnswerCheck, CheckError>> {
        let check = self.check.as_ref()?;
        let person = ask::CheckedPerson::of(session, asking.asked_by.as_deref(), character);
        let mut check = check.lock();
        Some(check_claims(
            &asked.answer,
            &asked.recall,
            &person,
            check.as_mut(),
        ))
    }
}
