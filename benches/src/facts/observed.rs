//! Facts of the 50 turns of the User memory paper, by the rules and with a generator beside them.

use super::alex::turns;
use super::labels::TOLD;
use super::profile::Profile;
use anyhow::Result;
use serde::Serialize;
use std::io::Write;
use std::path::Path;
use std::time::Instant;
use weir_core::distil::Observer;
use weir_core::text::{fact_sentence, facts, may_tell_facts};

#[derive(Serialize)]
struct Row<'a> {
    data: &'static str,
    reader: &'a str,
    facts_told: usize,
    /// Share of the facts told that the profile holds at the end.
    held_at_the_end: f64,
    /// Facts of the profile at the end.
    facts_held: usize,
    /// Statements the generator was asked about, and replies that the words did not bear out.
    asked: usize,
    refused: usize,
    seconds: f64,
}

/// Measures and prints both; with `show` also each fact of the generator.
pub(crate) fn run(file: &Path, show: bool, observer: &mut Observer) -> Result<()> {
    let turns = turns(file)?;
    // memory reads statement by statement, and a turn may end with a question
    let split = |turn: &String| -> Vec<String> {
        let parts = turn.split_inclusive(['.', '!', '?']);
        parts.map(|part| part.trim().to_owned()).collect()
    };
    let statements: Vec<String> = turns.iter().flat_map(split).collect();
    let mut out = std::io::stdout().lock();
    for by_model in [false, true] {
        let name = observer.name().to_owned();
        let (mut profile, mut asked, mut refused) = (Profile::default(), 0, 0);
        let started = Instant::now();
        for text in &statements {
            let rules = facts(text, Some("Alex"));
            let ask = by_model && may_tell_facts(text);
            asked += usize::from(ask);
            let made = match ask {
                true => observer.facts(text, Some("Alex"))?,
                false => Some(Vec::new()),
            };
            refused += usize::from(made.is_none());
            let made = made.unwrap_or_default();
            if show {
                for fact in &made {
                    let said = fact_sentence(fact.slot, &fact.about, &fact.value, fact.ended);
                    writeln!(out, "{said} | {text}")?;
                }
            }
            profile.take(if made.is_empty() { rules } else { made });
        }
        let held = TOLD.iter().filter(|fact| profile.holds(fact.keys)).count();
        let row = Row {
            data: "alex50",
            reader: if by_model { &name } else { "rules" },
            facts_told: TOLD.len(),
            held_at_the_end: held as f64 / TOLD.len() as f64,
            facts_held: profile.sentences().count(),
            asked,
            refused,
            seconds: started.elapsed().as_secs_f64(),
        };
        writeln!(out, "{}", serde_json::to_string(&row)?)?;
    }
    Ok(())
}
