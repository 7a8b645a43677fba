//! The approximate index against the exact scan, at growing numbers of units.
//!
//! The same dialogue and vectors as the simulation, with a budget that keeps everything. At each
//! mark an index is built; then the ten nearest units and whole questions are searched by scan and
//! by index in turn. Caveat: building is timed once.

use super::talk::TalkArgs;
use super::world::{Fact, World};
use super::{STREAM, question, recombined};
use crate::drive;
use crate::timing::{Times, us};
use anyhow::{Context, Result};
use serde::Serialize;
use std::collections::HashSet;
use std::io::Write;
use std::sync::Arc;
use std::time::Instant;
use weir_core::answer::Question;
use weir_core::driver::Driver;
use weir_core::limits;
use weir_core::memory::{Kind, NearestUnits, nearest_by_scan};
use weir_core::session::Session;
use weir_engine::index::VectorIndex;
use weir_models::{Encode, WordPieceCounter};

/// Questions asked at each mark.
const ASKED: usize = 100;
const NEAREST: usize = 10;

#[derive(Debug, Serialize)]
struct Row {
    units: usize,
    build_s: f64,
    nearest_by_scan_us: f64,
    nearest_by_index_us: f64,
    recall_at_10: f64,
    question_by_scan_us: f64,
    question_by_index_us: f64,
    /// Share of the facts in the contexts by scan that are also in the contexts by index.
    facts_found_ratio: f64,
    /// Share of the utterances in the contexts by scan that are also in those by index.
    contexts_alike: f64,
}

/// Options of `index`.
#[derive(clap::Args)]
pub(crate) struct IndexArgs {
    /// Units to reach
    #[arg(long, default_value_t = 32_000)]
    units: usize,
    #[command(flatten)]
    talk: TalkArgs,
}

/// Runs to this many units, with a row at each doubling from 4,000 on.
pub(crate) fn run(args: &IndexArgs) -> Result<()> {
    let (talk, units) = (&args.talk, args.units);
    let dialogues = talk.dialogues()?;
    let real = talk.encoder.open()?;
    let encoder = recombined(&dialogues, real.as_ref())?;
    let config = drive::config(limits::BUDGET_TOKENS_MAX, real.as_ref());
    let counter = Arc::new(WordPieceCounter::shared());
    let mut memory = Driver::new(config, Arc::clone(&encoder), counter)?;
    memory.begin(drive::begin(STREAM, None))?;
    let (mut world, mut facts): (World, Vec<Fact>) = (World::new(&dialogues, 1), Vec::new());
    let mut mark = 4_000;
    loop {
        for _ in 0..500 {
            let (utterance, fact) = world.next(STREAM);
            facts.extend(fact);
            memory.hear(utterance)?;
        }
        let held = memory.session().tree().of_kind(Kind::Unit).count();
        if held < mark.min(units) {
            continue;
        }
        let row = measured(
            memory.session(),
            encoder.as_ref(),
            &facts,
            talk.context_tokens,
        )?;
        writeln!(std::io::stdout(), "{}", serde_json::to_string(&row)?)?;
        if held >= units {
            return Ok(());
        }
        mark *= 2;
    }
}

fn measured(
    session: &Session,
    encoder: &dyn Encode,
    facts: &[Fact],
    context_tokens: usize,
) -> Result<Row> {
    let tree = session.tree();
    let began = Instant::now();
    let index = VectorIndex::build(tree, &|| false).context("nothing stops it")?;
    let build_s = began.elapsed().as_secs_f64();
    let asked: Vec<&Fact> = facts
        .iter()
        .step_by(facts.len().div_ceil(ASKED).max(1))
        .collect();
    let questions: Vec<Question> = asked
        .iter()
        .map(|fact| question(encoder, &fact.question))
        .collect::<Result<_>>()?;
    let mut times: [Times; 4] = Default::default();
    let (mut near, mut shown, mut found, mut alike, mut of) = (0, 0, 0, 0, 0);
    for (fact, question) in asked.iter().zip(&questions) {
        let vector = &question.vector;
        let exact = timed(&mut times[0], || nearest_by_scan(tree, vector, NEAREST));
        let quick = timed(&mut times[1], || index.nearest(tree, vector, NEAREST));
        near += exact
            .iter()
            .filter(|unit| quick.iter().any(|other| other.0 == unit.0))
            .count();
        let whole = timed(&mut times[2], || session.recall(question, context_tokens));
        let by_index = || session.search_by(question, &index).assemble(context_tokens);
        let part = timed(&mut times[3], by_index);
        let ids = |said: &[(String, String)]| -> HashSet<String> {
            said.iter().map(|(_, id)| id.clone()).collect()
        };
        let (whole, part) = (
            ids(&whole.context.utterances),
            ids(&part.context.utterances),
        );
        shown += usize::from(whole.contains(&fact.id));
        found += usize::from(whole.contains(&fact.id) && part.contains(&fact.id));
        alike += whole.intersection(&part).count();
        of += whole.len();
    }
    let [scan, graph, by_scan, by_index] = times.map(|mut times| times.percentile(50));
    Ok(Row {
        units: tree.of_kind(Kind::Unit).count(),
        build_s,
        nearest_by_scan_us: scan,
        nearest_by_index_us: graph,
        recall_at_10: near as f64 / (NEAREST * asked.len().max(1)) as f64,
        question_by_scan_us: by_scan,
        question_by_index_us: by_index,
        facts_found_ratio: found as f64 / shown.max(1) as f64,
        contexts_alike: alike as f64 / of.max(1) as f64,
    })
}

fn timed<T>(times: &mut Times, work: impl FnOnce() -> T) -> T {
    let before = Instant::now();
    let done = work();
    times.add(us(before));
    done
}
