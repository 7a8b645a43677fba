//! `weir-bench beliefs`: DAM-LLM's experiments on memory growth and on one opinion (4.3.2, 4.4.1).
//!
//! Growth: rounds of random remarks, how many beliefs there are, and what became of the remarks.
//! Coffee: thirty remarks, how the profile of its taste moves. Both run through the memory as it
//! ships: remarks are heard, distilled and observed.

use crate::drive;
use crate::markdown::{number, table, table_of};
use crate::method::MethodContext;
use crate::options::EncoderArgs;
use anyhow::Result;
use serde::Serialize;
use serde_json::{Value, json};
use std::io::Write;
use std::sync::Arc;
use weir_core::driver::Driver;
use weir_core::limits;
use weir_core::stream::{Span, Utterance};
use weir_core::text::Sentiment;
use weir_fixtures::Rng;
use weir_models::Encode;

/// Thirty remarks on coffee, the first ten in conflict, two of them on its packaging. Written
/// before the first run; nothing was changed afterwards.
const COFFEE: &str = include_str!("coffee.txt");
/// Rounds and remarks of a round (DAM-LLM 4.4.1).
const ROUNDS: u64 = 5;
const REMARKS: usize = 500;
/// More than any of the experiments needs, so that nothing is forgotten.
const BUDGET_TOKENS: usize = 1 << 20;

/// What random remarks speak of. The paper has a language model write them and does not say of
/// what.
const NOUNS: [&str; 25] = [
    "phone", "laptop", "camera", "hotel", "restaurant", "bakery", "bus", "train", "museum", "park",
    "gym", "office", "sofa", "lamp", "kettle", "bicycle", "jacket", "watch", "radio", "printer",
    "garden", "school", "cinema", "library", "market",
];
const ASPECTS: [&str; 6] = ["price", "quality", "design", "service", "size", "sound"];
const FEELINGS: [&str; 18] = [
    "wonderful", "great", "good", "lovely", "excellent", "nice enough", "not bad", "fairly decent",
    "okay", "average", "so-so", "a bit dull", "not that great", "bad", "disappointing", "awful",
    "terrible", "horrible",
];

/// Options of the command.
#[derive(clap::Args)]
pub(crate) struct BeliefsArgs {
    #[command(flatten)]
    encoder: EncoderArgs,
}

/// A belief about coffee after a remark.
#[derive(Serialize)]
struct CoffeeRow {
    remark: usize,
    aspect: String,
    settled: Sentiment,
    current: Sentiment,
    weight: f32,
    entropy: f32,
}

/// Measures and prints rows as JSON Lines.
pub(crate) fn run(args: &BeliefsArgs) -> Result<()> {
    let encoder = args.encoder.open()?;
    let mut out = std::io::stdout().lock();
    for round in 0..ROUNDS {
        writeln!(out, "{}", growth(&encoder, round)?)?;
    }
    for row in coffee(&encoder)? {
        writeln!(out, "{}", serde_json::to_string(&row)?)?;
    }
    Ok(())
}

/// What both show, for `weir-bench paper`: a table of the rounds, and what is held of coffee after
/// all remarks.
pub(crate) fn tables(encoder: &Arc<dyn Encode>) -> Result<String> {
    let counts = [
        "round", "remarks", "observed", "beliefs", "integrated", "deleted", "abandoned",
    ];
    let mut rows = Vec::new();
    for round in 0..ROUNDS {
        let row = growth(encoder, round)?;
        let cells = counts.iter().map(|name| row[*name].to_string());
        let compression = number(row["compression"].as_f64(), 3);
        rows.push(cells.chain([compression]).collect());
    }
    let heads: Vec<&str> = counts.into_iter().chain(["compression"]).collect();
    let last = coffee(encoder)?;
    let end = last.iter().map(|row| row.remark).max().unwrap_or(0);
    let held = table_of(
        last.iter().filter(|row| row.remark == end),
        &[
            ("belief", |row| row.aspect.clone()),
            ("positive", |row| share(row.settled.positive)),
            ("negative", |row| share(row.settled.negative)),
            ("neutral", |row| share(row.settled.neutral)),
            ("weight", |row| number(f64::from(row.weight), 1)),
        ],
    );
    let rounds = table(&heads, &rows);
    Ok(format!(
        "\n{rounds}\nHeld after {end} remarks on coffee:\n\n{held}"
    ))
}

