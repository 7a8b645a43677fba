//! One method with one budget on one stream, from the first turn to the last question.

use super::plan::Plan;
use super::record::{Job, JobKey, JobRow, Memory, ProbeRow};
use crate::method::{HeardTurn, Method, MethodContext, Query};
use crate::metric::{Case, score};
use crate::stream::{Item, Probe, Stream, Turn};
use crate::wall;
use anyhow::{Result, ensure};
use std::any::Any;
use std::collections::{HashMap, HashSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Instant;

/// Runs a job. A failure is recorded in its row, and its probes are left out then.
pub(super) fn run(plan: &Plan, stream: &Stream, key: &JobKey) -> Job {
    let began = Instant::now();
    let mut running = Running::new(plan, key);
    let done = catch_unwind(AssertUnwindSafe(|| running.all(stream, began)));
    let failed = match done {
        Ok(Ok(())) => None,
        Ok(Err(error)) => Some(format!("{error:#}")),
        Err(panic) => Some(format!("panicked: {}", said_by(panic.as_ref()))),
    };
    let (encoder_us, texts) = running.kit.encoded();
    let probes = match failed {
        None => running.probes,
        Some(_) => Vec::new(),
    };
    let query_texts: u64 = probes.iter().map(|row| row.encoded_texts).sum();
    let row = JobRow {
        failed,
        ingest_us: running.ingest_us as u64,
        encoded_texts: texts - query_texts,
        encoder_us,
        wall_s: began.elapsed().as_secs_f64(),
        ..running.row
    };
    Job { row, probes }
}

fn said_by(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or("without a word")
}

/// What was said, and the place of it among all turns, by id.
type Said<'a> = HashMap<&'a str, (&'a str, usize)>;

struct Running<'a> {
    plan: &'a Plan,
    kit: Arc<MethodContext>,
    row: JobRow,
    probes: Vec<ProbeRow>,
    ingest_us: f64,
    /// Whether turns followed the last question.
    dirty: bool,
    /// At the last question that followed turns: the turns held, and tokens of text stored.
    held: Option<HashSet<String>>,
    text_tokens: usize,
    /// Turns without words, as recognition may produce: they cannot be forgotten.
    wordless: Vec<String>,
}

impl<'a> Running<'a> {
    fn new(plan: &'a Plan, key: &JobKey) -> Self {
        let (encoder, counter) = (Arc::clone(&plan.encoder), Arc::clone(&plan.counter));
        let kit = MethodContext::new(encoder, counter, key.budget_tokens);
        Self {
            plan,
            kit: Arc::new(kit.with_model(plan.writer.clone())),
            row: JobRow {
                key: key.clone(),
                ..JobRow::default()
            },
            probes: Vec::new(),
            ingest_us: 0.0,
            dirty: false,
            held: None,
            text_tokens: 0,
            wordless: Vec::new(),
        }
    }

    fn all(&mut self, stream: &Stream, began: Instant) -> Result<()> {
        let mut method = (self.plan.build)(&self.row.key.method, Arc::clone(&self.kit))?;
        let mut said = HashMap::new();
        for (at, item) in wall::along(stream) {
            match item {
                Item::Turn(turn) => {
                    said.insert(turn.id.as_str(), (turn.text.as_str(), said.len()));
                    if turn.has_words() {
                        self.hear(method.as_mut(), turn, at)?;
                    } else {
                        self.wordless.push(turn.id.clone());
                        self.dirty = true;
                    }
                }
                Item::Break { started_at_unix_ms } => {
                    self.kit
                        .beside_encoder(|| method.pause(*started_at_unix_ms))?;
                    self.dirty = true;
                }
                Item::Probe(probe) => self.ask(method.as_mut(), probe, &said)?,
            }
            let limit = self.plan.time_limit;
            let in_time = began.elapsed() <= limit;
            ensure!(in_time, "took more than {} s", limit.as_secs());
        }
        self.row.stored_tokens = method.stored_tokens();
        self.row.transcript_bytes = method.transcript_bytes();
        self.row.text_tokens_max = self.row.text_tokens_max.max(self.row.stored_tokens);
        Ok(())
    }

    fn hear(&mut self, method: &mut dyn Method, turn: &Turn, at: Option<i64>) -> Result<()> {
        let said = turn.said();
        let heard = HeardTurn {
            turn,
            said: &said,
            at_unix_ms: at,
        };
        self.ingest_us += self.kit.beside_encoder(|| method.hear(heard))?.0;
        self.row.text_tokens_max = self.row.text_tokens_max.max(method.stored_tokens());
        self.row.turns += 1;
        self.dirty = true;
        Ok(())
    }

    fn ask(&mut self, method: &mut dyn Method, probe: &Probe, said: &Said<'_>) -> Result<()> {
        if std::mem::take(&mut self.dirty) {
            self.ingest_us += self.kit.beside_encoder(|| method.settle())?.0;
            let held = method.held();
            self.held = held.map(|ids| ids.into_iter().chain(self.wordless.clone()).collect());
            self.text_tokens = method.stored_tokens();
        }
        let query = Query {
            text: &probe.question,
            asked_by: probe.asked_by.as_deref(),
            context_tokens: self.plan.context_tokens,
        };
        let before = self.kit.encoded().1;
        let (us, recalled) = self.kit.beside_encoder(|| method.recall(&query))?;
        let encoded_texts = self.kit.encoded().1 - before;
        let answer = recalled.answer;
        let words = said.iter().map(|(id, (text, _))| (*id, *text)).collect();
        let evidence = probe.gold.evidence.iter();
        let places = evidence.filter_map(|id| Some(said.get(id.as_str())?.1));
        let case = Case {
            gold: &probe.gold,
            question: &probe.question,
            answer: answer.as_ref(),
            context: &recalled.context,
            context_turns: &recalled.turns,
            said: &words,
            held: self.held.as_ref(),
        };
        let scores = score(&case, self.plan.encoder.as_ref())?;
        self.probes.push(ProbeRow {
            probe: probe.id.clone(),
            category: probe.gold.category,
            abstained: answer.as_ref().map(|answer| answer.abstained),
            answer: answer.map(|answer| answer.text),
            context_utterances: recalled.turns,
            context_tokens: self.kit.counter.count(&recalled.context),
            context: self.plan.keep_contexts.then_some(recalled.context),
            memory: Memory {
                text_tokens: self.text_tokens,
                budget_tokens: self.row.key.budget_tokens,
            },
            turns: self.row.turns,
            distance: places.max().map(|last| said.len() - last),
            query_us: us as u64,
            encoded_texts,
            scores,
        });
        Ok(())
    }
}
