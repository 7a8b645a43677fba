//! States of earlier marks, timed in turn with the same questions and the same dialogue.

use super::disk::{OnDisk, Transcript};
use super::world::{Fact, World};
use crate::method::MethodContext;
use crate::timing::{Times, us};
use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::time::Instant;
use tempfile::TempDir;
use weir_core::answer::{Question, Recall};
use weir_core::driver::Driver;
use weir_core::limits::{CONTEXT_TOKENS_DEFAULT, INDEX_UNITS_MIN};
use weir_core::recall::Found;
use weir_core::session::Session;
use weir_core::stream::Span;
use weir_engine::index::VectorIndex;
use weir_engine::store::TranscriptReader;

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

/// A state stored on disk, so that the simulator's own memory does not grow.
pub(super) struct Kept {
    row: Row,
    folder: TempDir,
}

impl Kept {
    pub(super) fn new(row: Row, image: &[u8], transcript: Option<&mut Transcript>) -> Result<Self> {
        let folder = tempfile::tempdir()?;
        std::fs::write(folder.path().join("image"), image)?;
        if let Some(transcript) = transcript {
            transcript.copy_to(&folder.path().join("transcript"))?;
        }
        Ok(Self { row, folder })
    }

    pub(super) fn read_back(&self, kit: &MethodContext) -> Result<State> {
        let [image, lines] = ["image", "transcript"].map(|it| self.folder.path().join(it));
        let session = Session::from_image(&std::fs::read(image)?, Arc::clone(&kit.counter))
            .with_context(|| format!("the state at {} turns", self.row.turns))?;
        Ok(State {
            row: self.row.clone(),
            session,
            transcript: lines.exists().then(|| TranscriptReader::open(&lines)),
        })
    }
}

pub(super) fn question(kit: &MethodContext, fact: &Fact) -> Result<Question> {
    let found_by = kit.asked_by(&fact.question)?;
    Ok(Question::new(&*fact.question, found_by, None))
}

/// The context of a search's result, with the transcript if there is one.
pub(super) fn assembled(found: Found<'_>, transcript: Option<&TranscriptReader>) -> Recall {
    let found = match transcript {
        Some(transcript) => found.with_transcript(transcript),
        None => found,
    };
    found.assemble(CONTEXT_TOKENS_DEFAULT)
}

/// Of all facts as many as are asked for, evenly spread.
pub(super) fn spread(facts: &[Fact]) -> impl Iterator<Item = &Fact> {
    facts.iter().step_by(facts.len().div_ceil(ASKED).max(1))
}

/// Asks all states the same probes in turn, repeatedly.
pub(super) fn time_recall(kit: &MethodContext, states: &mut [State], facts: &[Fact]) -> Result<()> {
    let probes: Result<Vec<Question>> = spread(facts).map(|fact| question(kit, fact)).collect();
    let probes = probes?;
    let mut times = vec![Times::default(); states.len()];
    for _ in 0..ROUNDS {
        for probe in &probes {
            for (state, times) in states.iter().zip(&mut times) {
                state.ask(times, || state.session.search(probe));
            }
        }
    }
    for (state, times) in states.iter_mut().zip(&mut times) {
        let row = &mut state.row;
        [row.recall_us_p50, row.recall_us_p95, row.recall_us_p99] = times.percentiles();
        if row.units >= INDEX_UNITS_MIN {
            let index = VectorIndex::build(state.session.tree(), &|| false);
            let index = index.context("nothing stops it")?;
            let mut times = Times::default();
            for probe in &probes {
                state.ask(&mut times, || state.session.search_by(probe, &index));
            }
            state.row.index_recall_us_p95 = Some(times.percentile(95));
        }
    }
    Ok(())
}

impl State {
    /// Times a search and the context of what it finds.
    fn ask<'a>(&self, times: &mut Times, search: impl FnOnce() -> Found<'a>) {
        let transcript = self.transcript.as_ref();
        std::hint::black_box(times.time(|| assembled(search(), transcript)));
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
    for _ in 0..FED / PIECE {
        let piece: Vec<_> = (0..PIECE).map(|_| world.next().0).collect();
        for (memory, state) in memories.iter_mut().zip(&mut *states) {
            let talk = piece.clone();
            let before = Instant::now();
            for utterance in talk {
                // readers hold a snapshot over a turn, so it pays for copying what it changes
                let _reader = memory.session().clone();
                let start_ms = memory.session().stream_ms() + 500;
                let end_ms = start_ms + utterance.span.end_ms - utterance.span.start_ms;
                memory.hear(utterance.at(Span::new(start_ms, end_ms)))?;
            }
            state.row.ingest_us_per_turn += us(before) / FED as f64;
        }
    }
    Ok(())
}
