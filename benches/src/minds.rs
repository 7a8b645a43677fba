//! Cost and benefit of distillers and answerers with models, compared with those without.
//!
//! Each distiller takes in each stream inline; at each probe the memory is asked, and every
//! answerer answers from the same recall. Rows give the statements offered and kept, fact recall,
//! tokens and seconds per block of each distiller, and the scores and times of each answerer.

use crate::drive;
use crate::method::MethodContext;
use crate::metric::{Case, Scorer, is_unanswerable};
use crate::stream::{Item, Probe, Stream};
use crate::timing::{Mean, Times, us};
use anyhow::Result;
use serde::Serialize;
use std::collections::HashMap;
use std::io::Write;
use std::sync::{Arc, Mutex};
use std::time::Instant;
use weir_core::answer::{Answerer, Question, Recall};
use weir_core::distil::{Distil, DistilCounts, DistilError};
use weir_core::driver::Driver;
use weir_core::talk::{Block, Distillate};
use weir_models::Encode;

/// Makes a distiller for one stream, so that counts are per stream.
pub(crate) type MakeDistiller<'a> = dyn Fn() -> Result<Box<dyn Distil>> + 'a;

/// Input of the measurement.
pub(crate) struct Plan<'a> {
    pub(crate) kit: MethodContext,
    pub(crate) scorer: Scorer,
    pub(crate) budget_tokens: usize,
    pub(crate) context_tokens: usize,
    pub(crate) distillers: Vec<Box<MakeDistiller<'a>>>,
    pub(crate) answerers: Vec<Box<dyn Answerer>>,
    /// Turns of a stream to process; later probes are not asked.
    pub(crate) turns_max: usize,
    /// Probes to answer with a model; the rest are only recalled.
    pub(crate) answers_max: usize,
}

#[derive(Serialize)]
struct DistillerRow<'a> {
    stream: &'a str,
    distiller: &'a str,
    encoder: &'a str,
    turns: usize,
    #[serde(flatten)]
    did: DistilCounts,
    block_ms_mean: f64,
    block_ms_p95: f64,
    stored_tokens: usize,
    units: usize,
    probes: usize,
    context_tokens: f64,
    fact_recall: f64,
    evidence_recall: f64,
}

#[derive(Serialize)]
struct AnswererRow<'a> {
    stream: &'a str,
    distiller: &'a str,
    answerer: &'a str,
    probes: usize,
    answered_share: f64,
    abstained_right: f64,
    key_entities: f64,
    rouge_l: f64,
    grounded: f64,
    sentences_left_out: usize,
    fell_back: usize,
    answer_ms_p50: f64,
    answer_ms_p95: f64,
}

/// Results of one answerer on one stream.
#[derive(Default)]
struct AnswererScores {
    probes: usize,
    answered: Mean,
    abstained: Mean,
    key_entities: Mean,
    rouge_l: Mean,
    grounded: Mean,
    left_out: usize,
    fell_back: usize,
    times: Times,
}

/// Measures, and prints a row for each distiller and each answerer of each stream.
pub(crate) fn run(plan: &mut Plan<'_>, streams: &[Stream]) -> Result<()> {
    for stream in streams {
        for at in 0..plan.distillers.len() {
            let distiller = Timed::new(plan.distillers[at]()?);
            Measured::new(plan, stream, distiller)?.all()?;
        }
    }
    Ok(())
}

/// A distiller with timed blocks.
struct Timed {
    inner: Box<dyn Distil>,
    times: Arc<BlockTimes>,
}

/// Times written by the distiller and read by the measurement.
#[derive(Default)]
struct BlockTimes(Mutex<Times>);

impl BlockTimes {
    fn add(&self, us: f64) {
        if let Ok(mut times) = self.0.lock() {
            times.add(us);
        }
    }

    /// Mean and 95th percentile in milliseconds.
    fn told_ms(&self) -> (f64, f64) {
        let Ok(mut times) = self.0.lock() else {
            return (0.0, 0.0);
        };
        let mean = times.total() / times.count().max(1) as f64;
        (mean / 1e3, times.percentile(95) / 1e3)
    }
}

impl Timed {
    fn new(inner: Box<dyn Distil>) -> Self {
        Self {
            inner,
            times: Arc::default(),
        }
    }
}

impl Distil for Timed {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn distil(&mut self, block: &Block, encode: &dyn Encode) -> Result<Distillate, DistilError> {
        let began = Instant::now();
        let made = self.inner.distil(block, encode);
        self.times.add(us(began));
        if let Some(why) = self.inner.last_failure() {
            let _ = writeln!(std::io::stderr(), "{}: {why}", self.inner.name());
        }
        made
    }

    fn counts(&self) -> DistilCounts {
        self.inner.counts()
    }
}

struct Measured<'p, 'a, 's> {
    plan: &'p mut Plan<'a>,
    stream: &'s Stream,
    memory: Driver,
    times: Arc<BlockTimes>,
    said: HashMap<&'s str, &'s str>,
    turns: usize,
    probes: usize,
    context_tokens: Mean,
    fact_recall: Mean,
    recall: Mean,
    fared: Vec<AnswererScores>,
}

/// The gold labels of a probe.
struct Seen<'a> {
    probe: &'a Probe,
    recall: &'a Recall,
    turns: &'a [String],
    said: &'a HashMap<&'a str, &'a str>,
}

impl Seen<'_> {
    fn case<'b>(&'b self, answer: &'b str, abstained: bool) -> Case<'b> {
        Case {
            gold: &self.probe.gold,
            question: &self.probe.question,
            answer,
            abstained,
            context: &self.recall.context.text,
            context_turns: self.turns,
            said: self.said,
            held: None,
        }
    }
}

