//! Opinions by rules against labels of people: the polarity of given terms, and what is extracted.
//!
//! MAMS (reviews of restaurants, each sentence with terms of different polarity) and `DiaASQ`
//! (talk about phones: target, aspect, polarity). The word weights of `affect_of_term` are trained
//! on MAMS's training part; nothing is tuned on the parts measured here by default.

mod diaasq;
mod lexicon;
mod mams;
mod score;

use anyhow::Result;
use lexicon::Lexicon;
use serde::Serialize;
use std::io::Write;
use std::path::PathBuf;
use std::time::Instant;
use weir_core::text::{Affect, Opinion, Said, affect_of_term, opinions};

/// Options of `opinions`.
#[derive(clap::Args)]
pub(crate) struct OpinionsArgs {
    /// Folder with `mams`, `diaasq` and `vader`
    data: PathBuf,
    /// Part of MAMS: train, val
    #[arg(long, default_value = "val")]
    part: String,
    /// Also print each opinion that the rules find
    #[arg(long)]
    show: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
enum Polarity {
    Positive,
    Negative,
    Neutral,
}

impl Polarity {
    const ALL: [Self; 3] = [Self::Positive, Self::Negative, Self::Neutral];

    /// The likeliest polarity.
    fn of(affect: &Affect) -> Self {
        let sentiment = affect.sentiment;
        match () {
            () if sentiment.neutral >= sentiment.positive.max(sentiment.negative) => Self::Neutral,
            () => Self::by_sign(sentiment.leaning()),
        }
    }

    /// Positive or negative by sign, neutral at 0.
    fn by_sign(value: f32) -> Self {
        match value {
            value if value > 0.0 => Self::Positive,
            value if value < 0.0 => Self::Negative,
            _ => Self::Neutral,
        }
    }
}

/// A line of results.
#[derive(Serialize)]
struct Row<'a, T: Serialize> {
    set: &'a str,
    task: &'a str,
    method: &'a str,
    #[serde(flatten)]
    result: T,
}

/// Measures and prints one JSON object a line.
///
/// # Errors
/// The file that cannot be read.
pub(crate) fn run(args: &OpinionsArgs) -> Result<()> {
    let lexicon = Lexicon::read(&args.data.join("vader/vader_lexicon.txt"))?;
    let mut out = std::io::stdout().lock();
    let file = args.data.join(format!("mams/ATSA/{}.xml", args.part));
    mams::measure(&mams::read(&file)?, &lexicon, args.show, &mut out)?;
    let talks = diaasq::read(&args.data.join("diaasq/valid.json"))?;
    diaasq::measure(&talks, &lexicon, args.show, &mut out)
}

fn print<T: Serialize>(
    out: &mut dyn Write,
    (set, task, method): (&str, &str, &str),
    result: T,
) -> Result<()> {
    let row = Row {
        set,
        task,
        method,
        result,
    };
    writeln!(out, "{}", serde_json::to_string(&row)?)?;
    Ok(())
}

/// The opinions of a text that count, and the microseconds they took.
fn found<'a>(text: &'a str, before: Option<&str>) -> (Vec<Opinion<'a>>, f64) {
    let said = Said {
        text,
        speaker: None,
        vector: None,
        before: None,
    };
    let started = Instant::now();
    let mut all = match before {
        None => opinions(&said),
        Some(before) => opinions(&Said {
            before: Some(before),
            ..said
        }),
    };
    let micros = started.elapsed().as_secs_f64() * 1e6;
    all.retain(|opinion| opinion.doubt.is_none());
    (all, micros)
}

/// The canonical aspect of a noun, as the rules make it of a thing.
fn canonical_aspect(noun: &str) -> Option<String> {
    let text = format!("Its {} is great.", noun.to_lowercase());
    let (all, _) = found(&text, Some("phone"));
    let aspect = all.into_iter().next()?.aspect;
    (aspect != "general").then_some(aspect)
}

/// Polarity by Weir for a term at some bytes of a text.
fn told(text: &str, span: (usize, usize)) -> Affect {
    affect_of_term(text, span.0..span.1)
}
