//! One method with one budget on one stream, from the first turn to the last question.

use super::contexts::{self, Shown};
use super::plan::Plan;
use super::record::{JobKey, JobRow, Line, ProbeRow};
use crate::method::{Answered, HeardTurn, Method, MethodContext, Query, Recalled};
use crate::metric::{Case, Scored, is_unanswerable};
use crate::stream::{Item, Probe, Stream, Turn};
use crate::timing::Times;
use crate::wall;
use anyhow::{Result, ensure};
use std::any::Any;
use std::collections::{HashMap, HashSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Instant;

/// Most turns of a context that a row lists.
const TURNS_NAMED_MAX: usize = 64;

/// The job's lines: its probes, then the job, and the lines of its contexts if they are kept. A
/// failure is recorded in the job's line, and there are no contexts then.
pub(super) fn run(plan: &Plan, stream: &Stream, key: &JobKey) -> (Vec<Line>, Vec<String>) {
    let mut job = Job::new(plan, key);
    let done = catch_unwind(AssertUnwindSafe(|| job.all(stream)));
    let failed = match done {
        Ok(Ok(())) => None,
        Ok(Err(error)) => Some(format!("{error:#}")),
        Err(panic) => Some(format!("panicked: {}", said_by(panic.as_ref()))),
    };
    let contexts = match failed {
        None => std::mem::take(&mut job.contexts),
        Some(_) => Vec::new(),
    };
    (job.into_lines(failed), contexts)
}

fn said_by(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or("without a word")
}

struct Job<'a> {
    plan: &'a Plan,
    key: &'a JobKey,
    kit: Arc<MethodContext>,
    began: Instant,
    turns: usize,
    ingest: Times,
    settle_us: f64,
    query: Times,
    stored: (usize, usize, usize),
    query_texts: u64,
    rows: Vec<ProbeRow>,
    /// Whether turns followed the last question.
    dirty: bool,
    held: Option<HashSet<String>>,
    /// Tokens of text stored at the last question that followed turns, and the most after any turn.
    text_tokens: usize,
    text_tokens_max: usize,
    /// One line for each question with its context, if contexts are kept.
    contexts: Vec<String>,
    /// Turns without words, as recognition may produce: they cannot be forgotten.
    wordless: Vec<String>,
}

impl<'a> Job<'a> {
    fn new(plan: &'a Plan, key: &'a JobKey) -> Self {
        let kit = MethodContext::new(
            Arc::clone(&plan.encoder),
            Arc::clone(&plan.counter),
            Arc::clone(&plan.writer),
            key.budget_tokens,
        );
        Self {
            plan,
            key,
            kit: Arc::new(kit),
            began: Instant::now(),
            turns: 0,
            ingest: Times::default(),
            settle_us: 0.0,
            query: Times::default(),
            stored: (0, 0, 0),
            query_texts: 0,
            rows: Vec::new(),
            dirty: false,
            held: None,
            text_tokens: 0,
            text_tokens_max: 0,
            contexts: Vec::new(),
            wordless: Vec::new(),
        }
    }

