//! Weir with default settings, with the paper's, and with one part removed at a time.
//!
//! Run inline in lock-step: a question sees everything before it. Only `weir-quote` and `weir-llm`
//! answer. A transcript is held in memory in place of the file: only its bytes are counted.

use super::{Answered, HeardTurn, Method, MethodContext, Query, Recalled};
use crate::drive::{Done, TimedDriver, begin, config};
use anyhow::{Context, Result, bail};
use std::sync::{Arc, Mutex, PoisonError};
use weir_core::answer::{Answerer, Part, Question, Quote, Written};
use weir_core::config::{
    BoundaryPolicy, RecallPolicy, RecencyPolicy, SessionConfig, Signals, UtilityPolicy,
};
use weir_core::distil::Instructed;
use weir_core::limits;
use weir_core::session::Input;
use weir_core::transcript::HeldTranscript;

/// Lag in blocks of the slow distiller in the variants with lag: a model that needs some ten
/// seconds per block, with two seconds per turn.
const LAG_BLOCKS: usize = 3;

/// A variant: its name, and its changes.
type Variant = (&'static str, fn(&mut Settings));

/// The parts that a variant may change.
struct Settings {
    config: SessionConfig,
    /// The part of memory that recall ignores.
    without: Option<Part>,
    /// Blocks that the distiller lags.
    lag_blocks: usize,
    /// Answers: with a model by what it writes, else with quotes.
    answers: bool,
    /// A model writes titles, topics, triplets and answers.
    writes: bool,
}

/// The variants, the default first.
const VARIANTS: &[Variant] = &[
    ("weir", |_| {}),
    ("weir-transcript", |it| {
        it.config.transcript_bytes = limits::TRANSCRIPT_BYTES_DEFAULT;
    }),
    ("weir-quote", |it| it.answers = true),
    (WRITTEN, |it| (it.answers, it.writes) = (true, true)),
    ("weir-paper", |it| {
        it.config = SessionConfig {
            budget_tokens: it.config.budget_tokens,
            budget_bytes: it.config.budget_bytes,
            ..SessionConfig::prostream_paper()
        };
    }),
    ("weir-no-buffer", |it| it.without = Some(Part::ShortTerm)),
    ("weir-no-tree", |it| it.without = Some(Part::LongTerm)),
    ("weir-lag", |it| it.lag_blocks = LAG_BLOCKS),
    ("weir-lag-no-pending", |it| {
        it.lag_blocks = LAG_BLOCKS;
        it.without = Some(Part::Pending);
    }),
    // utility of frequency and recency alone
    ("weir-no-salience", |it| {
        it.config.utility = UtilityPolicy::Paper;
    }),
    ("weir-ebbinghaus", |it| {
        it.config.recency = RecencyPolicy::Ebbinghaus;
    }),
    // utility of frequency and the forgetting curve alone
    ("weir-curve-alone", |it| {
        it.config.utility = UtilityPolicy::Paper;
        it.config.recency = RecencyPolicy::Ebbinghaus;
    }),
    // recall through scenes and their events alone
    ("weir-top-down", |it| {
        it.config.recall = RecallPolicy::TopDown;
    }),
    // recall by BM25 alone
    ("weir-words", |it| only(it, false, false, true)),
    ("weir-terms", |it| only(it, false, true, false)),
    ("weir-vectors", |it| only(it, true, false, false)),
    ("weir-terms-words", |it| only(it, false, true, true)),
    ("weir-vectors-words", |it| only(it, true, false, true)),
    ("weir-vectors-terms", |it| only(it, true, true, false)),
    // every statement is new, unless its vector is that of another
    ("weir-no-novelty", |it| {
        it.config.profile.novelty_cosine = 1.0;
    }),
    ("weir-no-merging", |it| it.config.profile.merge_cosine = 1.0),
    // blocks cut by the paper's rule
    ("weir-paper-blocks", |it| {
        it.config.boundary = BoundaryPolicy::Paper;
    }),
];

/// The variant that needs a model.
pub(crate) const WRITTEN: &str = "weir-llm";

/// Names of the variants that need no model.
pub(crate) fn variants() -> impl Iterator<Item = &'static str> {
    let names = VARIANTS.iter().map(|(name, _)| *name);
    names.filter(|name| *name != WRITTEN)
}

/// Variants that change only what is forgotten, or how little: without a budget they would give the
/// same results as `weir`.
const BOUNDED_ONLY: [&str; 7] = [
    "weir-no-buffer", "weir-lag", "weir-lag-no-pending", "weir-no-salience", "weir-ebbinghaus",
    "weir-curve-alone", "weir-no-merging",
];

/// Whether a method with this budget is worth running.
pub(crate) fn tells(name: &str, budget_tokens: Option<usize>) -> bool {
    budget_tokens.is_some() || !BOUNDED_ONLY.contains(&name)
}

/// Name of the stream inside the session; each session here has one.
const STREAM: &str = "stream";

