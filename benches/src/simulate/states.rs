//! States of earlier marks, timed in turn with the same questions and the same dialogue.

use super::disk::{OnDisk, Transcript};
use super::world::{Fact, World};
use crate::drive;
use crate::method::MethodContext;
use crate::timing::{Times, us};
use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;
use weir_core::answer::{Question, Recall};
use weir_core::driver::Driver;
use weir_core::limits::INDEX_UNITS_MIN;
use weir_core::recall::Found;
use weir_core::session::Session;
use weir_core::stream::Span;
use weir_engine::index::VectorIndex;
use weir_engine::store::TranscriptReader;

pub(super) const STREAM: &str = "simulated";
/// Facts asked for at each mark.
pub(super) const ASKED: usize = 200;
/// Rounds over all states with all probes.
const ROUNDS: usize = 20;
/// Turns fed to each state at the end, in batches.
const FED: usize = 2_000;
const PIECE: usize = 50;

/// One mark, as printed.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct Row {
    pub(crate) turns: u64,
    /// Tokens of all lines heard.
    pub(crate) heard_tokens: usize,
    /// Of the tree only.
    pub(crate) tokens: usize,
    /// Of all text, and the most after any turn so far.
    pub(crate) text_tokens: usize,
    pub(crate) text_tokens_max: usize,
    pub(crate) budget_tokens: usize,
    pub(crate) units: usize,
    pub(crate) recall_us_p50: f64,
    pub(crate) recall_us_p95: f64,
    pub(crate) recall_us_p99: f64,
    pub(crate) ingest_us_per_turn: f64,
    /// p95 by index, if there are enough units for one.
    pub(crate) index_recall_us_p95: Option<f64>,
    /// A copy of the session, which readers use, and an image of it.
    pub(crate) copy_us_p95: f64,
    pub(crate) image_us: f64,
    /// Of the process before the first turn, and at the mark.
    pub(crate) resident_before_bytes: u64,
    pub(crate) resident_bytes: u64,
    pub(crate) memory_bytes: usize,
    pub(crate) snapshot_bytes: usize,
    pub(crate) facts_found_recent: f64,
    pub(crate) facts_found_ever: f64,
    pub(crate) regret_ever: f64,
    #[serde(flatten)]
    pub(crate) transcript: Option<OnDisk>,
}

/// A stored state of an earlier mark.
pub(super) struct State {
    pub(super) row: Row,
    session: Session,
    transcript: Option<TranscriptReader>,
}

/// States stored on disk, so that the simulator's own memory does not grow.
pub(super) struct KeptStates {
    folder: tempfile::TempDir,
    rows: Vec<Row>,
}

impl KeptStates {
    pub(super) fn new() -> Result<Self> {
        Ok(Self {
            folder: tempfile::tempdir()?,
            rows: Vec::new(),
        })
    }

    /// Where image and transcript of a state are.
    fn paths(&self, turns: u64) -> [PathBuf; 2] {
        let path = |what| self.folder.path().join(format!("{turns}-{what}"));
        ["image", "transcript"].map(path)
    }

    pub(super) fn keep(
        &mut self,
        row: Row,
        image: &[u8],
        transcript: Option<&mut Transcript>,
    ) -> Result<()> {
        let [file, folder] = self.paths(row.turns);
        std::fs::write(file, image)?;
        if let Some(transcript) = transcript {
            transcript.copy_to(&folder)?;
        }
        self.rows.push(row);
        Ok(())
    }

    pub(super) fn read_back(&self, kit: &MethodContext) -> Result<Vec<State>> {
        let mut states = Vec::new();
        for row in &self.rows {
            let [file, lines] = self.paths(row.turns);
            let session = Session::from_image(&std::fs::read(file)?, Arc::clone(&kit.counter))
                .with_context(|| format!("the state at {} turns", row.turns))?;
            states.push(State {
                row: row.clone(),
                session,
                transcript: lines.exists().then(|| TranscriptReader::open(&lines)),
            });
        }
        Ok(states)
    }
}

