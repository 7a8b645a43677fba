//! Of preferences that people state, the share of which a fact is made.

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use std::path::Path;
use weir_core::text::{FactSlot, facts, stems};

/// Share of a preference's content words that one fact must hold.
const COVERED: f64 = 0.5;

#[derive(Deserialize)]
struct Case {
    preference: String,
}

/// The preferences of one topic.
#[derive(Debug, Serialize)]
pub(super) struct Row {
    data: &'static str,
    topic: String,
    /// `first` or `second`, by turns in the order of the topics' names. Preferences without a fact
    /// were read in both while the rules were written.
    half: &'static str,
    preferences: usize,
    /// Preferences with any fact of a slot that tells a preference.
    with_fact: usize,
    /// Preferences of which one such fact's value holds half of the content words.
    covered: usize,
    /// Some that are not covered.
    missed: Vec<String>,
}

fn tells_preference(slot: FactSlot) -> bool {
    use FactSlot::{Diet, Dislikes, Goals, Health, Hobbies, Likes, Plans, Style};
    [Likes, Dislikes, Diet, Style, Plans, Health, Hobbies, Goals].contains(&slot)
}

/// Measures each file of a folder, a topic each.
pub(super) fn measure(folder: &Path, show: usize) -> Result<Vec<Row>> {
    let wrong = || format!("{} cannot be read", folder.display());
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .with_context(wrong)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<_, _>>()?;
    files.sort();
    let mut rows = Vec::new();
    for (number, file) in files.iter().enumerate() {
        let cases: Vec<Case> = serde_json::from_str(&std::fs::read_to_string(file)?)
            .with_context(|| format!("{}: no list of preferences", file.display()))?;
        let mut row = Row {
            data: "prefeval",
            topic: file.file_stem().unwrap_or_default().display().to_string(),
            half: ["first", "second"][number % 2],
            preferences: cases.len(),
            with_fact: 0,
            covered: 0,
            missed: Vec::new(),
        };
        for case in &cases {
            let gold = stems(&case.preference);
            let shares = facts(&case.preference, None)
                .into_iter()
                .filter(|fact| tells_preference(fact.slot))
                .map(|fact| stems(&fact.value).intersection(&gold).count() as f64)
                .map(|shared| shared / gold.len().max(1) as f64);
            let best = shares.fold(None, |best: Option<f64>, share| {
                Some(best.map_or(share, |best| best.max(share)))
            });
            row.with_fact += usize::from(best.is_some());
            let covered = best.is_some_and(|share| share >= COVERED);
            row.covered += usize::from(covered);
            if !covered && row.missed.len() < show {
                row.missed.push(case.preference.clone());
            }
        }
        rows.push(row);
    }
    Ok(rows)
}