impl<'p, 'a, 's> Measured<'p, 'a, 's> {
    fn new(plan: &'p mut Plan<'a>, stream: &'s Stream, distiller: Timed) -> Result<Self> {
        let times = Arc::clone(&distiller.times);
        let memory = drive::memory(plan.budget_tokens, &plan.kit)?;
        Ok(Self {
            memory: memory.with_distiller(Box::new(distiller)),
            fared: plan
                .answerers
                .iter()
                .map(|_| AnswererScores::default())
                .collect(),
            plan,
            stream,
            times,
            said: HashMap::new(),
            turns: 0,
            probes: 0,
            context_tokens: Mean::default(),
            fact_recall: Mean::default(),
            recall: Mean::default(),
        })
    }

    fn all(mut self) -> Result<()> {
        let begin = drive::begin(&self.stream.name, self.stream.started_at_unix_ms);
        self.memory.begin(begin)?;
        for item in &self.stream.items {
            match item {
                Item::Turn(_) if self.turns >= self.plan.turns_max => break,
                Item::Turn(turn) => {
                    self.said.insert(&turn.id, &turn.text);
                    if turn.text.contains(char::is_alphanumeric) {
                        let whole = turn.utterance(&self.stream.name);
                        let counter = self.plan.kit.counter.as_ref();
                        drive::hear(&mut self.memory, whole, counter, |_, _| {})?;
                        self.turns += 1;
                    }
                }
                Item::Break { started_at_unix_ms } => self.memory.pause(*started_at_unix_ms)?,
                Item::Probe(probe) => self.ask(probe)?,
            }
        }
        self.tell()
    }

    fn ask(&mut self, probe: &Probe) -> Result<()> {
        let found_by = self.plan.kit.found_by(&probe.question)?;
        let question = Question::new(probe.question.clone(), found_by, probe.asked_by.clone());
        let recall = self
            .memory
            .session()
            .recall(&question, self.plan.context_tokens);
        self.probes += 1;
        self.context_tokens.add(Some(recall.context.tokens as f64));
        let turns = recall.context.utterances.iter().map(|(_, id)| id.clone());
        let turns: Vec<String> = turns.collect();
        let answers = match self.probes <= self.plan.answers_max {
            true => self.plan.answerers.len(),
            false => 0,
        };
        let seen = Seen {
            probe,
            recall: &recall,
            turns: &turns,
            said: &self.said,
        };
        let scores = self.plan.scorer.score(&seen.case("", true))?.scores;
        self.fact_recall.add(scores.fact_recall);
        self.recall.add(scores.evidence_recall);
        for (answerer, fared) in self
            .plan
            .answerers
            .iter_mut()
            .zip(&mut self.fared)
            .take(answers)
        {
            let began = Instant::now();
            let answer = answerer.answer(&question, &recall);
            fared.times.add(us(began));
            let scores = self
                .plan
                .scorer
                .score(&seen.case(&answer.text, !answer.kind.is_answered()))?
                .scores;
            fared.probes += 1;
            let abstained = f64::from(u8::from(!answer.kind.is_answered()));
            match is_unanswerable(&probe.gold) {
                true => fared.abstained.add(Some(abstained)),
                false => fared.answered.add(Some(1.0 - abstained)),
            }
            fared.key_entities.add(scores.key_entities);
            fared.rouge_l.add(scores.rouge_l);
            fared
                .grounded
                .add((answer.kind.is_answered()).then_some(f64::from(answer.grounded)));
            fared.left_out += answer.unsupported.len();
            fared.fell_back += usize::from(answer.fallback.is_some());
        }
        Ok(())
    }

    fn tell(mut self) -> Result<()> {
        self.memory.flush()?;
        let stats = self.memory.session().stats();
        let distiller = self.memory.distiller();
        let (block_ms_mean, block_ms_p95) = self.times.told_ms();
        let mut out = std::io::stdout().lock();
        let row = DistillerRow {
            stream: &self.stream.name,
            distiller: distiller.name(),
            encoder: &self.plan.kit.encoder().identity().name,
            turns: self.turns,
            did: distiller.counts(),
            block_ms_mean,
            block_ms_p95,
            stored_tokens: stats.memory.tokens,
            units: stats.memory.amus,
            probes: self.probes,
            context_tokens: self.context_tokens.get().unwrap_or_default(),
            fact_recall: self.fact_recall.get().unwrap_or_default(),
            evidence_recall: self.recall.get().unwrap_or_default(),
        };
        writeln!(out, "{}", serde_json::to_string(&row)?)?;
        for (answerer, fared) in self.plan.answerers.iter().zip(&mut self.fared) {
            let row = AnswererRow {
                stream: &self.stream.name,
                distiller: distiller.name(),
                answerer: answerer.name(),
                probes: fared.probes,
                answered_share: fared.answered.get().unwrap_or_default(),
                abstained_right: fared.abstained.get().unwrap_or_default(),
                key_entities: fared.key_entities.get().unwrap_or_default(),
                rouge_l: fared.rouge_l.get().unwrap_or_default(),
                grounded: fared.grounded.get().unwrap_or_default(),
                sentences_left_out: fared.left_out,
                fell_back: fared.fell_back,
                answer_ms_p50: fared.times.percentile(50) / 1e3,
                answer_ms_p95: fared.times.percentile(95) / 1e3,
            };
            writeln!(out, "{}", serde_json::to_string(&row)?)?;
        }
        Ok(())
    }
}
