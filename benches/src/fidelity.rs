//! How much of what is asked for the memory still holds, finds and shows.
//!
//! Each dialogue is fed as text into a memory of its own; then all its questions are asked, none of
//! which leaves a trace. Measures as defined for stream files: evidence recall, answer containment,
//! regret.

use crate::corpus::{Dialogue, Gold, Item};
use anyhow::Result;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::io::Write;
use std::sync::Arc;
use weir_engine::answer::{Question, Recall, quote};
use weir_engine::config::SessionConfig;
use weir_engine::distil::{Block, Distil, DistilError, Distillate, Extractive, salience_factors};
use weir_engine::inline::Memory;
use weir_engine::stream::{Span, StreamStart, Utterance};
use weir_engine::text::content_words;
use weir_models::{CountTokens, Encode};

/// Speed of speech for corpora without times, in milliseconds a word, and the pause after a turn.
const WORD_MS: u64 = 400;
const PAUSE_MS: u64 = 500;

/// Sums over questions of one kind.
#[derive(Debug, Clone, Default)]
struct Sums {
    asked: usize,
    with_evidence: usize,
    evidence: f64,
    contained: f64,
    with_answer: usize,
    regret: f64,
    abstained: usize,
    context_tokens: usize,
}

/// What one kind of question came to.
#[derive(Serialize)]
struct Row<'a> {
    corpus: &'a str,
    dialogue: &'a str,
    encoder: &'a str,
    budget_tokens: usize,
    context_tokens: usize,
    category: &'a str,
    questions: usize,
    evidence_recall: f64,
    answer_containment: f64,
    regret: f64,
    abstained: usize,
    context_tokens_mean: f64,
}

/// What is measured.
pub(crate) struct Plan<'a> {
    pub(crate) corpus: &'a str,
    pub(crate) encoder: Arc<dyn Encode>,
    pub(crate) counter: Arc<dyn CountTokens>,
    pub(crate) config: SessionConfig,
    pub(crate) context_tokens: usize,
    /// How statements are weighed before anybody asked for them.
    pub(crate) prior: Prior,
    /// Writes each question with what was missed to stderr.
    pub(crate) misses: bool,
}

/// The power to which each factor of a statement's salience is taken: 0 leaves it out, 1 is the
/// default.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub(crate) struct Prior {
    pub(crate) question: f32,
    pub(crate) first_person: f32,
    pub(crate) figures: f32,
}

impl Prior {
    pub(crate) fn whole() -> Self {
        Self {
            question: 1.0,
            first_person: 1.0,
            figures: 1.0,
        }
    }
}

/// The extractive distiller with factors of salience of other strength.
struct Weighed(Prior);

impl Distil for Weighed {
    fn name(&self) -> &str {
        "extractive, weighed otherwise"
    }

    fn distil(&mut self, block: &Block, encode: &dyn Encode) -> Result<Distillate, DistilError> {
        let mut made = Extractive.distil(block, encode)?;
        for unit in &mut made.units {
            let factors = salience_factors(&unit.evidence[0].quote);
            unit.salience = factors.question.powf(self.0.question)
                * factors.first_person.powf(self.0.first_person)
                * factors.figures.powf(self.0.figures);
        }
        Ok(made)
    }
}

/// Evidence recall over all questions of all dialogues, and of what was forgotten, the share.
pub(crate) fn recalled(plan: &Plan<'_>, dialogues: &[Dialogue]) -> Result<(f64, f64)> {
    let mut all = Sums::default();
    for sums in measured(plan, dialogues)? {
        all.add(&sums["all"]);
    }
    let of = all.with_evidence.max(1) as f64;
    Ok((all.evidence / of, all.regret / of))
}

/// Of each dialogue, the sum of evidence recall over its questions, and how many they are.
pub(crate) fn recalled_each(plan: &Plan<'_>, dialogues: &[Dialogue]) -> Result<Vec<(f64, usize)>> {
    let sums = measured(plan, dialogues)?;
    Ok(sums
        .iter()
        .map(|sums| (sums["all"].evidence, sums["all"].with_evidence))
        .collect())
}

fn measured<'a>(
    plan: &Plan<'_>,
    dialogues: &'a [Dialogue],
) -> Result<Vec<BTreeMap<&'a str, Sums>>> {
    std::thread::scope(|scope| {
        let started: Vec<_> = dialogues
            .iter()
            .map(|dialogue| scope.spawn(move || one(plan, dialogue)))
            .collect();
        let joined = started.into_iter().map(|thread| thread.join());
        joined
            .map(|done| done.unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            .collect()
    })
}

/// Measures every dialogue and prints a row for each and for all, by kind of question.
pub(crate) fn run(plan: &Plan<'_>, dialogues: &[Dialogue]) -> Result<()> {
    let mut all: BTreeMap<&str, Sums> = BTreeMap::new();
    let sums = measured(plan, dialogues)?;
    for (dialogue, sums) in dialogues.iter().zip(&sums) {
        for (category, sums) in sums {
            all.entry(category).or_default().add(sums);
            if *category == "all" {
                print(plan, &dialogue.name, category, sums)?;
            }
        }
    }
    for (category, sums) in &all {
        print(plan, "all", category, sums)?;
    }
    Ok(())
}

