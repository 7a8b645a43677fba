//! Full memories of several budgets, each in a process of its own, so that its resident memory can
//! be measured and a time-out ends it alone.

use super::args::SimulateArgs;
use super::child::{self, option};
use super::row::Row;
use crate::plot::{Line, Panel, Style};
use anyhow::{Context, Result};
use std::io::Write;
use std::time::Duration;

/// The row of each budget; a budget that fails is told and left out.
pub(super) fn measured(args: &SimulateArgs) -> Result<Vec<Row>> {
    let times = args.times.context("--budgets needs --times")?;
    let limit = Duration::from_secs(args.time_limit_s);
    let mut rows = Vec::new();
    for budget_tokens in &args.budgets {
        let mut err = std::io::stderr();
        writeln!(err, "{budget_tokens} tokens")?;
        let mut args_of_child = vec!["simulate".to_owned()];
        args_of_child.extend(option("--times", &times));
        args_of_child.extend(option("--budget-tokens", budget_tokens));
        args_of_child.extend(option("--transcript-bytes", &args.transcript_bytes));
        args_of_child.extend(args.talk.told());
        let (made, why) = child::rows::<Row>(&args_of_child, limit)?;
        rows.extend(made);
        if let Some(why) = why {
            writeln!(err, "{budget_tokens} tokens: {why}")?;
        }
    }
    Ok(rows)
}

/// A question, a turn and memory by budget.
pub(super) fn panels(rows: &[Row]) -> Vec<Panel> {
    let line = |name: &str, value: fn(&Row) -> Option<f64>| {
        let points = rows
            .iter()
            .filter_map(|row| Some((row.budget_tokens as f64, value(row)?)));
        Line {
            name: name.to_owned(),
            points: points.collect(),
        }
    };
    let panel = |title, lines| Panel {
        title,
        x: "budget in tokens",
        style: Style::LogLines,
        lines,
    };
    vec![
        panel(
            "a question, 95 % within (ms)",
            vec![
                line("by scan", |row| Some(row.recall_us_p95 / 1e3)),
                line("by index", |row| Some(row.index_recall_us_p95? / 1e3)),
            ],
        ),
        panel(
            "a turn taken in (ms)",
            vec![line("mean", |row| Some(row.ingest_us_per_turn / 1e3))],
        ),
        panel(
            "held (MB)",
            vec![
                line("image", |row| Some(row.snapshot_bytes as f64 / 1e6)),
                line("resident memory", |row| {
                    let more = row.resident_bytes.checked_sub(row.resident_before_bytes)?;
                    Some(more as f64 / 1e6)
                }),
            ],
        ),
    ]
}
