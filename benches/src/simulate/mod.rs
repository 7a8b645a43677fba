//! Runs a million turns to check that nothing grows, slows down, or is lost unexpectedly.
//!
//! One session hears endless dialogue (see [`world`]) with a budget that is full early; after each
//! turn all its text must be within the budget. At each decade of turns its image is stored, its
//! size is measured, and facts planted so far are asked for. With `--transcript-bytes` a transcript
//! is written too, answers look up words in it, and its files are measured. At the end the stored
//! states, each with its transcript at that time, are loaded, asked, and fed. They take turns with
//! the same probes and the same dialogue, so that other load on the machine affects all of them
//! alike.
//!
//! Caveats: the dialogue consists of real turns with replaced words, its vectors of recombined real
//! vectors. A question's time excludes its encoder; a turn's time includes this substitute encoder.
//! Disk access is part of a time only when a transcript is read for an answer.

mod disk;
mod geometry;
pub(crate) mod index;
mod plot;
mod row;
mod talk;
mod world;

use crate::corpus::Dialogue;
use crate::drive;
use crate::process::resident_bytes;
use crate::timing::{Times, us};
use anyhow::{Context, Result, ensure};
pub(crate) use disk::Transcript;
use geometry::Recombined;
use row::Row;
use std::collections::HashSet;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;
pub(crate) use talk::TalkArgs;
use weir_core::answer::{Question, Recall};
use weir_core::config::SessionConfig;
use weir_core::driver::Driver;
use weir_core::recall::Found;
use weir_core::session::Session;
use weir_core::stream::Span;
use weir_engine::store::TranscriptReader;
use weir_models::{CountTokens, Encode, WordPieceCounter};
pub(crate) use world::{Fact, World};

const STREAM: &str = "simulated";
const STARTED_AT_UNIX_MS: i64 = 1_740_823_200_000;
/// Facts asked for at each mark.
const ASKED: usize = 200;
/// Facts kept for questions.
const FACTS_MAX: usize = 8_192;
/// Rounds over all states with all probes.
const ROUNDS: usize = 20;
/// Turns fed to each state at the end, in batches.
const FED: usize = 2_000;
const PIECE: usize = 50;
/// Turns within which a fact is recent.
const RECENT_TURNS: u64 = 1_000;

/// Options of `simulate`.
#[derive(clap::Args)]
pub(crate) struct SimulateArgs {
    /// Turns to hear
    #[arg(long, default_value_t = 1_000_000)]
    turns: u64,
    /// Tokens the memory may hold
    #[arg(long, default_value_t = 8_192)]
    budget_tokens: usize,
    /// Bytes of a transcript on disk beside memory; 0 for none
    #[arg(long, default_value_t = 0)]
    transcript_bytes: u64,
    #[command(flatten)]
    talk: TalkArgs,
    /// Plot the results to this SVG file
    #[arg(long)]
    plot: Option<PathBuf>,
}

