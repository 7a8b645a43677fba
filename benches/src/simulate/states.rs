//! States of earlier marks, timed in turn with the same questions and the same dialogue.

use super::disk::Transcript;
use super::row::Row;
use super::world::{Fact, World};
use crate::drive;
use crate::timing::{Times, us};
use anyhow::{Context, Result};
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
use weir_models::{CountTokens, Encode};

pub(super) const STREAM: &str = "simulated";
/// Facts asked for at each mark.
pub(super) const ASKED: usize = 200;
/// Rounds over all states with all probes.
const ROUNDS: usize = 20;
/// Turns fed to each state at the end, in batches.
const FED: usize = 2_000;
const PIECE: usize = 50;

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

    pub(super) fn read_back(&self, counter: &Arc<dyn CountTokens>) -> Result<Vec<State>> {
        let mut states = Vec::new();
        for row in &self.rows {
            let [file, lines] = self.paths(row.turns);
            let session = Session::from_image(&std::fs::read(file)?, Arc::clone(counter))
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
    pub(super) encoder: &'a dyn Encode,
    pub(super) context_tokens: usize,
}

impl Asking<'_> {
    pub(super) fn question(self, text: &str) -> Result<Question> {
        let found_by = self.encoder.encode_for_search(&[text])?.pop();
        Ok(Question::new(text, found_by.unwrap_or_default(), None))
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
                times.add(timed(asking, state, || state.session.search(probe)));
            }
        }
    }
    let mut first = None;
    for (state, times) in states.iter_mut().zip(&mut times) {
        state.row.recall_us_p50 = times.percentile(50);
        state.row.recall_us_p95 = times.percentile(95);
        state.row.recall_us_p99 = times.percentile(99);
        let p95 = state.row.recall_us_p95;
        state.row.recall_p95_ratio = p95 / *first.get_or_insert(p95);
        if state.row.units >= INDEX_UNITS_MIN {
            let index = VectorIndex::build(state.session.tree(), &|| false);
            let index = index.context("nothing stops it")?;
            let one = |probe| timed(asking, state, || state.session.search_by(probe, &index));
            let mut times: Times = probes.iter().map(one).collect();
            state.row.index_recall_us_p95 = Some(times.percentile(95));
        }
    }
    Ok(())
}

/// Microseconds of a search and of the context of what it finds.
fn timed<'a>(asking: Asking<'_>, state: &State, search: impl FnOnce() -> Found<'a>) -> f64 {
    let before = Instant::now();
    let recall = asking.assembled(search(), state.transcript.as_ref());
    let spent = us(before);
    drop(std::hint::black_box(recall));
    spent
}

/// Feeds the same dialogue to all states, one batch each in turn.
pub(super) fn time_ingest(
    states: &mut [State],
    encoder: &Arc<dyn Encode>,
    counter: &dyn CountTokens,
    world: &mut World,
) -> Result<()> {
    let mut memories: Vec<Driver> = states
        .iter()
        .map(|state| Driver::around(state.session.clone(), Arc::clone(encoder)))
        .collect();
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
                drive::hear(memory, utterance, counter, |_, _| {})?;
            }
            *spent += us(before);
        }
    }
    let first = spent.first().copied().unwrap_or(1.0);
    for (State { row, .. }, spent) in states.iter_mut().zip(spent) {
        row.ingest_us_per_turn = spent / FED as f64;
        row.ingest_ratio = spent / first;
    }
    Ok(())
}