/// How questions are asked.
#[derive(Clone, Copy)]
pub(super) struct Asking<'a> {
    pub(super) kit: &'a MethodContext,
    pub(super) context_tokens: usize,
}

impl Asking<'_> {
    pub(super) fn question(self, text: &str) -> Result<Question> {
        Ok(Question::new(text, self.kit.asked_by(text)?, None))
    }

    /// The context of a search's result, with the transcript if there is one.
    pub(super) fn assembled(
        self,
        found: Found<'_>,
        transcript: Option<&TranscriptReader>,
    ) -> Recall {
        let found = match transcript {
            Some(transcript) => found.with_transcript(transcript),
            None => found,
        };
        found.assemble(self.context_tokens)
    }
}

/// Asks all states the same probes in turn, repeatedly.
pub(super) fn time_recall(asking: Asking<'_>, states: &mut [State], facts: &[Fact]) -> Result<()> {
    let probes: Vec<Question> = facts
        .iter()
        .step_by(facts.len().div_ceil(ASKED).max(1))
        .map(|fact| asking.question(&fact.question))
        .collect::<Result<_>>()?;
    let mut times = vec![Times::default(); states.len()];
    for _ in 0..ROUNDS {
        for probe in &probes {
            for (state, times) in states.iter().zip(&mut times) {
                state.ask(asking, times, || state.session.search(probe));
            }
        }
    }
    for (state, times) in states.iter_mut().zip(&mut times) {
        state.row.recall_us_p50 = times.percentile(50);
        state.row.recall_us_p95 = times.percentile(95);
        state.row.recall_us_p99 = times.percentile(99);
        if state.row.units >= INDEX_UNITS_MIN {
            let index = VectorIndex::build(state.session.tree(), &|| false);
            let index = index.context("nothing stops it")?;
            let mut times = Times::default();
            for probe in &probes {
                state.ask(asking, &mut times, || {
                    state.session.search_by(probe, &index)
                });
            }
            state.row.index_recall_us_p95 = Some(times.percentile(95));
        }
    }
    Ok(())
}

impl State {
    /// Times a search and the context of what it finds.
    fn ask<'a>(&self, asking: Asking<'_>, times: &mut Times, search: impl FnOnce() -> Found<'a>) {
        let transcript = self.transcript.as_ref();
        std::hint::black_box(times.time(|| asking.assembled(search(), transcript)));
    }
}

/// Feeds the same dialogue to all states, one batch each in turn.
pub(super) fn time_ingest(
    kit: &MethodContext,
    states: &mut [State],
    world: &mut World,
) -> Result<()> {
    let memory = |state: &State| Driver::around(state.session.clone(), Arc::clone(kit.encoder()));
    let mut memories: Vec<Driver> = states.iter().map(memory).collect();
    let mut spent = vec![0.0; memories.len()];
    for _ in 0..FED / PIECE {
        let piece: Vec<_> = (0..PIECE).map(|_| world.next(STREAM).0).collect();
        for (memory, spent) in memories.iter_mut().zip(&mut spent) {
            let talk = piece.clone();
            let before = Instant::now();
            for mut utterance in talk {
                // readers hold a snapshot over a turn, so it pays for copying what it changes
                let _reader = memory.session().clone();
                let start_ms = memory.session().stream_ms() + 500;
                let length_ms = utterance.span.end_ms - utterance.span.start_ms;
                utterance.span = Span::new(start_ms, start_ms + length_ms);
                drive::hear(memory, utterance, kit.counter.as_ref(), |_, _| {})?;
            }
            *spent += us(before);
        }
    }
    for (state, spent) in states.iter_mut().zip(spent) {
        state.row.ingest_us_per_turn = spent / FED as f64;
    }
    Ok(())
}