/// A Weir memory.
pub(crate) struct Weir {
    kit: Arc<MethodContext>,
    driver: TimedDriver,
    answerer: Mutex<Box<dyn Answerer>>,
    settings: Settings,
    /// With the size of its lines on disk.
    transcript: Option<(HeldTranscript, usize)>,
    begun: bool,
}

/// Bytes on disk of a transcript line besides its texts and names: checksum, turn, position and
/// times.
const LINE_BYTES: usize = 35;

impl Weir {
    /// The variant with this name.
    pub(crate) fn named(name: &str, kit: Arc<MethodContext>) -> Result<Self> {
        let Some((_, change)) = VARIANTS.iter().find(|(known, _)| *known == name) else {
            let known = variants().collect::<Vec<_>>().join(", ");
            bail!("no variant is called {name}; known are {known}");
        };
        let budget_tokens = kit.budget_tokens.unwrap_or(limits::BUDGET_TOKENS_MAX);
        let mut settings = Settings {
            config: config(budget_tokens, kit.encoder().as_ref()),
            without: None,
            lag_blocks: 0,
            answers: false,
            writes: false,
        };
        if kit.budget_tokens.is_none() {
            settings.config.budget_bytes = limits::TREE_BYTES_MAX;
        }
        change(&mut settings);
        let config = settings.config.clone();
        let transcript = config.keeps_transcript().then(Default::default);
        let mut driver = TimedDriver::new(config, &kit, settings.lag_blocks)?;
        let mut answerer: Box<dyn Answerer> = Box::new(Quote);
        if settings.writes {
            let model = kit.model();
            let model =
                model.context("weir-llm needs a model: `weir-bench paper --writer MODEL`")?;
            driver.distiller = Box::new(Instructed::new(Box::new(model.clone())));
            answerer = Box::new(Written::new(Box::new(model)));
        }
        Ok(Self {
            driver,
            answerer: Mutex::new(answerer),
            kit,
            settings,
            transcript,
            begun: false,
        })
    }

    fn step(&mut self, input: &Input) -> Result<()> {
        self.driver.step(&self.kit, input, &mut |_| {})?;
        Ok(())
    }
}

fn only(it: &mut Settings, vectors: bool, terms: bool, words: bool) {
    it.config.recall = RecallPolicy::Only(Signals {
        vectors,
        terms,
        words,
    });
}

impl Method for Weir {
    fn hear(&mut self, heard: HeardTurn<'_>) -> Result<()> {
        if !self.begun {
            self.begun = true;
            let start_ms = heard.turn.span.start_ms;
            let started = heard.at_unix_ms.map(|at| at - start_ms as i64);
            self.step(&Input::Begin(begin(STREAM, started)))?;
        }
        let whole = heard.turn.utterance(STREAM);
        self.driver.hear(&self.kit, whole, &mut |done| {
            if let (Done::Next(turn, said), Some((lines, bytes))) = (done, &mut self.transcript) {
                let speaker = said.speaker.as_ref().map_or(0, String::len);
                let names = said.stream.len() + said.id.len() + speaker;
                *bytes += said.text.len() + names + LINE_BYTES;
                lines.insert(turn, said.clone());
            }
        })
    }

    fn pause(&mut self, resumes_at_unix_ms: Option<i64>) -> Result<()> {
        if !self.begun {
            return Ok(());
        }
        self.step(&Input::Break {
            resumes_at_unix_ms,
            stream: None,
        })
    }

    fn recall(&self, query: &Query<'_>) -> Result<Recalled> {
        let found_by = self.kit.asked_by(query.text)?;
        let asked_by = query.asked_by.map(str::to_owned);
        let question = Question::new(query.text, found_by, asked_by);
        let mut found = self.driver.session.search(&question);
        if let Some(part) = self.settings.without {
            found = found.without(part);
        }
        if let Some((lines, _)) = &self.transcript {
            found = found.with_transcript(lines);
        }
        let recall = found.assemble(query.context_tokens);
        let answer = self.settings.answers.then(|| {
            let mut answerer = self.answerer.lock().unwrap_or_else(PoisonError::into_inner);
            let answer = answerer.answer(&question, &recall);
            let cited = answer.citations.into_iter().map(|it| it.evidence.utterance);
            Answered {
                abstained: !answer.kind.is_answered(),
                cited: cited.collect(),
                cut_quoted: (self.settings.writes)
                    .then_some((!answer.unsupported.is_empty(), answer.fallback.is_some())),
                text: answer.text,
            }
        });
        let turns = recall.context.utterances.into_iter().map(|(_, id)| id);
        Ok(Recalled {
            turns: turns.collect(),
            context: recall.context.text,
            answer,
        })
    }

    fn held(&self) -> Option<Vec<String>> {
        let held = self.driver.session.held().into_iter().map(|(_, id)| id);
        Some(held.collect())
    }

    fn stored_tokens(&self) -> usize {
        self.driver.session.text_tokens()
    }

    fn transcript_bytes(&self) -> usize {
        self.transcript.as_ref().map_or(0, |(_, bytes)| *bytes)
    }
}
