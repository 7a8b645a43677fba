//! Cost of a question and a turn for each method as the stream grows (ProStream, figure 3).
//!
//! Endless dialogue comes from the simulation, with planted facts; at each mark every method
//! answers the same questions. Each method runs in its own process, so that its resident memory can
//! be measured and a failure or time-out ends only that method. Times exclude the encoder for a
//! question's own vector, which costs every method the same; other texts encoded to answer are
//! counted.

mod args;
mod child;
mod marks;
mod plot;
mod row;

use crate::children::{self, option};
use anyhow::{Context, Result, ensure};
use marks::{MARKS, marks};
use row::Row;
use std::io::Write;
use std::time::Duration;

pub(crate) use args::LengthsArgs;
pub(crate) use child::run as run_child;

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

/// Plots rows of an earlier run.
pub(crate) fn redraw(rows: &std::path::Path, plot: &std::path::Path) -> Result<()> {
    let text = std::fs::read_to_string(rows)
        .with_context(|| format!("{} cannot be read", rows.display()))?;
    let rows: Vec<Row> = text
        .lines()
        .enumerate()
        .map(|(at, line)| {
            serde_json::from_str(line)
                .with_context(|| format!("{} line {} is not a row", rows.display(), at + 1))
        })
        .collect::<Result<_>>()?;
    plot::draw(&rows, plot)
}

/// The rows of one method, run in its own process.
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
