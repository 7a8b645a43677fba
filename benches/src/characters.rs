//! The forgetting of "Memories for Virtual AI Characters" with use: half of the planted facts are
//! asked again and again, half never.
//!
//! The curve `R = exp(-d dt / S)`, where each access multiplies S by b, is a character's way to
//! recall (below [`limits::RETENTION_MIN`] it has forgotten), and a rule of what a full memory lets
//! go. An access is what the engine records of its own answer: a question that is answered from
//! something else, or not at all, strengthens nothing.

use crate::drive;
use crate::markdown::{number, table};
use crate::method::MethodContext;
use anyhow::Result;
use std::sync::Arc;
use weir_core::character::Character;
use weir_core::config::{RecencyPolicy, SessionConfig, UtilityPolicy};
use weir_core::driver::{AskOptions, Driver};
use weir_core::limits;
use weir_core::memory::{Kind, Node};
use weir_core::stream::{Span, Utterance};
use weir_models::Encode;

/// Whose names the facts are, in each place.
const WHO: [&str; 10] = [
    "owner of the bakery", "head of the school", "captain of the ferry", "guard of the museum",
    "leader of the choir", "porter of the hotel", "doctor of the clinic", "chef of the canteen",
    "coach of the team", "keeper of the zoo",
];
const PLACES: [&str; 6] = ["Porto", "Bergen", "Ghent", "Turin", "Malmo", "Seville"];
const NAMES: [&str; 10] = [
    "Bel", "Cor", "Dav", "Fen", "Gal", "Hol", "Jor", "Kel", "Mar", "Tor",
];
const NAMES_END: [&str; 6] = ["amund", "ibert", "osta", "ewin", "ulla", "anko"];
const FACTS: usize = WHO.len() * PLACES.len();
/// Facts said on each of the first ten days.
const FACTS_A_DAY: usize = 6;
/// Days after a fact on which it is asked; after the last one nobody asks for the rest.
const ASKED_AFTER: [usize; 6] = [1, 3, 6, 10, 15, 20];
/// Held facts are counted at the end of these days: after the last question, and long after.
const MARKS: [usize; 2] = [30, 60];

/// The remarks beside them, three a day, no two alike: their numbers have no common factor.
const SEEN: [&str; 10] = [
    "a red bicycle", "an old lamp", "a broken umbrella", "a stray cat", "two wet gloves",
    "a brass key", "a torn map", "a green kite", "a wooden chair", "an empty cage",
];
const SEEN_BY: [&str; 13] = [
    "station", "bridge", "fountain", "library", "chapel", "harbour", "playground", "lighthouse",
    "market", "stadium", "river", "cinema", "bank",
];

/// A budget of about fifty statements, for what a full memory lets go.
const BUDGET_TOKENS: usize = 1_024;

/// Both sweeps, for `weir-bench paper`.
pub(crate) fn tables(encoder: &Arc<dyn Encode>) -> Result<String> {
    let heads = [
        "setting", "day 30: asked", "never asked", "day 60: asked", "never asked", "right",
        "units held", "asked and gone",
    ];
    let mut recalled = Vec::new();
    for days in [1, 7, 30] {
        for boost in [1.0, 1.5, 2.0] {
            let config = drive::config(limits::BUDGET_TOKENS_DEFAULT, encoder.as_ref());
            let counted = lived(encoder, config, Some(&character(days, boost)))?;
            recalled.push(row(format!("S {days} d, b {boost}"), &counted));
        }
    }
    let small = drive::config(BUDGET_TOKENS, encoder.as_ref());
    let shipped = lived(encoder, small.clone(), None)?;
    let mut kept = vec![row("as it ships".into(), &shipped)];
    for hours in [1.0, 24.0, 240.0] {
        for (alpha, boost) in [(0.6, 1.0), (0.0, 1.0), (0.0, 2.0)] {
            let config = SessionConfig {
                utility: UtilityPolicy::Paper,
                frequency_weight: alpha,
                recency: RecencyPolicy::Ebbinghaus,
                decay_per_hour: 1.0 / hours,
                stability_boost: boost,
                ..small.clone()
            };
            let name = format!("tau {hours} h, b {boost}, alpha {alpha}");
            kept.push(row(name, &lived(encoder, config, None)?));
        }
    }
    Ok(format!(
        "\nA character who recalls from a memory that lets nothing go (S in days before the first \
        access, d of one a day; what is never asked is forgotten after 3 S):\n\n{}\nWhat a memory \
        of {BUDGET_TOKENS} tokens keeps by eq. 1 (tau is S / d; with b of 1 its recency is \
        ProStream's, with alpha of 0 the curve decides alone):\n\n{}",
        table(&heads, &recalled),
        table(&heads, &kept)
    ))
}

fn row(setting: String, counted: &[f64]) -> Vec<String> {
    let cell = |n: usize| number(Some(counted[n]), if n == 5 { 0 } else { 2 });
    let gone = number(Some(1.0 - counted[2]), 2);
    let cells = (0..6).map(cell).chain([gone]);
    [setting].into_iter().chain(cells).collect()
}