fn print(plan: &Plan<'_>, dialogue: &str, category: &str, sums: &Sums) -> Result<()> {
    let mean = |sum: f64, of: usize| sum / of.max(1) as f64;
    let row = Row {
        corpus: plan.corpus,
        dialogue,
        encoder: &plan.encoder.identity().name,
        budget_tokens: plan.config.budget_tokens,
        context_tokens: plan.context_tokens,
        category,
        questions: sums.asked,
        evidence_recall: mean(sums.evidence, sums.with_evidence),
        answer_containment: mean(sums.contained, sums.with_answer),
        regret: mean(sums.regret, sums.with_evidence),
        abstained: sums.abstained,
        context_tokens_mean: mean(sums.context_tokens as f64, sums.asked),
    };
    writeln!(std::io::stdout(), "{}", serde_json::to_string(&row)?)?;
    Ok(())
}

impl Sums {
    fn add(&mut self, other: &Self) {
        self.asked += other.asked;
        self.with_evidence += other.with_evidence;
        self.evidence += other.evidence;
        self.contained += other.contained;
        self.with_answer += other.with_answer;
        self.regret += other.regret;
        self.abstained += other.abstained;
        self.context_tokens += other.context_tokens;
    }
}

fn one<'a>(plan: &Plan<'_>, dialogue: &'a Dialogue) -> Result<BTreeMap<&'a str, Sums>> {
    let memory = heard(plan, dialogue)?;
    let session = memory.session();
    let said: HashMap<&str, BTreeSet<String>> = dialogue
        .turns()
        .map(|turn| (turn.id.as_str(), content_words(&turn.text).collect()))
        .collect();
    let held: HashSet<String> = session.held().into_iter().map(|(_, id)| id).collect();
    let mut sums: BTreeMap<&str, Sums> = BTreeMap::new();
    for gold in &dialogue.questions {
        let question = Question {
            text: gold.question.clone(),
            vector: plan
                .encoder
                .encode(&[&gold.question])?
                .pop()
                .unwrap_or_default(),
            asked_by: None,
        };
        let recall = session.recall(&question, plan.context_tokens);
        let mut score = score(gold, &recall, &said, &held, plan.misses)?;
        score.abstained = usize::from(quote(&question, &recall).abstained);
        sums.entry(gold.category).or_default().add(&score);
        sums.entry("all").or_default().add(&score);
    }
    Ok(sums)
}

/// A memory that has heard the whole dialogue.
fn heard(plan: &Plan<'_>, dialogue: &Dialogue) -> Result<Memory> {
    let mut memory = Memory::new(
        plan.config.clone(),
        Arc::clone(&plan.encoder),
        Arc::clone(&plan.counter),
    )?;
    if plan.prior != Prior::whole() {
        memory = memory.with_distiller(Box::new(Weighed(plan.prior)));
    }
    let (mut now_ms, mut begun) = (0, false);
    for item in &dialogue.items {
        match item {
            Item::Sitting { started_at_unix_ms } if begun => memory.pause(*started_at_unix_ms)?,
            Item::Sitting { started_at_unix_ms } => {
                memory.begin(StreamStart {
                    name: dialogue.name.clone(),
                    started_at_unix_ms: *started_at_unix_ms,
                })?;
                begun = true;
            }
            // "..." says nothing, and a session takes nothing without a word
            Item::Turn(turn) if !turn.text.contains(char::is_alphanumeric) => {}
            Item::Turn(turn) => {
                let words = turn.text.split_whitespace().count() as u64;
                let end_ms = now_ms + words.max(1) * WORD_MS;
                memory.hear(Utterance {
                    id: turn.id.clone(),
                    stream: dialogue.name.clone(),
                    speaker: Some(turn.speaker.clone()),
                    span: Span::new(now_ms, end_ms),
                    audio: None,
                    confidence: None,
                    text: turn.text.clone(),
                })?;
                now_ms = end_ms + PAUSE_MS;
            }
        }
    }
    memory.flush()?;
    Ok(memory)
}

fn score(
    gold: &Gold,
    recall: &Recall,
    said: &HashMap<&str, BTreeSet<String>>,
    held: &HashSet<String>,
    misses: bool,
) -> Result<Sums> {
    let shown: BTreeSet<String> = content_words(&recall.context).collect();
    let listed: HashSet<&str> = recall
        .context_utterances
        .iter()
        .map(|(_, id)| id.as_str())
        .collect();
    let share = |words: &BTreeSet<String>| {
        let found = words.iter().filter(|word| shown.contains(*word)).count();
        found as f64 / words.len().max(1) as f64
    };
    let found = |id: &&String| listed.contains(id.as_str()) && share(&said[id.as_str()]) >= 0.5;
    let of = gold.evidence.len().max(1) as f64;
    let hits = gold.evidence.iter().filter(found).count();
    let lost = gold
        .evidence
        .iter()
        .filter(|id| !held.contains(*id))
        .count();
    if misses && hits < gold.evidence.len() {
        for id in gold.evidence.iter().filter(|id| !found(id)) {
            let why = match (held.contains(id), listed.contains(id.as_str())) {
                (false, _) => "forgotten",
                (true, true) => "cut short",
                (true, false) => "not found",
            };
            let words: Vec<&String> = said[id.as_str()].iter().collect();
            writeln!(
                std::io::stderr(),
                "{why}\t{}\t{}\t{id}\t{words:?}",
                gold.category,
                gold.question
            )?;
        }
    }
    let answer: Option<BTreeSet<String>> = gold
        .answer
        .as_ref()
        .map(|answer| content_words(answer).collect());
    let answer = answer.filter(|words| !words.is_empty());
    Ok(Sums {
        asked: 1,
        with_evidence: usize::from(!gold.evidence.is_empty()),
        evidence: hits as f64 / of,
        contained: answer.as_ref().map_or(0.0, share),
        with_answer: usize::from(answer.is_some()),
        regret: lost as f64 / of,
        abstained: 0,
        context_tokens: recall.context_tokens,
    })
}
