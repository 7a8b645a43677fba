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
//! With `--times` the talk is that many budgets long, its sentences hardly repeat, and the last
//! state alone is measured; `--budgets` does so for several budgets, each in its own process.
//!
//! Caveats: the dialogue consists of real turns with replaced words, or of made-up ones. A
//! question's time excludes the encoder; a turn's time includes it. Disk access is part of a time
//! only when a transcript is read for an answer.

mod budgets;
mod disk;
mod states;
mod world;

use crate::drive;
use crate::markdown::{ms, number, table_of};
use crate::method::MethodContext;
use crate::options::EncoderArgs;
use crate::plot::{self, Panel, Style};
use crate::process::resident_bytes;
use crate::stream::{Stream, files};
use crate::timing::Times;
use anyhow::{Context, Result, ensure};
use disk::Transcript;
pub(crate) use states::Row;
use states::{Kept, State, assembled, question, spread, time_ingest, time_recall};
use std::collections::HashSet;
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;
use weir_core::config::SessionConfig;
use weir_core::driver::Driver;
use weir_core::session::Session;
use weir_engine::store::TranscriptReader;
use weir_models::Encode;
use world::{Fact, STARTED_AT_UNIX_MS, STREAM, Talk};
pub(crate) use world::{World, made_dialogue};

/// Facts kept for questions.
const FACTS_MAX: usize = 8_192;
/// Turns within which a fact is recent.
const RECENT_TURNS: u64 = 1_000;
/// Copies of a state that are timed.
const COPIES: usize = 40;

/// What is simulated.
#[derive(clap::Args, Clone, Default)]
pub(crate) struct Plan {
    /// Turns to hear
    #[arg(long, default_value_t = 1_000_000)]
    pub(crate) turns: u64,
    /// Length of the talk in budgets instead of turns; sentences then hardly repeat
    #[arg(long, value_name = "FACTOR")]
    pub(crate) times: Option<f64>,
    /// Tokens the memory may hold
    #[arg(long, default_value_t = 8_192)]
    pub(crate) budget_tokens: usize,
    /// Bytes of a transcript on disk beside memory; 0 for none
    #[arg(long, default_value_t = 0)]
    pub(crate) transcript_bytes: u64,
    /// Stream files whose turns are the source, or folders of them [default: generated dialogue]
    #[arg(long, num_args = 1..)]
    pub(crate) streams: Vec<PathBuf>,
}

/// Options of `simulate`.
#[derive(clap::Args)]
pub(crate) struct SimulateArgs {
    #[command(flatten)]
    plan: Plan,
    #[command(flatten)]
    encoder: EncoderArgs,
    /// Measure a full memory of each of these budgets, in a process of its own
    #[arg(long, value_delimiter = ',', requires = "times")]
    budgets: Vec<usize>,
    /// The one of them that is measured in this process
    #[arg(long, hide = true)]
    only: Option<usize>,
    /// Write the table to this Markdown file
    #[arg(long)]
    table: Option<PathBuf>,
    /// Plot the results to this SVG file
    #[arg(long)]
    plot: Option<PathBuf>,
}

impl Plan {
    /// The source dialogues: those of the streams, or a generated one if none is given.
    fn dialogues(&self) -> Result<Vec<Talk>> {
        if self.streams.is_empty() {
            return Ok(vec![made_dialogue()]);
        }
        let said = |file: PathBuf| -> Result<Talk> {
            let stream = Stream::read(&file)?;
            let said = stream.turns();
            let said = said.map(|it| (it.speaker.clone().unwrap_or_default(), it.text.clone()));
            Ok(said.collect())
        };
        files(&self.streams)?.into_iter().map(said).collect()
    }
}