/// Runs the simulation and prints a row for each mark.
pub(crate) fn run(args: &SimulateArgs) -> Result<()> {
    let counter: Arc<dyn CountTokens> = Arc::new(WordPieceCounter::shared());
    let dialogues = args.talk.dialogues()?;
    let real = args.talk.encoder.open()?;
    let encoder = recombined(&dialogues, real.as_ref())?;
    let mut transcript = Transcript::new(args.transcript_bytes, STARTED_AT_UNIX_MS)?;
    let config = SessionConfig {
        transcript_bytes: args.transcript_bytes,
        ..drive::config(args.budget_tokens, real.as_ref())
    };
    let mut memory = Driver::new(config, Arc::clone(&encoder), counter.clone())?;
    memory.begin(drive::begin(STREAM, Some(STARTED_AT_UNIX_MS)))?;
    let mut world = World::new(&dialogues, 1);
    let mut facts: Vec<Fact> = Vec::new();
    let mut kept = KeptStates::new()?;
    let mut mark = 1_000;
    let context_tokens = args.talk.context_tokens;
    let (started, mut most) = (Instant::now(), 0);
    for turn in 1..=args.turns {
        let (utterance, fact) = world.next(STREAM);
        note(&mut facts, fact, turn);
        drive::hear(&mut memory, utterance, counter.as_ref(), |turn, said| {
            if let Some(transcript) = &mut transcript {
                transcript.add(turn, said);
            }
        })?;
        let held = memory.session().text_tokens();
        ensure!(
            held <= args.budget_tokens,
            "{held} tokens held of {} after {turn} turns",
            args.budget_tokens
        );
        most = most.max(held);
        if turn == mark || turn == args.turns {
            let seconds = started.elapsed().as_secs();
            writeln!(std::io::stderr(), "{turn} turns after {seconds} s")?;
            let reader = transcript.as_mut().map(Transcript::reader);
            let asked = (context_tokens, encoder.as_ref(), reader.as_ref());
            let (row, image) = marked(asked, memory.session(), turn, &facts)?;
            let row = Row {
                text_tokens_max: most,
                transcript: transcript.as_mut().map(Transcript::told).transpose()?,
                ..row
            };
            kept.keep(row, &image, transcript.as_mut())?;
            mark *= 10;
        }
    }
    let mut states = kept.read_back(&counter)?;
    time_recall((context_tokens, encoder.as_ref()), &mut states, &facts)?;
    time_ingest(&mut states, &encoder, counter.as_ref(), &mut world)?;
    tell(
        states.into_iter().map(|state| state.row),
        args.plot.as_deref(),
    )
}

fn tell(rows: impl Iterator<Item = Row>, plot: Option<&Path>) -> Result<()> {
    let rows: Vec<Row> = rows.collect();
    for row in &rows {
        writeln!(std::io::stdout(), "{}", serde_json::to_string(row)?)?;
    }
    match plot {
        Some(path) => plot::draw(&rows, path),
        None => Ok(()),
    }
}

/// A stored state of an earlier mark.
struct State {
    row: Row,
    session: Session,
    transcript: Option<TranscriptReader>,
}

/// States stored on disk, so that the simulator's own memory does not grow.
struct KeptStates {
    folder: tempfile::TempDir,
    rows: Vec<Row>,
}

impl KeptStates {
    fn new() -> Result<Self> {
        Ok(Self {
            folder: tempfile::tempdir()?,
            rows: Vec::new(),
        })
    }

    fn image(&self, turns: u64) -> PathBuf {
        self.folder.path().join(turns.to_string())
    }

    fn transcript(&self, turns: u64) -> PathBuf {
        self.folder.path().join(format!("{turns}-transcript"))
    }

    fn keep(&mut self, row: Row, image: &[u8], transcript: Option<&mut Transcript>) -> Result<()> {
        std::fs::write(self.image(row.turns), image)?;
        if let Some(transcript) = transcript {
            transcript.copy_to(&self.transcript(row.turns))?;
        }
        self.rows.push(row);
        Ok(())
    }

    fn read_back(&self, counter: &Arc<dyn CountTokens>) -> Result<Vec<State>> {
        let mut states = Vec::new();
        for row in &self.rows {
            let image = std::fs::read(self.image(row.turns))?;
            let session = Session::from_image(&image, Arc::clone(counter))
                .with_context(|| format!("the state at {} turns", row.turns))?;
            let lines = self.transcript(row.turns);
            states.push(State {
                row: row.clone(),
                session,
                transcript: lines.exists().then(|| TranscriptReader::open(&lines)),
            });
        }
        Ok(states)
    }
}

/// Stores a fact; if there are too many, keeps the recent ones and every second of the others, so
/// that the simulator's own memory does not grow.
fn note(facts: &mut Vec<Fact>, fact: Option<Fact>, turn: u64) {
    facts.extend(fact);
    if facts.len() < FACTS_MAX {
        return;
    }
    let mut older = false;
    facts.retain(|fact| {
        older = !older;
        older || fact.turn + RECENT_TURNS > turn
    });
}

/// An encoder with the geometry of the corpus.
pub(crate) fn recombined(dialogues: &[Dialogue], encoder: &dyn Encode) -> Result<Arc<dyn Encode>> {
    let turns = dialogues.iter().flat_map(Dialogue::turns);
    let said: Vec<&str> = turns
        .flat_map(|turn| weir_core::text::clauses(&turn.text))
        .collect();
    let access_input = Recombined::learn(&said, encoder)?;
    Ok(Arc::new(access_input))
}

