//! Full memories of several budgets, each in a process of its own, so that its resident memory can
//! be measured and a failure ends it alone.

use super::states::Row;
use anyhow::{Result, anyhow, ensure};
use std::io::Write;
use std::process::{Command, Stdio};

/// The row of each budget; a budget that fails is told and left out.
pub(super) fn measured(budgets: &[usize]) -> Result<Vec<Row>> {
    let (mut rows, mut err) = (Vec::new(), std::io::stderr());
    for budget in budgets {
        writeln!(err, "{budget} tokens")?;
        match child(*budget) {
            Ok(row) => rows.push(row),
            Err(why) => writeln!(err, "{budget} tokens: {why}")?,
        }
    }
    Ok(rows)
}

/// The row that this program prints with the same options and one of the budgets.
fn child(budget: usize) -> Result<Row> {
    let ended = Command::new(std::env::current_exe()?)
        .args(std::env::args_os().skip(1))
        .args(["--only", &budget.to_string()])
        .stderr(Stdio::inherit())
        .output()?;
    ensure!(ended.status.success(), "ended with {}", ended.status);
    serde_json::from_slice(&ended.stdout).map_err(|error| {
        let printed = String::from_utf8_lossy(&ended.stdout);
        anyhow!("printed an invalid row ({error}): {printed}")
    })
}
