//! Facts of the 50 turns of the User memory paper: what is in the profile at each turn, and whether
//! a turn that needs an earlier fact is handed it.
//!
//! The paper lets a model judge the answers of a model; this counts facts, so its figures stand
//! beside the paper's order of methods, not beside its scores. The persona above the turns is not
//! read. Baselines are the paper's: nothing, and the last four turns.

use super::labels::TOLD;
use super::profile::Profile;
use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use std::path::Path;
use weir_core::text::stems;
use weir_models::Encode;

/// Turns in the buffer of the paper's baseline (4.2).
const BUFFER: usize = 4;

#[derive(Deserialize)]
struct File {
    dialogue: Vec<Turn>,
}

#[derive(Deserialize)]
struct Turn {
    turn: u32,
    text: String,
}

/// Shares of facts, by where they are looked for.
#[derive(Debug, Default, Serialize)]
pub(super) struct Row {
    data: &'static str,
    turns: usize,
    facts_told: usize,
    /// Of the facts told before a turn, the share held at it, as a mean of all turns.
    held_in_profile: f64,
    held_in_buffer: f64,
    held_in_profile_at_the_end: f64,
    held_in_buffer_at_the_end: f64,
    /// Pairs of a turn and an earlier fact that it needs.
    needed: usize,
    handed_by_profile: usize,
    handed_by_buffer: usize,
    handed_by_nothing: usize,
    handed_facts: usize,
    /// Needed pairs that the profile does not hand over.
    missed: Vec<String>,
}

fn holds(text: &str, keys: &str) -> bool {
    stems(text).is_superset(&stems(keys))
}

fn read(file: &Path) -> Result<File> {
    let text = std::fs::read_to_string(file)
        .with_context(|| format!("{} cannot be read", file.display()))?;
    Ok(serde_json::from_str(&text)?)
}

/// The words of the turns of a file.
pub(super) fn turns(file: &Path) -> Result<Vec<String>> {
    let turns = read(file)?.dialogue.into_iter();
    Ok(turns.map(|turn| turn.text).collect())
}

/// Measures the turns of a file.
pub(super) fn measure(file: &Path, handed: usize, encoder: &dyn Encode) -> Result<Row> {
    let file = read(file)?;
    let mut row = Row {
        data: "alex50",
        turns: file.dialogue.len(),
        facts_told: TOLD.len(),
        handed_facts: handed,
        ..Row::default()
    };
    let (mut profile, mut marks) = (Profile::default(), 0_usize);
    for (at, turn) in file.dialogue.iter().enumerate() {
        let buffer: Vec<&str> = file.dialogue[at.saturating_sub(BUFFER)..at]
            .iter()
            .map(|turn| turn.text.as_str())
            .collect();
        let buffer = buffer.join(" ");
        let needed = TOLD.iter().filter(|fact| fact.needed.contains(&turn.turn));
        let found = profile.search(&turn.text, handed, encoder)?;
        for fact in needed {
            row.needed += 1;
            row.handed_by_buffer += usize::from(holds(&buffer, fact.keys));
            match found.iter().any(|found| holds(found, fact.keys)) {
                true => row.handed_by_profile += 1,
                false => row
                    .missed
                    .push(format!("turn {}: {}", turn.turn, fact.name)),
            }
        }
        profile.hear(&turn.text, Some("Alex"));
        let told: Vec<_> = TOLD.iter().filter(|fact| fact.turn <= turn.turn).collect();
        let held = |text: &dyn Fn(&str) -> bool| {
            told.iter().filter(|fact| text(fact.keys)).count() as f64 / told.len().max(1) as f64
        };
        let last = &file.dialogue[(at + 1).saturating_sub(BUFFER)..=at];
        let said: Vec<&str> = last.iter().map(|turn| turn.text.as_str()).collect();
        let said = said.join(" ");
        row.held_in_profile_at_the_end = held(&|keys| profile.holds(keys));
        row.held_in_buffer_at_the_end = held(&|keys| holds(&said, keys));
        row.held_in_profile += row.held_in_profile_at_the_end;
        row.held_in_buffer += row.held_in_buffer_at_the_end;
        marks += 1;
    }
    row.held_in_profile /= marks.max(1) as f64;
    row.held_in_buffer /= marks.max(1) as f64;
    Ok(row)
}
