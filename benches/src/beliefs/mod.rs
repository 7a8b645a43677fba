//! `weir-bench beliefs`: the experiments of DAM-LLM (4.3.2 to 4.4.1) on Weir's beliefs.
//!
//! Coffee: thirty remarks, how the profile of its taste moves. Growth: rounds of random remarks,
//! how many beliefs there are. Shift: how many remarks turn a belief over after a long history.
//! Everything runs through the memory as it ships: remarks are heard, distilled, observed.

mod remarks;
mod row;

use crate::drive;
use crate::encoder::EncoderArgs;
use crate::method::MethodContext;
use crate::plot::{self, Line, Panel};
use anyhow::Result;
use remarks::Remarks;
use row::CoffeeRow;
use serde::Serialize;
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;
use weir_core::beliefs::{Belief, Tally};
use weir_core::driver::Driver;
use weir_core::stream::{Span, Utterance};
use weir_core::text::Sentiment;
use weir_models::Encode;

/// Thirty remarks on coffee, the first ten in conflict, two of them on its packaging. Written
/// before the first run; nothing was changed afterwards.
const COFFEE: &str = include_str!("coffee.txt");
/// Rounds and remarks of a round (DAM-LLM 4.4.1).
const ROUNDS: u64 = 5;
const REMARKS: usize = 500;
/// Numbers of different things with six sides each that random remarks speak of.
const THINGS: [usize; 4] = [8, 25, 80, 250];
/// Lengths of the history before an opinion changes.
const HISTORIES: [usize; 3] = [5, 50, 500];
/// Remarks after which an opinion counts as one that does not change.
const CONTRARY_MAX: usize = 1_000;
/// More than any of the experiments needs, so that nothing is forgotten.
const BUDGET_TOKENS: usize = 1 << 20;

/// The belief that the plot follows.
const TASTE: &str = "coffee taste";

/// Options of the command.
#[derive(clap::Args)]
pub(crate) struct BeliefsArgs {
    #[command(flatten)]
    encoder: EncoderArgs,
    /// Draw the curves of the coffee and of the growth into this SVG file
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
}

/// A round of random remarks.
#[derive(Serialize)]
struct GrowthRow {
    things: usize,
    round: u64,
    remarks: usize,
    /// Opinions found in them: units of a memory without the update.
    observed: u64,
    abandoned: u64,
    doubted: u64,
    integrated: u64,
    deleted: u64,
    beliefs: usize,
    /// `1 - beliefs / observed`.
    compression: f64,
}

/// How fast an opinion changes.
#[derive(Serialize)]
struct ShiftRow {
    history: usize,
    /// Contrary remarks until the paper's profile leans the other way; none within the bound.
    settled_after: Option<usize>,
    /// The same of the profile with a bounded weight of the past.
    current_after: Option<usize>,
}

/// Runs the command: rows as JSON Lines.
pub(crate) fn main(args: &BeliefsArgs) -> Result<()> {
    let encoder = args.encoder.open()?;
    let coffee = coffee(&encoder)?;
    coffee.iter().try_for_each(print)?;
    let mut curves = Vec::new();
    for things in THINGS {
        for round in 0..ROUNDS {
            let (row, curve) = growth(&encoder, things, round)?;
            print(&row)?;
            curves.push((things, curve));
        }
    }
    for history in HISTORIES {
        print(&shift(&encoder, history)?)?;
    }
    match &args.plot {
        Some(file) => plot::draw(&panels(&coffee, &curves), file),
        None => Ok(()),
    }
}