fn share(value: f32) -> String {
    number(f64::from(value), 2)
}

/// A round of random remarks. Its beliefs are certain below the low threshold of entropy, uncertain
/// above the high one. Compression is `1 - beliefs / observed`: a memory without the update has a
/// unit for each opinion.
fn growth(encoder: &Arc<dyn Encode>, round: u64) -> Result<Value> {
    let mut memory = empty(encoder)?;
    let mut random = Rng::new(round);
    for _ in 0..REMARKS {
        hear(&mut memory, &remark(&mut random))?;
    }
    let beliefs = memory.session().beliefs();
    let entropies = beliefs.held().iter().map(|it| it.tally().settled.entropy());
    let entropies: Vec<f32> = entropies.collect();
    let count = |of: &dyn Fn(f32) -> bool| entropies.iter().filter(|it| of(**it)).count();
    let compression = 1.0 - entropies.len() as f64 / beliefs.counts().observed.max(1) as f64;
    let mut row = serde_json::to_value(beliefs.counts())?;
    row["round"] = json!(round);
    row["remarks"] = json!(REMARKS);
    row["beliefs"] = json!(entropies.len());
    row["certain"] = json!(count(&|it| it < limits::BELIEF_ENTROPY_LOW));
    row["uncertain"] = json!(count(&|it| it > limits::BELIEF_ENTROPY_HIGH));
    row["compression"] = json!(compression);
    Ok(row)
}

fn remark(random: &mut Rng) -> String {
    let (noun, aspect) = (random.pick(&NOUNS), random.pick(&ASPECTS));
    let feeling = random.pick(&FEELINGS);
    match random.below(4) {
        0 => format!("The {aspect} of the {noun} is {feeling}."),
        1 => format!("I think the {aspect} of the {noun} is {feeling}."),
        2 => format!("For me the {noun} is {feeling}."),
        _ => format!("I find the {aspect} of my {noun} {feeling}."),
    }
}

fn coffee(encoder: &Arc<dyn Encode>) -> Result<Vec<CoffeeRow>> {
    let mut memory = empty(encoder)?;
    let mut rows = Vec::new();
    for (at, text) in COFFEE.lines().enumerate() {
        hear(&mut memory, text)?;
        rows.extend(memory.session().beliefs().held().iter().map(|belief| {
            let tally = belief.tally();
            CoffeeRow {
                remark: at + 1,
                aspect: format!("{} {}", belief.object, belief.aspect),
                settled: tally.settled,
                current: tally.current,
                weight: tally.weight,
                entropy: tally.settled.entropy(),
            }
        }));
    }
    Ok(rows)
}

fn empty(encoder: &Arc<dyn Encode>) -> Result<Driver> {
    let context = MethodContext::plain(Arc::clone(encoder), None);
    let mut memory = drive::memory(BUDGET_TOKENS, &context)?;
    memory.begin(drive::begin("beliefs", None))?;
    Ok(memory)
}

/// Hears a remark and distils it at once, so that every remark is one observation.
fn hear(memory: &mut Driver, text: &str) -> Result<()> {
    let n = memory.session().turns();
    memory.hear(Utterance {
        id: format!("u{n}"),
        stream: "beliefs".into(),
        span: Span::new(n * 10_000, n * 10_000 + 3_000),
        ..Utterance::new("Ana", text)
    })?;
    Ok(memory.flush()?)
}
