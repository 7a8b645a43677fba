//! What Weir finds in a text, as the measures take it, and a line of results.

use anyhow::Result;
use serde::Serialize;
use std::io::Write;
use std::time::Instant;
use weir_core::text::{Opinion, Said, opinions};

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

/// The opinions of a text that count, and the microseconds they took.
pub(super) fn found<'a>(text: &'a str, before: Option<&'a str>) -> (Vec<Opinion<'a>>, f64) {
    let started = Instant::now();
    let mut all = opinions(&Said {
        text,
        speaker: None,
        vector: None,
        before,
    });
    let micros = started.elapsed().as_secs_f64() * 1e6;
    all.retain(|opinion| opinion.doubt.is_none());
    (all, micros)
}

/// The canonical aspect of a noun, as the rules make it of a thing.
pub(super) fn canonical_aspect(noun: &str) -> Option<String> {
    let text = format!("Its {} is great.", noun.to_lowercase());
    let (all, _) = found(&text, Some("phone"));
    let aspect = all.into_iter().next()?.aspect;
    (aspect != "general").then_some(aspect)
}
