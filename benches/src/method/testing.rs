//! Kits and streams for the tests of methods.

use super::flat::Flat;
use super::{HeardTurn, Method, MethodContext, Query, Recalled};
use crate::stream::Turn;
use std::sync::Arc;
use weir_core::stream::Span;
use weir_fixtures::Rng;
use weir_models::WordHashEncoder;

/// A time on 8 May 2023.
pub(crate) const START_UNIX_MS: i64 = 1_683_554_160_000;

/// A kit with the encoder of words.
pub(crate) fn kit(budget_tokens: Option<usize>) -> Arc<MethodContext> {
    let encoder = Arc::new(WordHashEncoder::new());
    Arc::new(MethodContext::plain(encoder, budget_tokens))
}

/// A store of turns whose stream began at a wall time.
pub(crate) fn store(turns: &[Turn], start_unix_ms: Option<i64>) -> Flat {
    let mut flat = Flat::new(kit(None));
    for turn in turns {
        flat.push(heard(turn, &turn.said(), start_unix_ms));
    }
    flat
}

fn heard<'a>(turn: &'a Turn, said: &'a str, start_unix_ms: Option<i64>) -> HeardTurn<'a> {
    let at_unix_ms = start_unix_ms.map(|start| start + turn.span.start_ms as i64);
    HeardTurn {
        turn,
        said,
        at_unix_ms,
    }
}

/// Turn number `index`, a minute after the previous one.
pub(crate) fn turn(index: usize, speaker: &str, text: &str) -> Turn {
    let start_ms = index as u64 * 60_000;
    Turn {
        id: format!("u{index}"),
        speaker: (!speaker.is_empty()).then(|| speaker.to_owned()),
        span: Span::new(start_ms, start_ms + 2_000),
        text: text.to_owned(),
    }
}

pub(crate) fn hear(method: &mut dyn Method, turn: &Turn) {
    let took = method.hear(heard(turn, &turn.said(), Some(START_UNIX_MS)));
    took.expect("the method takes in a turn");
}

pub(crate) fn ask(method: &dyn Method, text: &str, context_tokens: usize) -> Recalled {
    let query = Query {
        text,
        asked_by: None,
        context_tokens,
    };
    method.recall(&query).expect("the method answers")
}

/// Small talk of two people with little overlap between turns; deterministic for a seed.
pub(crate) fn talk(seed: u64, turns: usize) -> Vec<Turn> {
    const WORDS: [&str; 30] = [
        "garden", "train", "soup", "letter", "window", "painting", "bicycle", "doctor", "river",
        "camera", "Porto", "Lisbon", "Clara", "Dan", "guitar", "market", "storm", "the", "a", "of",
        "went", "bought", "saw", "with", "to", "fixed", "very", "we", "7", "40",
    ];
    let mut rng = Rng::new(seed);
    let one = |index: usize| {
        let many = rng.below(14);
        let mut said: Vec<&str> = (0..many).map(|_| *rng.pick(&WORDS)).collect();
        if rng.chance(0.3) {
            said.push(". And");
            said.push(WORDS[rng.below(WORDS.len())]);
        }
        let speaker = *rng.pick(&["Ana", "Bob", ""]);
        turn(index, speaker, &format!("We {}.", said.join(" ")))
    };
    (0..turns).map(one).collect()
}