fn character(days: u8, boost: f64) -> Character {
    Character {
        name: "Old Ben".into(),
        description: String::new(),
        sources: None,
        stability_hours: f64::from(days) * 24.0,
        boost,
    }
}

/// The days of a memory: what is said, and what is asked in the evening. The shares of the facts
/// that are held at each mark, of the asked ones and the others, that of the questions whose answer
/// has the name, and the number of statements held.
fn lived(
    encoder: &Arc<dyn Encode>,
    config: SessionConfig,
    character: Option<&Character>,
) -> Result<Vec<f64>> {
    let counter = MethodContext::plain(Arc::clone(encoder), None).counter;
    let mut memory = Driver::new(config, Arc::clone(encoder), counter)?;
    memory.begin(drive::begin("characters", None))?;
    let asking = AskOptions {
        character,
        ..AskOptions::default()
    };
    let (mut questions, mut right, mut counted, mut units) = (0.0, 0.0, Vec::new(), Vec::new());
    for day in 0..=MARKS[1] {
        let new = (0..FACTS).filter(|n| n / FACTS_A_DAY == day);
        let remarks = (3 * day..3 * day + 3).map(remark);
        hear(&mut memory, day, new.map(|n| fact(n).0).chain(remarks))?;
        for n in (0..FACTS).filter(|n| is_asked(*n)) {
            if ASKED_AFTER.contains(&day.wrapping_sub(n / FACTS_A_DAY)) {
                let (_, question, name) = fact(n);
                let asked = memory.ask_with(&question, asking, &mut ())?;
                questions += 1.0;
                right += f64::from(asked.answer.text.contains(&name));
            }
        }
        if MARKS.contains(&day) {
            units = held(&memory, character);
            let has = |n: &usize| units.iter().any(|it| it.contains(&fact(*n).2));
            for asked in [true, false] {
                let of = (0..FACTS).filter(|n| is_asked(*n) == asked);
                counted.push(of.filter(has).count() as f64 / (FACTS / 2) as f64);
            }
        }
    }
    counted.extend([right / questions, units.len() as f64]);
    Ok(counted)
}

/// The statements in memory; of a character, those that it has not forgotten.
fn held(memory: &Driver, character: Option<&Character>) -> Vec<String> {
    let now_ms = memory.session().now_ms();
    let is_held = |unit: &&Node| match (character, unit.frequency) {
        (None, _) => true,
        (Some(it), 0) => Character::remembers(it.retention(now_ms - unit.said_ms, 0)),
        (Some(it), n) => Character::remembers(it.retention(now_ms - unit.last_access_ms, n)),
    };
    let units = memory.session().tree().of_kind(Kind::Unit).filter(is_held);
    units.map(|unit| unit.display_text().into()).collect()
}

/// Hears what is said on a day, and distils it.
fn hear(memory: &mut Driver, day: usize, said: impl Iterator<Item = String>) -> Result<()> {
    for (n, text) in said.enumerate() {
        let start_ms = day as u64 * 86_400_000 + n as u64 * 10_000;
        memory.hear(Utterance {
            id: format!("d{day}.{n}"),
            stream: "characters".into(),
            span: Span::new(start_ms, start_ms + 3_000),
            ..Utterance::new(["Ana", "Ben"][n % 2], text)
        })?;
    }
    Ok(memory.flush()?)
}

/// Every second fact, of everybody in three of the places.
fn is_asked(n: usize) -> bool {
    (n + n / WHO.len()).is_multiple_of(2)
}

/// What is said, what is asked of it, and the name that answers.
fn fact(n: usize) -> (String, String, String) {
    let (which, place) = (n % WHO.len(), n / WHO.len());
    let who = format!("the {} in {}", WHO[which], PLACES[place]);
    let name = format!("{}{}", NAMES[which], NAMES_END[place]);
    let said = format!("You know, {who} is called {name}.");
    (said, format!("What is {who} called?"), name)
}

fn remark(n: usize) -> String {
    let (seen, by) = (SEEN[n % SEEN.len()], SEEN_BY[n % SEEN_BY.len()]);
    match n % 3 {
        0 => format!("On the way home I saw {seen} near the {by}."),
        1 => format!("Somebody left {seen} beside the {by} again."),
        _ => format!("We found {seen} when we waited at the {by}."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use weir_models::WordHashEncoder;

    /// What is never asked goes after 3 S: all of it in 60 days with S of one, nothing with 30.
    #[test]
    fn what_is_asked_outlasts_what_is_not() {
        let encoder: Arc<dyn Encode> = Arc::new(WordHashEncoder::new());
        let counted = |days| {
            let config = drive::config(limits::BUDGET_TOKENS_DEFAULT, encoder.as_ref());
            lived(&encoder, config, Some(&character(days, 2.0))).expect("a memory")
        };
        let (short, long) = (counted(1), counted(30));
        assert!(short[0].min(short[2]).min(short[4]) > 0.5, "{short:?}");
        // an answer that quotes another fact strengthens that fact
        assert!(short[1].max(short[3]) < 0.2, "{short:?}");
        assert!(long[..4].iter().all(|share| *share > 0.99), "{long:?}");
    }
}