    fn all(&mut self, stream: &Stream) -> Result<()> {
        let mut method = (self.plan.build)(&self.key.method, Arc::clone(&self.kit))?;
        let mut said: HashMap<&str, &str> = HashMap::new();
        for (at, item) in wall::along(stream) {
            match item {
                Item::Turn(turn) => {
                    said.insert(&turn.id, self.plan.reference(stream, turn));
                    if turn.text.contains(char::is_alphanumeric) {
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
            ensure!(
                self.began.elapsed() <= limit,
                "took more than {} s",
                limit.as_secs()
            );
        }
        self.stored = (
            method.stored_tokens(),
            method.stored_bytes(),
            method.transcript_bytes(),
        );
        self.text_tokens_max = self.text_tokens_max.max(self.stored.0);
        Ok(())
    }

    fn hear(&mut self, method: &mut dyn Method, turn: &Turn, at: Option<i64>) -> Result<()> {
        let said = turn.said();
        let heard = HeardTurn {
            turn,
            said: &said,
            at_unix_ms: at,
        };
        let (us, ()) = self.kit.beside_encoder(|| method.hear(heard))?;
        self.ingest.add(us);
        self.text_tokens_max = self.text_tokens_max.max(method.stored_tokens());
        self.turns += 1;
        self.dirty = true;
        Ok(())
    }

    fn ask(
        &mut self,
        method: &mut dyn Method,
        probe: &Probe,
        said: &HashMap<&str, &str>,
    ) -> Result<()> {
        if std::mem::take(&mut self.dirty) {
            self.settle_us += self.kit.beside_encoder(|| method.settle())?.0;
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
        let texts = self.kit.encoded().1 - before;
        self.query.add(us);
        self.query_texts += texts;
        let answered = match recalled.answer.clone() {
            Some(own) => own,
            None => self.plan.answerer.answer(
                &probe.question,
                probe.asked_by.as_deref(),
                &recalled.context,
            )?,
        };
        let scored = self.scored(probe, &recalled, &answered, said)?;
        let context_tokens = self.kit.counter.count(&recalled.context);
        if self.plan.keep_contexts {
            self.keep_context(probe, &recalled, &answered, context_tokens);
        }
        self.rows.push(ProbeRow {
            job: self.key.clone(),
            probe: probe.id.clone(),
            category: probe.gold.category,
            context_tokens,
            context_turns_count: recalled.turns.len(),
            context_turns: recalled.turns.into_iter().take(TURNS_NAMED_MAX).collect(),
            answer: answered.text,
            abstained: answered.abstained,
            unanswerable: is_unanswerable(&probe.gold),
            query_us: us as u64,
            encoded_texts: texts,
            text_tokens: self.text_tokens,
            facts_in_order: scored.facts_in_order,
            scores: scored.scores,
        });
        Ok(())
    }

    fn keep_context(
        &mut self,
        probe: &Probe,
        recalled: &Recalled,
        answered: &Answered,
        context_tokens: usize,
    ) {
        let line = contexts::line(&Shown {
            probe: &probe.id,
            answered,
            recalled,
            context_tokens,
            text_tokens: self.text_tokens,
            budget_tokens: self.key.budget_tokens,
            turns: self.turns,
        });
        self.contexts.push(line);
    }

    fn scored(
        &self,
        probe: &Probe,
        recalled: &Recalled,
        answered: &Answered,
        said: &HashMap<&str, &str>,
    ) -> Result<Scored> {
        let mut scored = self.plan.scorer.score(&Case {
            gold: &probe.gold,
            question: &probe.question,
            answer: &answered.text,
            abstained: answered.abstained,
            context: &recalled.context,
            context_turns: &recalled.turns,
            said,
            held: self.held.as_ref(),
        })?;
        if let (Some(judge), Some(gold)) = (&self.plan.judge, &probe.gold.answer) {
            scored.scores.judge = judge.score(&probe.question, gold, &answered.text)?;
        }
        Ok(scored)
    }

    fn into_lines(mut self, failed: Option<String>) -> Vec<Line> {
        let (encoder_us, texts) = self.kit.encoded();
        let ingest_us_total = self.ingest.total() as u64;
        let mut ingest = |percent| self.ingest.percentile(percent) as u64;
        let (ingest_us_p50, ingest_us_p95, ingest_us_p99) = (ingest(50), ingest(95), ingest(99));
        let mut query = |percent| self.query.percentile(percent) as u64;
        let (query_us_p50, query_us_p95, query_us_p99) = (query(50), query(95), query(99));
        let job = JobRow {
            job: self.key.clone(),
            failed,
            turns: self.turns,
            probes: self.rows.len(),
            ingest_us_total,
            ingest_us_p50,
            ingest_us_p95,
            ingest_us_p99,
            settle_us: self.settle_us as u64,
            query_us_p50,
            query_us_p95,
            query_us_p99,
            encoded_texts: texts - self.query_texts,
            encoder_us,
            stored_tokens: self.stored.0,
            stored_bytes: self.stored.1,
            transcript_bytes: self.stored.2,
            text_tokens_max: self.text_tokens_max,
            wall_s: self.began.elapsed().as_secs_f64(),
        };
        let probes = self.rows.into_iter().map(|row| Line::Probe(Box::new(row)));
        probes.chain([Line::Job(Box::new(job))]).collect()
    }
}