/// How the taste of coffee is judged remark by remark, and how many beliefs there are.
fn panels(coffee: &[CoffeeRow], curves: &[(usize, Vec<usize>)]) -> Vec<Panel> {
    let taste = |name: &str, value: fn(&CoffeeRow) -> f32| {
        let rows = coffee.iter().filter(|row| row.aspect == TASTE);
        Line {
            name: name.to_owned(),
            points: rows
                .map(|row| (row.remark as f64, f64::from(value(row))))
                .collect(),
        }
    };
    let growth = |(things, curve): &(usize, Vec<usize>)| Line {
        name: format!("{things} things"),
        points: (1..)
            .zip(curve)
            .map(|(at, held)| (f64::from(at), *held as f64))
            .collect(),
    };
    let panel = |title, lines| Panel {
        title,
        x: "remarks",
        is_log: false,
        lines,
    };
    vec![
        panel(
            "taste of coffee",
            vec![
                taste("positive", |row| row.settled.positive),
                taste("negative", |row| row.settled.negative),
                taste("neutral", |row| row.settled.neutral),
                taste("positive, recent", |row| row.current.positive),
            ],
        ),
        panel("beliefs held", curves.iter().map(growth).collect()),
    ]
}

fn print(row: &impl Serialize) -> Result<()> {
    Ok(writeln!(
        std::io::stdout(),
        "{}",
        serde_json::to_string(row)?
    )?)
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
        speaker: Some("Ana".into()),
        span: Span::new(n * 10_000, n * 10_000 + 3_000),
        audio: None,
        confidence: None,
        text: text.to_owned(),
    })?;
    Ok(memory.flush()?)
}

fn coffee(encoder: &Arc<dyn Encode>) -> Result<Vec<CoffeeRow>> {
    let mut memory = empty(encoder)?;
    let mut rows = Vec::new();
    for (at, text) in COFFEE.lines().enumerate() {
        hear(&mut memory, text)?;
        for belief in memory.session().beliefs().held() {
            let tally = belief.tally();
            rows.push(CoffeeRow {
                remark: at + 1,
                aspect: format!("{} {}", belief.object, belief.aspect),
                settled: tally.settled,
                current: tally.current,
                weight: tally.weight,
                entropy: tally.settled.entropy(),
            });
        }
    }
    Ok(rows)
}

/// One round, and the number of beliefs after each remark.
fn growth(encoder: &Arc<dyn Encode>, things: usize, round: u64) -> Result<(GrowthRow, Vec<usize>)> {
    let mut memory = empty(encoder)?;
    let mut remarks = Remarks::new(things, round);
    let mut curve = Vec::with_capacity(REMARKS);
    for _ in 0..REMARKS {
        hear(&mut memory, &remarks.next())?;
        curve.push(memory.session().beliefs().held().len());
    }
    let (counts, beliefs) = (
        memory.session().beliefs().counts(),
        memory.session().beliefs().held().len(),
    );
    let row = GrowthRow {
        things,
        round,
        remarks: REMARKS,
        observed: counts.observed,
        abandoned: counts.abandoned,
        doubted: counts.doubted,
        integrated: counts.integrated,
        deleted: counts.deleted,
        beliefs,
        compression: 1.0 - beliefs as f64 / counts.observed.max(1) as f64,
    };
    Ok((row, curve))
}

/// After `history` remarks of love: how many of hate turn the belief over.
fn shift(encoder: &Arc<dyn Encode>, history: usize) -> Result<ShiftRow> {
    let mut memory = empty(encoder)?;
    for _ in 0..history {
        hear(&mut memory, "I love the new office.")?;
    }
    let (mut settled_after, mut current_after) = (None, None);
    for contrary in 1..=CONTRARY_MAX {
        hear(&mut memory, "I hate the new office.")?;
        let mut held = memory.session().beliefs().held().iter();
        let Some(tally) = held.next().map(Belief::tally) else {
            break;
        };
        let turned = |of: fn(&Tally) -> Sentiment| of(&tally).leaning() < 0.0;
        if turned(|tally| tally.settled) {
            settled_after = settled_after.or(Some(contrary));
        }
        if turned(|tally| tally.current) {
            current_after = current_after.or(Some(contrary));
        }
        if settled_after.is_some() && current_after.is_some() {
            break;
        }
    }
    Ok(ShiftRow {
        history,
        settled_after,
        current_after,
    })
}
