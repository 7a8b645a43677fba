//! What Weir finds in a text, as the measures take it, and a line of results.

use anyhow::Result;
use serde::Serialize;
use std::io::Write;
use std::time::Instant;
use weir_core::distil::Observer;
use weir_core::text::{Opinion, Said, may_feel, opinions};

/// A line of results.
#[derive(Serialize)]
struct Row<'a, T: Serialize> {
    set: &'a str,
    task: &'a str,
    method: &'a str,
    #[serde(flatten)]
    result: T,
}

pub(super) fn print<T: Serialize>(
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
pub(super) fn found<'a>(text: &'a str, before: Option<&'a str>) -> (Vec<Opinion<'a>>, f64) {
    let started = Instant::now();
    let mut all = opinions(&said(text, before));
    let micros = started.elapsed().as_secs_f64() * 1e6;
    all.retain(|opinion| opinion.doubt.is_none());
    (all, micros)
}

/// The same with a generator beside the rules: its opinion in the place of theirs where the words
/// bear it out.
pub(super) fn observed<'a>(
    text: &'a str,
    observer: &mut Observer,
    counts: &mut Counts,
) -> Result<(Vec<Opinion<'a>>, f64)> {
    let said = said(text, None);
    let started = Instant::now();
    if !may_feel(&said) {
        return Ok(found(text, None));
    }
    counts.asked += 1;
    let made = observer.opinion(&said, &[])?;
    let micros = started.elapsed().as_secs_f64() * 1e6;
    Ok(match made {
        Some(made) => (
            vec![made]
                .into_iter()
                .filter(|it| it.doubt.is_none())
                .collect(),
            micros,
        ),
        None => {
            counts.refused += 1;
            (found(text, None).0, micros)
        }
    })
}

/// How often a generator was asked, and how often the words did not bear out its reply.
#[derive(Debug, Default, Serialize)]
pub(super) struct Counts {
    asked: usize,
    refused: usize,
}

fn said<'a>(text: &'a str, before: Option<&'a str>) -> Said<'a> {
    Said {
        text,
        speaker: None,
        vector: None,
        before,
    }
}

/// The canonical aspect of a noun, as the rules make it of a thing.
pub(super) fn canonical_aspect(noun: &str) -> Option<String> {
    let text = format!("Its {} is great.", noun.to_lowercase());
    let (all, _) = found(&text, Some("phone"));
    let aspect = all.into_iter().next()?.aspect;
    (aspect != "general").then_some(aspect)
}