/// Runs the simulation, prints a row for each mark or budget, and writes table and plot.
pub(crate) fn run(args: &SimulateArgs) -> Result<()> {
    let alone = args.budgets.is_empty().then_some(args.plan.budget_tokens);
    let rows = match args.only.or(alone) {
        None => budgets::measured(&args.budgets)?,
        Some(budget_tokens) => {
            let plan = Plan {
                budget_tokens,
                ..args.plan.clone()
            };
            measured(&plan, &args.encoder.open()?)?
        }
    };
    for row in &rows {
        writeln!(std::io::stdout(), "{}", serde_json::to_string(row)?)?;
    }
    if args.only.is_some() {
        return Ok(());
    }
    if let Some(path) = &args.table {
        std::fs::write(path, markdown(&rows)).with_context(|| path.display().to_string())?;
    }
    let panels = match args.budgets.is_empty() {
        true => by_turns(&rows),
        false => panels(&rows, "budget in tokens", |row| row.budget_tokens as f64),
    };
    args.plot
        .iter()
        .try_for_each(|path| plot::draw(&panels, path))
}

/// A line for each mark or budget.
fn markdown(rows: &[Row]) -> String {
    table_of(
        rows,
        &[
            ("budget", |row| row.budget_tokens.to_string()),
            ("turns heard", |row| row.turns.to_string()),
            ("units", |row| row.units.to_string()),
            ("text held, most", |row| row.text_tokens_max.to_string()),
            ("a question p50 (ms)", |row| ms(row.recall_us_p50)),
            ("p95", |row| ms(row.recall_us_p95)),
            ("p99", |row| ms(row.recall_us_p99)),
            ("by index p95", |row| {
                row.index_recall_us_p95.map_or("–".to_owned(), ms)
            }),
            ("a turn, mean (ms)", |row| ms(row.ingest_us_per_turn)),
            ("a copy p95 (ms)", |row| ms(row.copy_us_p95)),
            ("an image (ms)", |row| ms(row.image_us)),
            ("image MB", |row| mega(row.snapshot_bytes as u64, 1)),
            ("process MB", |row| mega(row.resident_bytes, 1)),
            ("facts of the last 1,000 turns shown", |row| {
                number(row.facts_found_recent, 2)
            }),
            ("facts ever said", |row| number(row.facts_found_ever, 2)),
        ],
    )
}

/// Megabytes.
pub(crate) fn mega(bytes: u64, decimals: usize) -> String {
    number(Some(bytes as f64 / 1e6), decimals)
}

/// A question, a turn and memory by turns heard.
pub(crate) fn by_turns(rows: &[Row]) -> Vec<Panel> {
    panels(rows, "turns heard", |row| row.turns as f64)
}

fn panels(rows: &[Row], x: &'static str, at: fn(&Row) -> f64) -> Vec<Panel> {
    let panel = plot::by(Style::LogLines, rows, x, at);
    vec![
        panel(
            "a question, without its encoding, within (ms)",
            &[
                ("half", |row| Some(row.recall_us_p50 / 1e3)),
                ("95 %", |row| Some(row.recall_us_p95 / 1e3)),
                ("99 %", |row| Some(row.recall_us_p99 / 1e3)),
                ("95 % by index", |row| Some(row.index_recall_us_p95? / 1e3)),
            ],
        ),
        panel(
            "a turn taken in (ms)",
            &[("mean", |row| Some(row.ingest_us_per_turn / 1e3))],
        ),
        panel(
            "held (MB)",
            &[
                ("image", |row| Some(row.snapshot_bytes as f64 / 1e6)),
                ("resident memory", |row| {
                    let more = row.resident_bytes.checked_sub(row.resident_before_bytes)?;
                    Some(more as f64 / 1e6)
                }),
            ],
        ),
    ]
}

/// Hears the talk and measures its states; a row for each decade of turns from 1,000, and for the
/// last turn.
pub(crate) fn measured(plan: &Plan, encoder: &Arc<dyn Encode>) -> Result<Vec<Row>> {
    let kit = &MethodContext::plain(Arc::clone(encoder), None);
    let dialogues = plan.dialogues()?;
    let mut world = World::new(&dialogues, plan.times.is_none());
    let (kept, facts) = heard(plan, kit, &mut world)?;
    let states: Result<Vec<State>> = kept.iter().map(|it| it.read_back(kit)).collect();
    let mut states = states?;
    time_recall(kit, &mut states, &facts)?;
    time_ingest(kit, &mut states, &mut world)?;
    Ok(states.into_iter().map(|state| state.row).collect())
}

