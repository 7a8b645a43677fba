//! What Weir finds in a text, as the measures take it, and a line of results.

use crate::options::EncoderArgs;
use anyhow::{Context, Result};
use serde::Serialize;
use std::io::Write;
use std::sync::{Arc, OnceLock};
use std::time::Instant;
use weir_core::text::{Opinion, opinions, topic};
use weir_models::{Annotation, Encode, Stated};

/// A line of results.
#[derive(Serialize)]
struct Row<'a, T: Serialize> {
    set: &'a str,
    task: &'a str,
    #[serde(flatten)]
    result: T,
}

pub(super) fn print<T: Serialize>(
    out: &mut dyn Write,
    set: &str,
    task: &str,
    result: T,
) -> Result<()> {
    let row = Row { set, task, result };
    writeln!(out, "{}", serde_json::to_string(&row)?)?;
    Ok(())
}

/// What is found in a text: opinions that count, and what the text after it is about.
pub(super) struct Found {
    pub(super) opinions: Vec<Opinion>,
    pub(super) topic: Option<String>,
    pub(super) micros: f64,
}

/// The encoder with the language model that is measured.
static ENCODER: OnceLock<Arc<dyn Encode>> = OnceLock::new();

/// Opens what is measured, once.
pub(super) fn open(args: &EncoderArgs) -> Result<()> {
    let encoder = args.open()?;
    ENCODER.get_or_init(|| encoder);
    Ok(())
}

/// What the language model reads in a text that answers a question, or none.
pub(super) fn annotated(text: &str, question: Option<&str>) -> Result<Annotation> {
    let model = ENCODER.get().and_then(|encoder| encoder.language());
    let model = model.context("no language model is open")?;
    let read = model.annotate(&[Stated { text, question }])?;
    Ok(read.into_iter().next().unwrap_or_default())
}

/// What the measures count and print.
#[derive(Clone, Copy, clap::Args)]
pub(super) struct Measured {
    /// Also count remarks that are doubted: suppositions, reports, the past, sarcasm, questions
    #[arg(long)]
    doubted: bool,
    /// Also print each opinion that is found
    #[arg(long)]
    pub(super) show: bool,
}

/// Opinions of a text, whether worth keeping or not; `before` is what the text before was about.
pub(super) fn found(text: &str, before: Option<&str>, measured: Measured) -> Result<Found> {
    let started = Instant::now();
    let read = annotated(text, None)?;
    let micros = started.elapsed().as_secs_f64() * 1e6;
    let mut all = opinions(text, &read, before);
    all.retain(|it| measured.doubted || it.doubt.is_none());
    Ok(Found {
        opinions: all,
        topic: topic(text, &read),
        micros,
    })
}
