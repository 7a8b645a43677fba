//! What each stage of Weir costs: hearing, distilling, mounting, searching, assembling, answering.
//!
//! Drives a session inline over streams, and times every stage of every turn and question, models
//! included: the encoder remembers nothing here. At each mark of turns a row tells the tails since
//! the last one, so that a stage that grows with the stream shows.

use crate::method::Kit;
use crate::process::resident_bytes;
use crate::stream::{Item, Probe, Stream, Turn};
use crate::timing::Times;
use anyhow::Result;
use serde::Serialize;
use std::io::Write;
use std::sync::Arc;
use std::time::{Duration, Instant};
use weir_core::answer::{Question, quote};
use weir_core::config::{EncoderProfile, SessionConfig};
use weir_core::distil::{Distil, Extractive};
use weir_core::session::{EncoderStamp, Input, Session};
use weir_core::stream::StreamStart;
use weir_core::talk::split;

/// Questions asked at a mark, taken in order from the stream's probes.
const ASKED: usize = 100;

/// What is measured.
pub(crate) struct Plan {
    pub(crate) kit: Kit,
    pub(crate) budget_tokens: usize,
    pub(crate) context_tokens: usize,
    /// Turns between two rows.
    pub(crate) every_turns: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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

const STAGES: [(Stage, &str); 8] = [
    (Stage::EncodeTurn, "encode a turn"),
    (Stage::Hear, "hear: buffer and block rule"),
    (Stage::Distil, "distil a block, its statements encoded"),
    (Stage::Mount, "mount a block, budget kept"),
    (Stage::EncodeQuestion, "encode a question"),
    (Stage::Search, "search"),
    (Stage::Assemble, "assemble a context"),
    (Stage::Answer, "answer by quoting"),
];

#[derive(Serialize)]
struct Row<'a> {
    stream: &'a str,
    encoder: &'a str,
    turns: usize,
    tokens: usize,
    memory_bytes: usize,
    resident_bytes: u64,
    stage: &'a str,
    calls: usize,
    us_p50: f64,
    us_p95: f64,
    us_p99: f64,
}

/// Measures one stream after the other and prints a row for each stage at each mark.
pub(crate) fn run(plan: &Plan, streams: &[Stream]) -> Result<()> {
    for stream in streams {
        Measured::new(plan, stream)?.all()?;
    }
    Ok(())
}

struct Measured<'a> {
    plan: &'a Plan,
    stream: &'a Stream,
    session: Session,
    times: [(usize, Times); STAGES.len()],
    turns: usize,
}

impl<'a> Measured<'a> {
    fn new(plan: &'a Plan, stream: &'a Stream) -> Result<Self> {
        let encoder = plan.kit.encoder();
        let config = SessionConfig {
            budget_tokens: plan.budget_tokens,
            profile: EncoderProfile::for_encoder(&encoder.identity().name),
            ..SessionConfig::default()
        };
        let stamp = EncoderStamp::of(encoder.as_ref());
        let mut session = Session::new(config, stamp, Arc::clone(&plan.kit.counter))?;
        session.apply(&Input::Begin(StreamStart {
            name: stream.name.clone(),
            started_at_unix_ms: stream.started_at_unix_ms,
        }))?;
        Ok(Self {
            plan,
            stream,
            session,
            times: Default::default(),
            turns: 0,
        })
    }

    fn all(mut self) -> Result<()> {
        let mut told = 0;
        for item in &self.stream.items {
            match item {
                Item::Turn(turn) => self.hear(turn)?,
                Item::Break { started_at_unix_ms } => {
                    self.session.apply(&Input::Break {
                        resumes_at_unix_ms: *started_at_unix_ms,
                    })?;
                    self.mount()?;
                }
                Item::Probe(_) => {}
            }
            if self.turns >= told + self.plan.every_turns {
                told = self.turns;
                self.tell()?;
            }
        }
        if self.turns > told {
            self.tell()?;
        }
        Ok(())
    }

    /// Times a step under a stage's name.
    fn timed<T>(
        &mut self,
        stage: Stage,
        step: impl FnOnce(&mut Session) -> Result<T>,
    ) -> Result<T> {
        let began = Instant::now();
        let done = step(&mut self.session)?;
        self.note(stage, began.elapsed());
        Ok(done)
    }

    fn note(&mut self, stage: Stage, spent: Duration) {
        if let Some(at) = STAGES.iter().position(|(known, _)| *known == stage) {
            self.times[at].0 += 1;
            self.times[at].1.add(spent.as_secs_f64() * 1e6);
        }
    }

    fn hear(&mut self, turn: &Turn) -> Result<()> {
        let plan = self.plan;
        let whole = turn.utterance(&self.stream.name);
        for utterance in split(
            whole,
            self.session.config().raw_limits().utterance,
            plan.kit.counter.as_ref(),
        ) {
            let said = match &utterance.speaker {
                Some(speaker) => format!("{speaker}: {}", utterance.text),
                None => utterance.text.clone(),
            };
            let found = self.timed(Stage::EncodeTurn, |_| plan.kit.found_by(&said))?;
            let input = Input::heard(utterance, found);
            self.timed(Stage::Hear, |session| Ok(session.apply(&input)?))?;
            self.mount()?;
            self.turns += 1;
        }
        Ok(())
    }

    fn mount(&mut self) -> Result<()> {
        let plan = self.plan;
        while let Some(block) = self.session.next_block() {
            let encoder = plan.kit.encoder().as_ref();
            let made = self.timed(Stage::Distil, |_| Ok(Extractive.distil(&block, encoder)?))?;
            let input = Input::Mount(Box::new(made));
            self.timed(Stage::Mount, |session| Ok(session.apply(&input)?))?;
        }
        Ok(())
    }

    /// Asks, and prints what was measured since the last time.
    fn tell(&mut self) -> Result<()> {
        let stream = self.stream;
        let probes: Vec<&Probe> = stream.probes().take(ASKED).collect();
        for probe in probes {
            self.ask(probe)?;
        }
        let stats = self.session.stats();
        let mut out = std::io::stdout().lock();
        for ((_, stage), (calls, times)) in STAGES.iter().zip(&mut self.times) {
            let row = Row {
                stream: &stream.name,
                encoder: &self.plan.kit.encoder().identity().name,
                turns: self.turns,
                tokens: stats.memory.tokens,
                memory_bytes: stats.memory.bytes,
                resident_bytes: resident_bytes(),
                stage,
                calls: *calls,
                us_p50: times.percentile(50),
                us_p95: times.percentile(95),
                us_p99: times.percentile(99),
            };
            writeln!(out, "{}", serde_json::to_string(&row)?)?;
        }
        self.times = Default::default();
        Ok(())
    }

    fn ask(&mut self, probe: &Probe) -> Result<()> {
        let plan = self.plan;
        let found_by = self.timed(Stage::EncodeQuestion, |_| {
            plan.kit.found_by(&probe.question)
        })?;
        let question = Question::new(probe.question.clone(), found_by, probe.asked_by.clone());
        // what search found borrows the session, so both halves are timed here
        let began = Instant::now();
        let found = self.session.search(&question);
        let searched = began.elapsed();
        let recall = found.assemble(plan.context_tokens);
        let assembled = began.elapsed();
        drop(found);
        self.note(Stage::Search, searched);
        self.note(Stage::Assemble, assembled - searched);
        self.timed(Stage::Answer, |_| {
            std::hint::black_box(quote(&question, &recall));
            Ok(())
        })
    }
}
