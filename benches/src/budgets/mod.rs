//! What a full memory costs by its budget: asking, taking in, copying, saving, holding.
//!
//! Each budget is filled in a process of its own with talk of several times its tokens. The talk
//! is the simulation's with every word of content exchanged and without small talk, so that a
//! statement hardly comes twice and little merges away; rows tell what did. Then the full memory
//! is measured, with a transcript on disk beside it as the program keeps one. Before each turn a
//! reader takes a snapshot and keeps it over the turn, as readers of the program do, so a turn
//! pays for the copies of what it changes. The encoder is no part of any time. With a sentence
//! encoder the vectors are recombined from its own (see `simulate`), since encoding would take all
//! the time.
//!
//! Caveats: one process, one thread, times of the machine as it is; the image is made in memory and
//! not written to disk; the index is built once.

mod fill;
mod plot;
mod table;

use crate::children::{self, option};
use crate::cli::budgets::BudgetsArgs;
use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use std::io::Write;
use std::time::Duration;

pub(crate) use fill::run as run_child;

/// One budget.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(crate) struct Row {
    pub(crate) budget_tokens: usize,
    pub(crate) encoder: String,
    /// Why it was given up; the measures are then 0.
    pub(crate) failed: Option<String>,
    pub(crate) turns: usize,
    /// Tokens of all lines heard.
    pub(crate) heard_tokens: usize,
    pub(crate) fill_s: f64,
    /// Limit of the transcript beside it; 0 for none.
    pub(crate) transcript_bytes: u64,
    /// Tokens of all text held when it is measured, and the most after any turn.
    pub(crate) text_tokens: usize,
    pub(crate) text_tokens_max: usize,
    pub(crate) units: usize,
    /// Units mounted anew, said again, and nodes merged to save tokens.
    pub(crate) inserted: usize,
    pub(crate) reinforced: usize,
    pub(crate) merged: usize,
    /// A question: search and assemble, by exact scan.
    pub(crate) recall_us_p50: f64,
    pub(crate) recall_us_p95: f64,
    /// The same by the index, where there are units enough for one.
    pub(crate) index_recall_us_p50: Option<f64>,
    pub(crate) index_recall_us_p95: Option<f64>,
    pub(crate) index_build_s: Option<f64>,
    /// Share of the facts asked for, forgotten ones among them, that the context shows.
    pub(crate) facts_found: f64,
    /// A turn: hearing, distilling and mounting what it completes; the last of the turns after
    /// memory was full for the first time, and how many those are.
    pub(crate) timed_turns: usize,
    pub(crate) ingest_us_p50: f64,
    pub(crate) ingest_us_p95: f64,
    pub(crate) ingest_us_mean: f64,
    pub(crate) hear_us_mean: f64,
    pub(crate) distil_us_mean: f64,
    pub(crate) mount_us_mean: f64,
    /// A copy of the session, which is what readers ask.
    pub(crate) clone_us_p50: f64,
    pub(crate) clone_us_p95: f64,
    pub(crate) image_us: f64,
    pub(crate) image_bytes: usize,
    /// As the session counts itself.
    pub(crate) memory_bytes: usize,
    /// Of the process before the first turn, and with the full memory and nothing beside it.
    pub(crate) resident_before_bytes: u64,
    pub(crate) resident_bytes: u64,
}

/// Measures every budget, prints a row for each, and writes table and plot.
pub(crate) fn run(args: &BudgetsArgs) -> Result<()> {
    let limit = Duration::from_secs(args.time_limit_s);
    let mut rows = Vec::new();
    for &budget_tokens in &args.budgets {
        writeln!(std::io::stderr(), "{budget_tokens} tokens")?;
        let (made, why) = children::rows(&child_args(args, budget_tokens), limit)?;
        let mut made: Vec<Row> = made;
        if let Some(why) = why {
            made.push(Row {
                budget_tokens,
                failed: Some(why),
                ..Row::default()
            });
        }
        for row in made {
            writeln!(std::io::stdout(), "{}", serde_json::to_string(&row)?)?;
            rows.push(row);
        }
    }
    if let Some(path) = &args.table {
        std::fs::write(path, table::markdown(&rows)).with_context(|| path.display().to_string())?;
    }
    match &args.plot {
        Some(path) => plot::draw(&rows, path),
        None => Ok(()),
    }
}

fn child_args(args: &BudgetsArgs, budget_tokens: usize) -> Vec<String> {
    let mut out = vec!["budgets".to_owned(), "--child".to_owned()];
    out.extend(option("--budgets", &budget_tokens));
    out.extend(option("--times", &args.times));
    out.extend(option("--transcript-bytes", &args.transcript_bytes));
    out.extend(option("--fill-limit-s", &args.fill_limit_s));
    out.extend(args.talk.told());
    out
}
