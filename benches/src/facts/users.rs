//! Facts in the talk of MemoryBank's users, to be read.

use super::profile::Profile;
use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;

#[derive(Deserialize)]
struct User {
    name: String,
    history: BTreeMap<String, Vec<Exchange>>,
}

#[derive(Deserialize)]
struct Exchange {
    query: String,
}

/// The facts of one user that hold in the end.
#[derive(Debug, Serialize)]
pub(super) struct Row {
    data: &'static str,
    user: String,
    turns: usize,
    facts: usize,
    shown: Vec<String>,
}

/// Takes in every user's turns in order; shows `show` facts in all, spread over the users.
pub(super) fn measure(file: &Path, show: usize) -> Result<Vec<Row>> {
    let text = std::fs::read_to_string(file)
        .with_context(|| format!("{} cannot be read", file.display()))?;
    let users: BTreeMap<String, User> = serde_json::from_str(&text)?;
    let of_each = show.div_ceil(users.len().max(1));
    let mut left = show;
    let mut rows = Vec::new();
    for user in users.values() {
        let mut profile = Profile::default();
        let said: Vec<&Exchange> = user.history.values().flatten().collect();
        for exchange in &said {
            profile.hear(&exchange.query, Some(&user.name));
        }
        let count = profile.sentences().count();
        let step = count.div_ceil(of_each.max(1)).max(1);
        let some = profile.sentences().step_by(step).take(of_each.min(left));
        let shown: Vec<String> = some.map(str::to_owned).collect();
        left -= shown.len();
        rows.push(Row {
            data: "memorybank",
            user: user.name.trim().to_owned(),
            turns: said.len(),
            facts: count,
            shown,
        });
    }
    Ok(rows)
}
