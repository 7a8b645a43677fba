//! Cost of each stage of Weir: hearing, distilling, mounting, searching, assembling, answering.
//!
//! Runs a session inline over streams, and times every stage of every turn and question, models
//! included: the encoder has no cache. At each mark of turns a row gives the percentiles since the
//! previous mark, so that a stage that slows down with the stream is visible.

use crate::drive::{self, Done, TimedDriver};
use crate::method::MethodContext;
use crate::options::{EncoderArgs, StreamArgs};
use crate::process::resident_bytes;
use crate::stream::{Item, Probe, Stream};
use crate::timing::{Times, us};
use anyhow::Result;
use serde::Serialize;
use std::io::Write;
use std::time::Instant;
use weir_core::answer::{Question, quote};
use weir_core::session::Input;

/// Questions asked at a mark, taken in order from the stream's probes.
const ASKED: usize = 100;

/// Options of `stages`.
#[derive(clap::Args)]
pub(crate) struct StagesArgs {
    #[command(flatten)]
    streams: StreamArgs,
    #[command(flatten)]
    encoder: EncoderArgs,
    /// Read no opinions and facts: a block is distilled without the language model
    #[arg(long)]
    no_language: bool,
    /// Tokens the memory may hold
    #[arg(long, default_value_t = 8_192)]
    budget_tokens: usize,
    /// Tokens of a context
    #[arg(long, default_value_t = 1_300)]
    context_tokens: usize,
    /// Turns between two rows
    #[arg(long, default_value_t = 200)]
    every_turns: usize,
}

#[derive(Clone, Copy)]
enum Stage {
    EncodeTurn,
    Hear,
    Distil,
    Mount,
    EncodeQuestion,
    Search,
    Assemble,
    Answer,
}

/// Names of the stages in rows, in order.
const STAGES: [&str; 8] = [
    "encode a turn",
    "hear: buffer and block rule",
    "distil a block, its statements encoded",
    "mount a block, budget kept",
    "encode a question",
    "search",
    "assemble a context",
    "answer by quoting",
];

/// One stage since the mark before.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Row {
    stream: String,
    encoder: String,
    turns: usize,
    tokens: usize,
    memory_bytes: usize,
    resident_bytes: u64,
    pub(crate) stage: &'static str,
    pub(crate) calls: usize,
    pub(crate) us_p50: f64,
    pub(crate) us_p95: f64,
    pub(crate) us_p99: f64,
}

/// Settings of a measurement.
pub(crate) struct Settings {
    pub(crate) budget_tokens: usize,
    pub(crate) context_tokens: usize,
    /// Turns between two marks.
    pub(crate) every_turns: usize,
}

/// Measures one stream after another and prints a row for each stage at each mark.
pub(crate) fn main(args: &StagesArgs) -> Result<()> {
    let streams = args.streams.read()?;
    let encoder = match args.no_language {
        true => args.encoder.open_alone()?,
        false => args.encoder.open()?,
    };
    let kit = MethodContext::plain(encoder, None);
    let settings = Settings {
        budget_tokens: args.budget_tokens,
        context_tokens: args.context_tokens,
        every_turns: args.every_turns,
    };
    for stream in &streams {
        for row in measured(stream, &kit, &settings)? {
            writeln!(std::io::stdout(), "{}", serde_json::to_string(&row)?)?;
        }
    }
    Ok(())
}

/// The rows of one stream.
pub(crate) fn measured(
    stream: &Stream,
    kit: &MethodContext,
    settings: &Settings,
) -> Result<Vec<Row>> {
    let config = drive::config(settings.budget_tokens, kit.encoder().as_ref());
    let measured = Measured {
        settings,
        kit,
        stream,
        driver: TimedDriver::new(config, kit, 0)?,
        times: Default::default(),
        turns: 0,
        rows: Vec::new(),
    };
    measured.all()
}

struct Measured<'a> {
    settings: &'a Settings,
    kit: &'a MethodContext,
    stream: &'a Stream,
    driver: TimedDriver,
    times: [Times; STAGES.len()],
    turns: usize,
    rows: Vec<Row>,
}

impl Measured<'_> {
    fn all(mut self) -> Result<Vec<Row>> {
        let begin = drive::begin(&self.stream.name, self.stream.started_at_unix_ms);
        self.step(&Input::Begin(begin))?;
        let mut told = 0;
        for item in &self.stream.items {
            match item {
                Item::Turn(turn) => {
                    let mut on = |done: Done<'_>| {
                        self.turns += usize::from(matches!(done, Done::Next(..)));
                        note(&mut self.times, &done);
                    };
                    let whole = turn.utterance(&self.stream.name);
                    self.driver.hear(self.kit, whole, &mut on)?;
                }
                Item::Break { started_at_unix_ms } => self.step(&Input::Break {
                    resumes_at_unix_ms: *started_at_unix_ms,
                    stream: None,
                })?,
                Item::Probe(_) => {}
            }
            if self.turns >= told + self.settings.every_turns {
                told = self.turns;
                self.tell()?;
            }
        }
        if self.turns > told {
            self.tell()?;
        }
        Ok(self.rows)
    }

    fn step(&mut self, input: &Input) -> Result<()> {
        let mut on = |done: Done<'_>| note(&mut self.times, &done);
        self.driver.step(self.kit, input, &mut on)?;
        Ok(())
    }

    /// Asks, and keeps the measurements since the last mark.
    fn tell(&mut self) -> Result<()> {
        let stream = self.stream;
        for probe in stream.probes().take(ASKED) {
            self.ask(probe)?;
        }
        let stats = self.driver.session.stats();
        for (stage, times) in STAGES.into_iter().zip(&mut self.times) {
            self.rows.push(Row {
                stream: stream.name.clone(),
                encoder: self.kit.encoder().identity().name.clone(),
                turns: self.turns,
                tokens: stats.memory.tokens,
                memory_bytes: stats.memory.bytes,
                resident_bytes: resident_bytes(),
                stage,
                calls: times.count(),
                us_p50: times.percentile(50),
                us_p95: times.percentile(95),
                us_p99: times.percentile(99),
            });
        }
        self.times = Default::default();
        Ok(())
    }

    fn ask(&mut self, probe: &Probe) -> Result<()> {
        let mut began = Instant::now();
        let mut note = |stage: Stage| {
            self.times[stage as usize].add(us(began));
            began = Instant::now();
        };
        let found_by = self.kit.found_by(&probe.question)?;
        note(Stage::EncodeQuestion);
        let question = Question::new(probe.question.clone(), found_by, probe.asked_by.clone());
        let found = self.driver.session.search(&question);
        note(Stage::Search);
        let recall = found.assemble(self.settings.context_tokens);
        note(Stage::Assemble);
        std::hint::black_box(quote(&question, &recall));
        note(Stage::Answer);
        Ok(())
    }
}

fn note(times: &mut [Times], done: &Done<'_>) {
    let (stage, us) = match done {
        Done::Next(..) => return,
        Done::Encoded(us) => (Stage::EncodeTurn, us),
        Done::Heard(us) => (Stage::Hear, us),
        Done::Distilled(us) => (Stage::Distil, us),
        Done::Mounted(us) => (Stage::Mount, us),
    };
    times[stage as usize].add(*us);
}
