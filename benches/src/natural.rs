//! `weir-bench natural`: right answers to questions as people ask them, quoted or written by a
//! model.

use crate::corpus::questions::{self, Natural};
use crate::drive;
use crate::method::MethodContext;
use crate::options::{self, EncoderArgs, LocalModelArgs, ServerModelArgs, StreamArgs, TrainedArgs};
use crate::timing::{Times, us};
use anyhow::Result;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::{BufWriter, Write};
use std::path::PathBuf;
use std::time::Instant;
use weir_core::answer::{Answer, Answerer, Question, Quote, Recall, Written};
use weir_core::limits;
use weir_models::Flow;

/// Words of an answer in which the right answer must occur.
const WORDS: usize = 40;
/// Tokens of a context, which these answers do not use.
const CONTEXT_TOKENS: usize = 1_300;

#[derive(clap::Args)]
pub(crate) struct NaturalArgs {
    #[command(flatten)]
    streams: StreamArgs,
    /// File of questions
    #[arg(long, default_value = "benches/questions/natural.jsonl")]
    questions: PathBuf,
    #[command(flatten)]
    model: LocalModelArgs,
    #[command(flatten)]
    server: ServerModelArgs,
    /// Tokens the memory may hold
    #[arg(long, default_value_t = limits::BUDGET_TOKENS_MAX)]
    budget_tokens: usize,
    #[command(flatten)]
    encoder: EncoderArgs,
    #[command(flatten)]
    trained: TrainedArgs,
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
    first: Times,
    whole: Times,
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

    fn line(mut self, corpus: &str, half: &str) -> String {
        let share = |n: usize, of: usize| n as f64 / of.max(1) as f64;
        format!(
            "{corpus}, {half}: right {:.3} of {}, {:.0} words, declined {:.3}; of {} without an \
             answer declined {:.3}; half within {:.3} s, the first words of {} within {:.3} s",
            share(self.right, self.answerable),
            self.answerable,
            share(self.words, self.answerable),
            share(self.declined, self.answerable),
            self.unanswerable,
            share(self.refused, self.unanswerable),
            self.whole.percentile(50) / 1e6,
            self.first.count(),
            self.first.percentile(50) / 1e6,
        )
    }
}

/// Asks the questions about their streams; writes each answer and a summary.
pub(crate) fn run(args: &NaturalArgs) -> Result<()> {
    args.trained.install()?;
    let streams = args.streams.read()?;
    let questions = questions::read(&args.questions)?;
    let mut answerer: Box<dyn Answerer> = match options::optional(&args.model, &args.server)? {
        Some(model) => Box::new(Written::new(model)),
        None => Box::new(Quote),
    };
    let kit = MethodContext::plain(args.encoder.open()?, None);
    let out = &mut BufWriter::new(std::io::stdout().lock());
    let mut tallies: BTreeMap<(&str, &str), Tally> = BTreeMap::new();
    for stream in &streams {
        let about = questions.iter().filter(|q| q.stream == stream.name);
        let mut about = about.peekable();
        if about.peek().is_none() {
            continue;
        }
        let mut memory = drive::memory(args.budget_tokens, &kit)?;
        drive::hear_stream(&mut memory, stream, &kit)?;
        for asked in about {
            let found_by = kit.asked_by(&asked.question)?;
            let question = Question::new(&*asked.question, found_by, asked.asked_by.clone());
            let recall = memory.session().recall(&question, CONTEXT_TOKENS);
            let tally = tallies.entry((&asked.corpus, &asked.half)).or_default();
            let line = ask(asked, &question, &recall, answerer.as_mut(), tally)?;
            writeln!(out, "{line}")?;
            out.flush()?;
        }
    }
    for ((corpus, half), tally) in tallies {
        writeln!(out, "{}", tally.line(corpus, half))?;
    }
    Ok(())
}

/// Answers a question and counts it; returns the answer as a line of JSON.
fn ask(
    asked: &Natural,
    question: &Question,
    recall: &Recall,
    answerer: &mut dyn Answerer,
    tally: &mut Tally,
) -> Result<Value> {
    let (began, mut first_us) = (Instant::now(), None);
    let answer = answerer.answer_watched(question, recall, &mut |draft| {
        if first_us.is_none() && draft.text().is_some() {
            first_us = Some(us(began));
        }
        Flow::On
    });
    let whole_us = us(began);
    let right = asked.is_right(&answer.text, WORDS) && answer.kind.is_answered();
    tally.add(asked, &answer, right);
    first_us.into_iter().for_each(|it| tally.first.add(it));
    tally.whole.add(whole_us);
    Ok(json!({
        "id": asked.id,
        "question": asked.question,
        "gold": asked.answer,
        "answer": answer.text,
        "declined": !answer.kind.is_answered(),
        // null for a question without an answer
        "right": asked.answer.is_some().then_some(right),
        "support": recall.heard.support,
        // why no model wrote the answer, and what was left out of what it wrote
        "fallback": answer.fallback,
        "unsupported": answer.unsupported,
        // to the model's first piece of text; null if it wrote none
        "first_s": first_us.map(|it| it / 1e6),
        "seconds": whole_us / 1e6,
    }))
}