fn question(encoder: &dyn Encode, text: &str) -> Result<Question> {
    let found_by = encoder.encode_for_search(&[text])?.pop();
    Ok(Question::new(text, found_by.unwrap_or_default(), None))
}

/// Asks, with the transcript if there is one.
pub(crate) fn recalled(
    session: &Session,
    question: &Question,
    transcript: Option<&TranscriptReader>,
    context_tokens: usize,
) -> Recall {
    assembled(session.search(question), transcript, context_tokens)
}

/// The context of the result, with the transcript if there is one.
pub(crate) fn assembled(
    found: Found<'_>,
    transcript: Option<&TranscriptReader>,
    context_tokens: usize,
) -> Recall {
    let found = match transcript {
        Some(transcript) => found.with_transcript(transcript),
        None => found,
    };
    found.assemble(context_tokens)
}

/// Input of a question: tokens of a context, the encoder, and the transcript if there is one.
type Asking<'a> = (usize, &'a dyn Encode, Option<&'a TranscriptReader>);

/// All data of a mark except its times, and the state itself.
fn marked(
    (context_tokens, encoder, transcript): Asking<'_>,
    session: &Session,
    turns: u64,
    facts: &[Fact],
) -> Result<(Row, Vec<u8>)> {
    let stats = session.stats();
    let resident_bytes = resident_bytes();
    let held: HashSet<String> = session.held().into_iter().map(|(_, id)| id).collect();
    let recent: Vec<&Fact> = facts
        .iter()
        .filter(|fact| fact.turn + RECENT_TURNS > turns)
        .collect();
    let step = facts.len().div_ceil(ASKED).max(1);
    let ever: Vec<&Fact> = facts.iter().step_by(step).collect();
    let found = |asked: &[&Fact]| -> Result<f64> {
        let mut found = 0;
        for fact in asked {
            let question = question(encoder, &fact.question)?;
            let recall = recalled(session, &question, transcript, context_tokens);
            let shown = &recall.context.utterances;
            found += usize::from(shown.iter().any(|(_, id)| *id == fact.id));
        }
        Ok(found as f64 / asked.len().max(1) as f64)
    };
    let lost = ever.iter().filter(|fact| !held.contains(&fact.id)).count();
    let image = session.to_image();
    let row = Row {
        turns,
        tokens: stats.memory.tokens,
        text_tokens: stats.memory.text_tokens,
        budget_tokens: stats.memory.budget_tokens,
        units: stats.memory.amus,
        resident_bytes,
        memory_bytes: stats.memory.bytes,
        snapshot_bytes: image.len(),
        facts_found_recent: found(&recent)?,
        facts_found_ever: found(&ever)?,
        regret_ever: lost as f64 / ever.len().max(1) as f64,
        ..Row::default()
    };
    Ok((row, image))
}

/// Asks all states the same probes in turn, repeatedly.
fn time_recall(
    (context_tokens, encoder): (usize, &dyn Encode),
    states: &mut [State],
    facts: &[Fact],
) -> Result<()> {
    let probes: Vec<Question> = facts
        .iter()
        .step_by(facts.len().div_ceil(ASKED).max(1))
        .map(|fact| question(encoder, &fact.question))
        .collect::<Result<_>>()?;
    let mut times = vec![Times::default(); states.len()];
    for _ in 0..ROUNDS {
        for probe in &probes {
            for (state, times) in states.iter().zip(&mut times) {
                let transcript = state.transcript.as_ref();
                let before = Instant::now();
                let recall = recalled(&state.session, probe, transcript, context_tokens);
                times.add(us(before));
                std::hint::black_box(recall);
            }
        }
    }
    let mut first = None;
    for (State { row, .. }, times) in states.iter_mut().zip(&mut times) {
        row.recall_us_p50 = times.percentile(50);
        row.recall_us_p95 = times.percentile(95);
        row.recall_us_p99 = times.percentile(99);
        row.recall_p95_ratio = row.recall_us_p95 / *first.get_or_insert(row.recall_us_p95);
    }
    Ok(())
}

/// Feeds the same dialogue to all states, one batch each in turn.
fn time_ingest(
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
