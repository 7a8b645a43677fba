//! What a question and a turn cost each method as the stream grows (ProStream, figure 3).
//!
//! Talk without end is taken from the simulation, with facts planted in it; at each mark every
//! method answers the same questions. Each method runs in a process of its own, so that its
//! resident memory can be told and that one that fails or takes too long ends alone. Times are
//! without the encoder, which costs every method the same for a question; what else a method
//! encodes to answer is counted.

mod child;
mod plot;

use crate::children::{self, option};
use crate::cli::lengths::LengthsArgs;
use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};
use std::io::Write;
use std::time::Duration;

pub(crate) use child::run as run_child;

/// Turns at which is measured.
const MARKS: [usize; 7] = [100, 300, 1_000, 3_000, 10_000, 30_000, 100_000];

/// One method at one length.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Row {
    pub(crate) method: String,
    pub(crate) turns: usize,
    pub(crate) budget_tokens: Option<usize>,
    pub(crate) encoder: String,
    /// Why the method got no further; the measures are then 0.
    pub(crate) failed: Option<String>,
    pub(crate) query_us_p50: f64,
    pub(crate) query_us_p95: f64,
    pub(crate) query_us_p99: f64,
    /// Texts that the encoder reads for a question, mean.
    pub(crate) query_encoded_texts: f64,
    pub(crate) context_tokens: f64,
    /// Microseconds a turn since the last mark, all building included, without the encoder.
    pub(crate) ingest_us_per_turn: f64,
    /// Texts that the encoder reads a turn.
    pub(crate) ingest_encoded_texts: f64,
    pub(crate) stored_tokens: usize,
    pub(crate) stored_bytes: usize,
    pub(crate) resident_bytes: u64,
    /// Share of the planted facts that the context shows.
    pub(crate) facts_found: f64,
}

impl Row {
    fn failed(args: &LengthsArgs, method: &str, turns: usize, why: String) -> Self {
        Self {
            method: method.to_owned(),
            turns,
            budget_tokens: args.budget.tokens(method),
            encoder: String::new(),
            failed: Some(why),
            query_us_p50: 0.0,
            query_us_p95: 0.0,
            query_us_p99: 0.0,
            query_encoded_texts: 0.0,
            context_tokens: 0.0,
            ingest_us_per_turn: 0.0,
            ingest_encoded_texts: 0.0,
            stored_tokens: 0,
            stored_bytes: 0,
            resident_bytes: 0,
            facts_found: 0.0,
        }
    }
}

/// Measures every method, prints a row for each mark and draws the plot.
pub(crate) fn run(args: &LengthsArgs) -> Result<()> {
    ensure!(
        args.turns >= MARKS[0],
        "--turns {}: the first mark is {} turns",
        args.turns,
        MARKS[0]
    );
    let methods = crate::method::registry::named(&args.methods, "extractive")?;
    let mut rows = Vec::new();
    for method in &methods {
        writeln!(std::io::stderr(), "{method}")?;
        for row in measured(args, method)? {
            writeln!(std::io::stdout(), "{}", serde_json::to_string(&row)?)?;
            rows.push(row);
        }
    }
    match &args.plot {
        Some(path) => plot::draw(&rows, path),
        None => Ok(()),
    }
}

/// Draws rows of an earlier run again.
pub(crate) fn redraw(rows: &std::path::Path, plot: &std::path::Path) -> Result<()> {
    let text = std::fs::read_to_string(rows)
        .with_context(|| format!("{} cannot be read", rows.display()))?;
    let rows: Vec<Row> = text
        .lines()
        .enumerate()
        .map(|(at, line)| {
            serde_json::from_str(line)
                .with_context(|| format!("{} line {} is no row", rows.display(), at + 1))
        })
        .collect::<Result<_>>()?;
    plot::draw(&rows, plot)
}

/// The rows of one method, from a process of its own.
fn measured(args: &LengthsArgs, method: &str) -> Result<Vec<Row>> {
    let limit = Duration::from_secs(args.time_limit_s);
    let (mut rows, why): (Vec<Row>, _) = children::rows(&child_args(args, method), limit)?;
    if let Some(why) = why {
        let reached = rows.last().map_or(0, |row| row.turns);
        let next = marks(args.turns).find(|mark| *mark > reached);
        rows.push(Row::failed(args, method, next.unwrap_or(args.turns), why));
    }
    Ok(rows)
}

fn child_args(args: &LengthsArgs, method: &str) -> Vec<String> {
    let mut out = vec!["lengths".to_owned(), "--child".to_owned()];
    out.extend(option("--methods", &method));
    out.extend(option("--turns", &args.turns));
    out.extend(option("--budget", &args.budget));
    out.extend(args.talk.told());
    out
}

fn marks(turns: usize) -> impl Iterator<Item = usize> {
    let within = MARKS.into_iter().filter(move |mark| *mark <= turns);
    within.chain((!MARKS.contains(&turns)).then_some(turns))
}
