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
mod row;

use crate::children::{self, option};
use crate::method::registry;
use crate::plot::{self, Line, Panel};
use anyhow::{Result, ensure};
use marks::{MARKS, marks};
use row::Row;
use std::io::Write;
use std::time::Duration;

pub(crate) use args::LengthsArgs;

/// Measures all methods, or the one of a child process.
pub(crate) fn main(args: &LengthsArgs) -> Result<()> {
    match args.child {
        true => child::run(args),
        false => run(args),
    }
}

/// Measures every method, prints a row for each mark and draws the plot.
fn run(args: &LengthsArgs) -> Result<()> {
    ensure!(
        args.turns >= MARKS[0],
        "--turns {}: the first mark is {} turns",
        args.turns,
        MARKS[0]
    );
    let methods = registry::named(&args.methods)?;
    let mut rows = Vec::new();
    for method in &methods {
        writeln!(std::io::stderr(), "{method}")?;
        for row in measured(args, method)? {
            writeln!(std::io::stdout(), "{}", serde_json::to_string(&row)?)?;
            rows.push(row);
        }
    }
    match &args.plot {
        Some(path) => plot::draw(&panels(&rows), path),
        None => Ok(()),
    }
}

/// A question and the memory of the process against turns, a line for each method.
fn panels(rows: &[Row]) -> Vec<Panel> {
    let mut methods: Vec<&str> = Vec::new();
    for row in rows {
        if !methods.contains(&row.method.as_str()) {
            methods.push(&row.method);
        }
    }
    let panel = |title, value: fn(&Row) -> f64| Panel {
        title,
        x: "turns heard",
        is_log: true,
        lines: methods
            .iter()
            .map(|method| {
                let own = rows.iter().filter(|row| row.method == *method);
                let done = own.filter(|row| row.failed.is_none());
                Line {
                    name: (*method).to_owned(),
                    points: done.map(|row| (row.turns as f64, value(row))).collect(),
                }
            })
            .collect(),
    };
    vec![
        panel("a question, median (ms, without the encoder)", |row| {
            row.query_us_p50 / 1e3
        }),
        panel("resident memory of the process (MB)", |row| {
            row.resident_bytes as f64 / 1e6
        }),
    ]
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
