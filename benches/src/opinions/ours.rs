//! What Weir finds in a text, as the measures take it, and a line of results.

use anyhow::{Context, Result};
use serde_json::Value;
use std::io::Write;
use std::sync::Arc;
use std::time::Instant;
use weir_core::text::{Opinion, opinions, topic};
use weir_models::{Annotation, Encode, Stated};

/// Prints a line of results.
pub(super) fn print(out: &mut dyn Write, set: &str, task: &str, mut result: Value) -> Result<()> {
    result["set"] = set.into();
    result["task"] = task.into();
    Ok(writeln!(out, "{result}")?)
}

/// What is found in a text: opinions that count, and what the text after it is about.
pub(super) struct Found {
    pub(super) opinions: Vec<Opinion>,
    pub(super) topic: Option<String>,
    pub(super) micros: f64,
}

pub(super) struct Measured {
    /// The encoder with the language model.
    pub(super) encoder: Arc<dyn Encode>,
    /// Whether doubted remarks count.
    pub(super) doubted: bool,
}

impl Measured {
    /// What the language model reads in a text that answers a question, or none.
    pub(super) fn annotated(&self, text: &str, question: Option<&str>) -> Result<Annotation> {
        let model = self.encoder.language();
        let model = model.context("no language model is open")?;
        let read = model.annotate(&[Stated { text, question }])?;
        Ok(read.into_iter().next().unwrap_or_default())
    }

    /// Opinions of a text, whether worth keeping or not; `before` is what the text before was
    /// about.
    pub(super) fn found(&self, text: &str, before: Option<&str>) -> Result<Found> {
        let started = Instant::now();
        let read = self.annotated(text, None)?;
        let micros = started.elapsed().as_secs_f64() * 1e6;
        let mut all = opinions(text, &read, before);
        all.retain(|it| self.doubted || it.doubt.is_none());
        Ok(Found {
            opinions: all,
            topic: topic(text, &read),
            micros,
        })
    }
}
