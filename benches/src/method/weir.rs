//! Weir with default settings, with the paper's, and with one part removed at a time.
//!
//! Run inline in lock-step: a question sees everything before it. Only `weir-quote` answers. A
//! transcript is held in memory in place of the file: only its bytes are counted.

use super::{Answered, HeardTurn, Method, MethodContext, Query, Recalled};
use crate::drive::{Done, TimedDriver, begin};
use anyhow::{Result, bail};
use std::sync::Arc;
use weir_core::answer::{Part, Question, quote};
use weir_core::config::{
    BoundaryPolicy, EncoderProfile, RecallPolicy, RecencyPolicy, SessionConfig, Signals,
    UtilityPolicy,
};
use weir_core::limits;
use weir_core::session::Input;
use weir_core::stream::Utterance;
use weir_core::transcript::HeldTranscript;

/// Lag in blocks of the slow distiller in the variants with lag: a model that needs some ten
/// seconds per block, with two seconds per turn.
const LAG_BLOCKS: usize = 3;

/// A variant: its name, and its changes.
type Variant = (&'static str, fn(&mut Settings));

/// The parts that a variant may change.
#[derive(Debug, Clone)]
pub(crate) struct Settings {
    /// The session's.
    pub(crate) config: SessionConfig,
    /// The part of memory that recall ignores.
    pub(crate) without: Option<Part>,
    /// Blocks that the distiller lags.
    pub(crate) lag_blocks: usize,
    /// Answers with the engine's own answerer.
    pub(crate) answers: bool,
}

/// The variants, the default first.
pub(crate) const VARIANTS: &[Variant] = &[
    ("weir", |_| {}),
    ("weir-transcript", |it| {
        it.config.transcript_bytes = limits::TRANSCRIPT_BYTES_DEFAULT;
    }),
    ("weir-quote", |it| it.answers = true),
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
    settings: Settings,
    transcript: Option<Kept>,
    begun: bool,
}

/// Bytes on disk of a transcript line besides its texts and names: checksum, turn, position and
/// times.
const LINE_BYTES: usize = 35;

/// A transcript, and the size of its lines on disk.
#[derive(Default)]
struct Kept {
    lines: HeldTranscript,
    bytes: usize,
}

impl Kept {
    fn add(&mut self, turn: u64, said: Utterance) {
        let speaker = said.speaker.as_ref().map_or(0, String::len);
        let names = said.stream.len() + said.id.len() + speaker;
        self.bytes += said.text.len() + names + LINE_BYTES;
        self.lines.insert(turn, said);
    }
}

impl Weir {
    /// The variant with this name.
    pub(crate) fn named(name: &str, kit: Arc<MethodContext>) -> Result<Self> {
        let Some((_, change)) = VARIANTS.iter().find(|(known, _)| *known == name) else {
            let known: Vec<&str> = VARIANTS.iter().map(|(name, _)| *name).collect();
            let known = known.join(", ");
            bail!("no variant is called {name}; known are {known}");
        };
        let mut settings = Settings {
            config: SessionConfig {
                profile: EncoderProfile::for_encoder(&kit.encoder().identity().name),
                ..config(kit.budget_tokens)
            },
            without: None,
            lag_blocks: 0,
            answers: false,
        };
        change(&mut settings);
        let config = settings.config.clone();
        let transcript = config.keeps_transcript().then(Kept::default);
        Ok(Self {
            driver: TimedDriver::new(config, &kit, settings.lag_blocks)?,
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

fn config(budget_tokens: Option<usize>) -> SessionConfig {
    match budget_tokens {
        Some(budget_tokens) => SessionConfig {
            budget_tokens,
            ..SessionConfig::default()
        },
        None => SessionConfig {
            budget_tokens: limits::BUDGET_TOKENS_MAX,
            budget_bytes: limits::TREE_BYTES_MAX,
            ..SessionConfig::default()
        },
    }
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
            if let (Done::Next(turn, said), Some(kept)) = (done, &mut self.transcript) {
                kept.add(turn, said.clone());
            }
        })
    }

    fn pause(&mut self, resumes_at_unix_ms: Option<i64>) -> Result<()> {
        match self.begun {
            true => self.step(&Input::Break {
                resumes_at_unix_ms,
                stream: None,
            }),
            false => Ok(()),
        }
    }

    fn recall(&self, query: &Query<'_>) -> Result<Recalled> {
        let found_by = self.kit.asked_by(query.text)?;
        let asked_by = query.asked_by.map(str::to_owned);
        let question = Question::new(query.text, found_by, asked_by);
        let found = self.driver.session.search(&question);
        let found = match self.settings.without {
            Some(part) => found.without(part),
            None => found,
        };
        let found = match &self.transcript {
            Some(kept) => found.with_transcript(&kept.lines),
            None => found,
        };
        let recall = found.assemble(query.context_tokens);
        let answer = self.settings.answers.then(|| {
            let answer = quote(&question, &recall);
            Answered {
                text: answer.text,
                abstained: !answer.kind.is_answered(),
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
        self.transcript.as_ref().map_or(0, |kept| kept.bytes)
    }
}
