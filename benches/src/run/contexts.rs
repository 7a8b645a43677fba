//! The contexts of a run in the format of replay's results, so that the same tools can read them.
//!
//! One folder for each method and budget, one file for each stream.

use super::record::JobKey;
use crate::convert::file_name;
use crate::files::write_whole;
use crate::method::{Answered, Recalled};
use anyhow::{Context, Result};
use serde_json::json;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Name of the folder below the run's.
pub const FOLDER: &str = "contexts";
/// File name suffix of results.
pub const ENDING: &str = ".results.jsonl";

/// A question with a method's context.
pub(super) struct Shown<'a> {
    pub(super) probe: &'a str,
    pub(super) answered: &'a Answered,
    pub(super) recalled: &'a Recalled,
    pub(super) context_tokens: usize,
    pub(super) text_tokens: usize,
    pub(super) budget_tokens: Option<usize>,
    pub(super) turns: usize,
}

/// The line of one question.
pub(super) fn line(shown: &Shown<'_>) -> String {
    let fields = json!({
        "probe": shown.probe,
        "answer": shown.answered.text,
        "abstained": shown.answered.abstained,
        "context": shown.recalled.context,
        "context_utterances": shown.recalled.turns,
        "context_tokens": shown.context_tokens,
        "memory": {"text_tokens": shown.text_tokens, "budget_tokens": shown.budget_tokens},
        "turns": shown.turns,
    });
    fields.to_string()
}

/// The file of a job's contexts in the folder of a run.
#[must_use]
pub fn path(out: &Path, key: &JobKey) -> PathBuf {
    let budget = key
        .budget_tokens
        .map_or("none".to_owned(), |t| t.to_string());
    let setup = file_name(&format!("{}-{budget}", key.method));
    let stream = file_name(&key.stream);
    out.join(FOLDER)
        .join(setup)
        .join(format!("{stream}{ENDING}"))
}

/// Writes a job's contexts atomically.
pub(super) fn write(path: &Path, lines: &[String]) -> Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder)
        .with_context(|| format!("{} cannot be made", folder.display()))?;
    write_whole(path, |out| {
        for line in lines {
            writeln!(out, "{line}")?;
        }
        Ok(())
    })
}