/// Hears the talk; the states at its marks, and the facts that were planted in it.
fn heard(plan: &Plan, kit: &MethodContext, world: &mut World) -> Result<(Vec<Kept>, Vec<Fact>)> {
    let encoder = kit.encoder();
    let mut transcript = Transcript::new(plan.transcript_bytes)?;
    let config = SessionConfig {
        transcript_bytes: plan.transcript_bytes,
        ..drive::config(plan.budget_tokens, encoder.as_ref())
    };
    let mut memory = Driver::new(config, Arc::clone(encoder), Arc::clone(&kit.counter))?;
    memory.begin(drive::begin(STREAM, Some(STARTED_AT_UNIX_MS)))?;
    let resident_before_bytes = resident_bytes();
    let (mut facts, mut kept): (Vec<Fact>, Vec<Kept>) = Default::default();
    let (started, mut mark, mut most) = (Instant::now(), 1_000, 0);
    let (mut turn, mut heard_tokens, mut is_over) = (0, 0, false);
    while !is_over {
        turn += 1;
        let (utterance, fact) = world.next();
        note(&mut facts, fact, turn);
        drive::hear(
            &mut memory,
            utterance,
            kit.counter.as_ref(),
            |turn, said| {
                heard_tokens += kit.counter.count(&said.rendered());
                if let Some(transcript) = &mut transcript {
                    transcript.add(turn, said);
                }
            },
        )?;
        let (held, budget_tokens) = (memory.session().text_tokens(), plan.budget_tokens);
        ensure!(
            held <= budget_tokens,
            "{held} tokens held of {budget_tokens} after {turn} turns"
        );
        most = most.max(held);
        is_over = match plan.times {
            Some(times) => heard_tokens as f64 >= times * budget_tokens as f64,
            None => turn >= plan.turns,
        };
        if is_over || (turn == mark && plan.times.is_none()) {
            let seconds = started.elapsed().as_secs();
            writeln!(std::io::stderr(), "{turn} turns after {seconds} s")?;
            let reader = transcript.as_mut().map(Transcript::reader);
            let (row, image) = marked(kit, memory.session(), reader.as_ref(), turn, &facts)?;
            let row = Row {
                text_tokens_max: most,
                heard_tokens,
                resident_before_bytes,
                transcript: transcript.as_mut().map(Transcript::told).transpose()?,
                ..row
            };
            kept.push(Kept::new(row, &image, transcript.as_mut())?);
            mark *= 10;
        }
    }
    Ok((kept, facts))
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

/// All data of a mark except its times, and the state itself.
fn marked(
    kit: &MethodContext,
    session: &Session,
    transcript: Option<&TranscriptReader>,
    turns: u64,
    facts: &[Fact],
) -> Result<(Row, Vec<u8>)> {
    let stats = session.stats();
    let resident_bytes = resident_bytes();
    let held: HashSet<String> = session.held().into_iter().map(|(_, id)| id).collect();
    let is_recent = |fact: &&Fact| fact.turn + RECENT_TURNS > turns;
    let recent: Vec<&Fact> = facts.iter().filter(is_recent).collect();
    let ever: Vec<&Fact> = spread(facts).collect();
    let found = |asked: &[&Fact]| -> Result<f64> {
        let mut found = 0;
        for fact in asked {
            let question = question(kit, fact)?;
            let recall = assembled(session.search(&question), transcript);
            let shown = &recall.context.utterances;
            found += usize::from(shown.iter().any(|(_, id)| *id == fact.id));
        }
        Ok(found as f64 / asked.len().max(1) as f64)
    };
    let lost = ever.iter().filter(|fact| !held.contains(&fact.id)).count();
    let (mut copies, mut images) = (Times::default(), Times::default());
    for _ in 0..COPIES {
        drop(std::hint::black_box(copies.time(|| session.clone())));
    }
    let image = images.time(|| session.to_image());
    let row = Row {
        image_us: images.percentile(50),
        copy_us_p95: copies.percentile(95),
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
