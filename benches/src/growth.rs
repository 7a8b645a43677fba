//! Measures whether the memory slows down as the stream grows.
//!
//! Corpus: generated dialogue with changing topics, facts of rare words and filler, encoded by
//! hashed words, so that no model or disk affects the times. Caveat: real dialogue repeats less, so
//! real trees hold more and smaller units. At each decade of turns the last thousand ingests and
//! two hundred recalls are timed.

use crate::drive;
use crate::method::MethodContext;
use crate::timing::Times;
use anyhow::Result;
use serde::Serialize;
use std::io::Write;
use std::sync::Arc;
use std::time::Instant;
use weir_core::answer::Question;
use weir_core::driver::Driver;
use weir_core::stream::{Span, Utterance};
use weir_models::{Encode, WordHashEncoder};

/// Number of calls for one figure.
const INGESTS: u64 = 1_000;
const RECALLS: usize = 200;

const SPEAKERS: [&str; 3] = ["Alice", "Tom", "Maria"];
const THINGS: [&str; 12] = [
    "guitar", "bicycle", "garden", "camera", "umbrella", "letter", "kitchen", "ticket", "painting",
    "suitcase", "lamp", "boat",
];
const PLACES: [&str; 8] = [
    "Lisbon", "Oslo", "Vienna", "Cairo", "Boston", "Prague", "Athens", "Dublin",
];

#[derive(Serialize)]
struct Row {
    turns: u64,
    tokens: usize,
    budget_tokens: usize,
    units: usize,
    ingest_us_p50: u64,
    ingest_us_p95: u64,
    recall_us_p50: u64,
    recall_us_p95: u64,
    memory_bytes: usize,
}

/// Runs one memory to `turns` turns and prints a row at each decade.
pub(crate) fn run(turns: u64, budget_tokens: usize) -> Result<()> {
    let encoder: Arc<dyn Encode> = Arc::new(WordHashEncoder::new());
    let mut memory = drive::memory(
        budget_tokens,
        &MethodContext::plain(Arc::clone(&encoder), None),
    )?;
    memory.begin(drive::begin("growth", None))?;
    let mut times = Times::default();
    let mut next = 1_000;
    for turn in 1..=turns {
        if turn + INGESTS > next {
            let before = Instant::now();
            memory.hear(utterance(turn))?;
            times.add(before.elapsed().as_micros() as f64);
        } else {
            memory.hear(utterance(turn))?;
        }
        if turn == next || turn == turns {
            let row = measured(&memory, encoder.as_ref(), turn, std::mem::take(&mut times))?;
            writeln!(std::io::stdout(), "{}", serde_json::to_string(&row)?)?;
            next *= 10;
        }
    }
    Ok(())
}

fn measured(memory: &Driver, encoder: &dyn Encode, turns: u64, mut ingests: Times) -> Result<Row> {
    let mut recalls = Times::default();
    for n in 0..RECALLS {
        let text = question(n);
        let found_by = encoder
            .encode_for_search(&[&text])?
            .pop()
            .unwrap_or_default();
        let question = Question::new(text, found_by, None);
        let before = Instant::now();
        let recall = memory.session().recall(&question, 1_300);
        recalls.add(before.elapsed().as_micros() as f64);
        std::hint::black_box(recall);
    }
    let stats = memory.session().stats();
    Ok(Row {
        turns,
        tokens: stats.memory.tokens,
        budget_tokens: stats.memory.budget_tokens,
        units: stats.memory.amus,
        ingest_us_p50: ingests.percentile(50) as u64,
        ingest_us_p95: ingests.percentile(95) as u64,
        recall_us_p50: recalls.percentile(50) as u64,
        recall_us_p95: recalls.percentile(95) as u64,
        memory_bytes: stats.memory.bytes,
    })
}

fn utterance(turn: u64) -> Utterance {
    // multiplying by odd constants visits all combinations before any repeats
    let pick = |factor: u64, of: usize| (turn.wrapping_mul(factor) >> 7) as usize % of;
    let speaker = SPEAKERS[pick(2_654_435_761, SPEAKERS.len())];
    let thing = THINGS[pick(40_503, THINGS.len())];
    let place = PLACES[pick(2_246_822_519, PLACES.len())];
    let text = match turn % 5 {
        0 => format!("I bought a {thing} for {} dollars in {place}.", turn % 997),
        1 => format!("Did you see the {thing} that I left in {place}?"),
        2 => "That sounds very good to me.".to_owned(),
        3 => format!("My friend number {turn} lives in {place} and loves his {thing}."),
        _ => format!("We go to {place} on day {} with the {thing}.", turn % 365),
    };
    Utterance {
        id: format!("u{turn}"),
        stream: "growth".into(),
        speaker: Some(speaker.into()),
        span: Span::new(turn * 4_000, turn * 4_000 + 3_500),
        audio: None,
        confidence: None,
        text,
    }
}

fn question(n: usize) -> String {
    format!(
        "Where did {} buy the {}?",
        SPEAKERS[n % SPEAKERS.len()],
        THINGS[n % THINGS.len()]
    )
}
