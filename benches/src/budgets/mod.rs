//! Costs of a full memory by budget: asking, taking in, copying, saving, storing.
//!
//! Each budget is filled in its own process with dialogue of several times its tokens. The dialogue
//! is the simulation's with every content word replaced and without small talk, so that statements
//! rarely repeat and few are merged; rows give the number of merges. Then the full memory is
//! measured, with a transcript on disk as the program keeps one. Before each turn a reader takes a
//! snapshot and keeps it during the turn, as the program's readers do, so a turn pays for copying
//! the parts it changes. Encoder time is excluded. With a sentence encoder the vectors are
//! recombined from its real ones (see `simulate`), since encoding would dominate the time.
//!
//! Caveats: one process, one thread, times include other load on the machine; the image is made in
//! memory and not written to disk; the index is built once.

mod args;
mod fill;
mod plot;
mod row;
mod table;

use crate::children::{self, option};
use anyhow::{Context, Result};
use row::Row;
use std::io::Write;
use std::time::Duration;

pub(crate) use args::BudgetsArgs;
pub(crate) use fill::run as run_child;

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
