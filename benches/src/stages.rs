//! Cost of each stage of Weir: hearing, distilling, mounting, searching, assembling, answering.
//!
//! Runs a session inline over streams, and times every stage of every turn and question, models
//! included: the encoder has no cache. At each mark of turns a row gives the percentiles since the
//! previous mark, so that a stage that slows down with the stream is visible.

use crate::drive::{self, Done, TimedDriver};
use crate::method::MethodContext;
use crate::options::{EncoderArgs, StreamArgs};
use crate::process::resident_bytes;
use crate::stream::{Item, Stream};
use crate::timing::Times;
use anyhow::Result;
use serde::Serialize;
use std::io::Write;
use weir_core::answer::{Question, quote};
use weir_core::limits::CONTEXT_TOKENS_DEFAULT;
use weir_core::session::{Input, Session};

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
    #[command(flatten)]
    settings: Settings,
}

/// Settings of a measurement.
#[derive(clap::Args)]
pub(crate) struct Settings {
    /// Tokens the memory may hold
    #[arg(long, default_value_t = 8_192)]
    pub(crate) budget_tokens: usize,
    /// Turns between two rows
    #[arg(long, default_value_t = 200)]
    pub(crate) every_turns: usize,
}

/// Names of the stages in rows: first those of a turn, as [`Done`] tells them.
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
/// Stages of a turn; those of a question follow.
pub(crate) const OF_A_TURN: usize = 4;

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

/// Measures one stream after another and prints a row for each stage at each mark.
pub(crate) fn main(args: &StagesArgs) -> Result<()> {
    let streams = args.streams.read()?;
    let encoder = match args.no_language {
        true => args.encoder.open_alone(),
        false => args.encoder.open(),
    };
    let kit = MethodContext::plain(encoder?, None);
    for stream in &streams {
        for row in measured(stream, &kit, &args.settings)? {
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
    let mut driver = TimedDriver::new(config, kit, 0)?;
    let begin = drive::begin(&stream.name, stream.started_at_unix_ms);
    driver.step(kit, &Input::Begin(begin), &mut |_| {})?;
    let (mut measured, mut told, mut rows) = (Measured::default(), 0, Vec::new());
    for item in &stream.items {
        let mut on = |done: Done<'_>| measured.note(&done);
        match item {
            Item::Turn(turn) => driver.hear(kit, turn.utterance(&stream.name), &mut on)?,
            Item::Break { started_at_unix_ms } => {
                let input = Input::Break {
                    resumes_at_unix_ms: *started_at_unix_ms,
                    stream: None,
                };
                driver.step(kit, &input, &mut on)?;
            }
            Item::Probe(_) => {}
        }
        if measured.turns >= told + settings.every_turns {
            told = measured.turns;
            rows.extend(measured.mark(stream, kit, &driver.session)?);
        }
    }
    if measured.turns > told {
        rows.extend(measured.mark(stream, kit, &driver.session)?);
    }
    Ok(rows)
}

/// Times since the last mark, and all turns.
#[derive(Default)]
struct Measured {
    times: [Times; STAGES.len()],
    turns: usize,
}

impl Measured {
    fn note(&mut self, done: &Done<'_>) {
        let (stage, us) = match done {
            Done::Next(..) => return self.turns += 1,
            Done::Encoded(us) => (0, us),
            Done::Heard(us) => (1, us),
            Done::Distilled(us) => (2, us),
            Done::Mounted(us) => (3, us),
        };
        self.times[stage].add(*us);
    }

    /// Asks, and takes the measurements since the last mark.
    fn mark(
        &mut self,
        stream: &Stream,
        kit: &MethodContext,
        session: &Session,
    ) -> Result<Vec<Row>> {
        for probe in stream.probes().take(ASKED) {
            let [.., encode, search, assemble, answer] = &mut self.times;
            let found_by = encode.time(|| kit.asked_by(&probe.question))?;
            let question = Question::new(&*probe.question, found_by, probe.asked_by.clone());
            let found = search.time(|| session.search(&question));
            let recall = assemble.time(|| found.assemble(CONTEXT_TOKENS_DEFAULT));
            std::hint::black_box(answer.time(|| quote(&question, &recall)));
        }
        let stats = session.stats();
        let of_all = STAGES.into_iter().zip(std::mem::take(&mut self.times));
        let rows = of_all.map(|(stage, mut times)| Row {
            stream: stream.name.clone(),
            encoder: kit.encoder().identity().name.clone(),
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
        Ok(rows.collect())
    }
}
