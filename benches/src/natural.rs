//! `weir-bench natural`: right answers to questions as people ask them.

use crate::corpus::questions::{self, Natural};
use crate::drive;
use crate::method::MethodContext;
use crate::options::{EncoderArgs, StreamArgs, TrainedArgs};
use anyhow::Result;
use serde::Serialize;
use std::collections::BTreeMap;
use std::io::{BufWriter, Write};
use std::path::PathBuf;
use weir_core::answer::{Answer, Question, quote};
use weir_core::limits;

/// Words of an answer in which the right answer must occur.
const WORDS: usize = 40;
/// Tokens of a context, which these answers do not use.
const CONTEXT_TOKENS: usize = 1_300;

/// Options of `natural`.
#[derive(clap::Args)]
pub(crate) struct NaturalArgs {
    #[command(flatten)]
    streams: StreamArgs,
    /// File of questions
    #[arg(long, default_value = "benches/questions/natural.jsonl")]
    questions: PathBuf,
    /// Ask only the questions of this half: development, test
    #[arg(long)]
    half: Option<String>,
    /// Tokens the memory may hold [default: no limit]
    #[arg(long)]
    budget_tokens: Option<usize>,
    #[command(flatten)]
    encoder: EncoderArgs,
    #[command(flatten)]
    trained: TrainedArgs,
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
pub(crate) fn run(args: &NaturalArgs) -> Result<()> {
    args.trained.install()?;
    let mut questions = questions::read(&args.questions)?;
    questions.retain(|one| args.half.as_ref().is_none_or(|half| *half == one.half));
    let streams = args.streams.read()?;
    let kit = MethodContext::plain(args.encoder.open()?, None);
    let budget_tokens = args.budget_tokens.unwrap_or(limits::BUDGET_TOKENS_MAX);
    let out = &mut BufWriter::new(std::io::stdout().lock());
    let mut tallies: BTreeMap<(&str, &str), Tally> = BTreeMap::new();
    for stream in &streams {
        let mut about = questions
            .iter()
            .filter(|q| q.stream == stream.name)
            .peekable();
        if about.peek().is_none() {
            continue;
        }
        let mut memory = drive::memory(budget_tokens, &kit)?;
        drive::hear_stream(&mut memory, stream, &kit)?;
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
