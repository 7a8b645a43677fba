//! Questions to memories that hold whole dialogues: writes the ranker's features for training, and
//! measures answers to natural questions.

use crate::corpus::questions::Natural;
use crate::drive;
use crate::method::MethodContext;
use crate::stream::{Category, Item, Stream};
use anyhow::Result;
use serde::Serialize;
use std::collections::BTreeMap;
use std::io::Write;
use weir_core::answer::{Answer, Question, quote};
use weir_core::driver::Driver;
use weir_core::limits;
use weir_core::recall::Ranker;

/// Words of an answer in which the right answer must occur.
const WORDS: usize = 40;
/// Tokens of a context, which these answers do not use.
const CONTEXT_TOKENS: usize = 1_300;

/// A memory that has taken in a whole stream.
fn told(stream: &Stream, kit: &MethodContext, budget_tokens: Option<usize>) -> Result<Driver> {
    let budget_tokens = budget_tokens.unwrap_or(limits::BUDGET_TOKENS_MAX);
    let mut memory = drive::memory(budget_tokens, kit)?;
    memory.begin(drive::begin(&stream.name, stream.started_at_unix_ms))?;
    for item in &stream.items {
        match item {
            Item::Turn(turn) if turn.text.contains(char::is_alphanumeric) => {
                let whole = turn.utterance(&stream.name);
                drive::hear(&mut memory, whole, kit.counter.as_ref(), |_, _| {})?;
            }
            Item::Break { started_at_unix_ms } => memory.pause(*started_at_unix_ms)?,
            Item::Turn(_) | Item::Probe(_) => {}
        }
    }
    memory.flush()?;
    Ok(memory)
}

#[derive(Serialize)]
struct Weighed<'a> {
    stream: &'a str,
    id: &'a str,
    question: &'a str,
    answer: Option<&'a str>,
    category: Option<Category>,
    evidence: &'a [String],
    statements: Vec<Statement>,
    /// Features of the statements without those of the evidence.
    without_evidence: Vec<Vec<f32>>,
}

#[derive(Serialize)]
struct Head {
    features: Vec<String>,
}

#[derive(Serialize)]
struct Statement {
    text: String,
    speaker: Option<String>,
    utterance: Option<String>,
    features: Vec<f32>,
}

/// Writes the names of the ranker's features, then a line for each probe: its best statements with
/// their features.
pub(crate) fn weigh(streams: &[Stream], kit: &MethodContext, out: &mut dyn Write) -> Result<()> {
    let features = Ranker::features();
    writeln!(out, "{}", serde_json::to_string(&Head { features })?)?;
    for stream in streams {
        let memory = told(stream, kit, None)?;
        for probe in stream.probes() {
            let found_by = kit.found_by(&probe.question)?;
            let question = Question::new(&*probe.question, found_by, probe.asked_by.clone());
            let found = memory.session().search(&question);
            let statements = found.weighed(&[]).into_iter().map(|one| Statement {
                text: one.text,
                speaker: one.speaker,
                utterance: one.utterance,
                features: one.features,
            });
            let line = Weighed {
                stream: &stream.name,
                id: &probe.id,
                question: &probe.question,
                answer: probe.gold.answer.as_deref(),
                category: probe.gold.category,
                evidence: &probe.gold.evidence,
                statements: statements.collect(),
                without_evidence: found
                    .weighed(&probe.gold.evidence)
                    .into_iter()
                    .map(|one| one.features)
                    .collect(),
            };
            writeln!(out, "{}", serde_json::to_string(&line)?)?;
        }
    }
    Ok(())
}

#[derive(Serialize)]
struct Answered<'a> {
    id: &'a str,
    question: &'a str,
    gold: Option<&'a str>,
    answer: &'a str,
    declined: bool,
    /// Null for a question without an answer.
    right: Option<bool>,
    support: f32,
}

/// Results for the questions of one half and corpus.
#[derive(Default)]
struct Tally {
    answerable: usize,
    right: usize,
    declined: usize,
    words: usize,
    unanswerable: usize,
    refused: usize,
}

impl Tally {
    fn add(&mut self, asked: &Natural, answer: &Answer, right: bool) {
        if asked.answer.is_some() {
            self.answerable += 1;
            self.right += usize::from(right);
            self.declined += usize::from(!answer.kind.is_answered());
            self.words += answer.text.split_whitespace().count();
        } else {
            self.unanswerable += 1;
            self.refused += usize::from(!answer.kind.is_answered());
        }
    }
}

/// Asks natural questions about their streams; writes each answer and a summary.
pub(crate) fn natural(
    streams: &[Stream],
    questions: &[Natural],
    kit: &MethodContext,
    budget_tokens: Option<usize>,
    out: &mut dyn Write,
) -> Result<()> {
    let mut tallies: BTreeMap<(&str, &str), Tally> = BTreeMap::new();
    for stream in streams {
        let mut about = questions
            .iter()
            .filter(|q| q.stream == stream.name)
            .peekable();
        if about.peek().is_none() {
            continue;
        }
        let memory = told(stream, kit, budget_tokens)?;
        for asked in about {
            let found_by = kit.found_by(&asked.question)?;
            let question = Question::new(&*asked.question, found_by, asked.asked_by.clone());
            let recall = memory.session().recall(&question, CONTEXT_TOKENS);
            let answer = quote(&question, &recall);
            let right = asked.is_right(&answer.text, WORDS) && answer.kind.is_answered();
            let tally = tallies.entry((&asked.corpus, &asked.half));
            tally.or_default().add(asked, &answer, right);
            let line = Answered {
                id: &asked.id,
                question: &asked.question,
                gold: asked.answer.as_deref(),
                answer: &answer.text,
                declined: !answer.kind.is_answered(),
                right: asked.answer.is_some().then_some(right),
                support: recall.heard.support,
            };
            writeln!(out, "{}", serde_json::to_string(&line)?)?;
        }
    }
    for ((corpus, half), tally) in tallies {
        let share = |n: usize, of: usize| n as f64 / of.max(1) as f64;
        writeln!(
            out,
            "{corpus}, {half}: right {:.3} of {}, {:.0} words, declined {:.3}; of {} without an \
             answer declined {:.3}",
            share(tally.right, tally.answerable),
            tally.answerable,
            share(tally.words, tally.answerable),
            share(tally.declined, tally.answerable),
            tally.unanswerable,
            share(tally.refused, tally.unanswerable),
        )?;
    }
    Ok(())
}
