//! Times of the baselines on a long stream of made-up talk whose vocabulary grows with it.
//!
//! Needs `WEIR_SCALE_TURNS`; skipped without it. `WEIR_METHODS` names the methods, all without it.

use super::baselines::{BASELINES, baseline};
use super::testing::{ask, hear, kit, turn};
use crate::stream::Turn;
use std::time::Instant;
use weir_fixtures::Rng;

/// Turns of about twelve words, half of them small words; the others as frequent as their rank.
fn stream(turns: usize) -> Vec<Turn> {
    const SMALL: [&str; 8] = ["the", "a", "we", "to", "with", "and", "my", "was"];
    const ENDS: [&str; 6] = ["", "s", "ed", "ing", "er", "ly"];
    let mut rng = Rng::new(1);
    let mut said = Vec::with_capacity(turns);
    for index in 0..turns {
        let mut words = Vec::new();
        for _ in 0..6 + rng.below(12) {
            words.push(match rng.chance(0.5) {
                true => (*rng.pick(&SMALL)).to_owned(),
                false => {
                    // by Zipf's law the rank of a word is exponential in an even draw
                    let rank = (rng.unit() * 20_000_f64.ln()).exp() as usize;
                    let (a, b) = (rank / 6 % 19, rank / 114);
                    let head = ["k", "t", "br", "m", "s", "fl", "n"][b % 7];
                    format!(
                        "{head}{}o{}{}",
                        (b'a' + a as u8) as char,
                        b / 7,
                        ENDS[rank % 6]
                    )
                }
            });
        }
        let speaker = *rng.pick(&["Ana", "Bob", "Clara", "Dan"]);
        said.push(turn(index, speaker, &format!("{}.", words.join(" "))));
    }
    said
}

#[test]
fn long_streams_are_taken_in() {
    let turns = std::env::var("WEIR_SCALE_TURNS").ok();
    let Some(turns) = turns.and_then(|turns| turns.parse::<usize>().ok()) else {
        return;
    };
    let wanted = std::env::var("WEIR_METHODS").unwrap_or_default();
    let wanted: Vec<&str> = wanted.split(',').filter(|name| !name.is_empty()).collect();
    let stream = stream(turns);
    for name in BASELINES
        .iter()
        .filter(|name| wanted.is_empty() || wanted.contains(name))
    {
        let kit = kit(None);
        let mut method = baseline(name, std::sync::Arc::clone(&kit)).expect("a known name");
        let before = Instant::now();
        for (index, turn) in stream.iter().enumerate() {
            hear(&mut *method, index, turn);
        }
        let hearing = before.elapsed().as_secs_f64();
        let before = Instant::now();
        method.settle().expect("it settles");
        let settling = before.elapsed().as_secs_f64();
        let encoding = kit.encoded().0 as f64 / 1e6;
        let before = Instant::now();
        for asked in stream.iter().step_by(turns.div_ceil(20)) {
            assert!(!ask(&*method, &asked.text, 1300).context.is_empty() || *name == "stateless");
        }
        let asking = before.elapsed().as_secs_f64() / 20.0 * 1e3;
        println!(
            "{name}: hears {hearing:.1} s, settles {settling:.1} s, of which encoder \
             {encoding:.1} s; answers in {asking:.2} ms; {:.0} MB",
            method.stored_bytes() as f64 / 1e6
        );
    }
}
