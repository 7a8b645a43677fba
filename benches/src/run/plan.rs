//! Input of a run: streams, methods, budgets, and resources.

use super::record::StreamStamp;
use crate::answerer::Answerer;
use crate::budget::Budget;
use crate::judge::Judge;
use crate::method::writer::Writer;
use crate::method::{Method, MethodContext};
use crate::metric::Scorer;
use crate::stream::{Stream, Turn};
use anyhow::Result;
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use weir_models::{CountTokens, Encode};

/// Makes an empty memory of a method by name.
pub type Build = fn(&str, Arc<MethodContext>) -> Result<Box<dyn Method>>;

/// Input of a run.
pub struct Plan {
    /// Streams with their records.
    pub streams: Vec<(Stream, StreamStamp)>,
    /// Reference texts by stream and turn, if the streams are recognised ones: scores then use
    /// these.
    pub references: HashMap<String, HashMap<String, String>>,
    /// Names of methods.
    pub methods: Vec<String>,
    /// Makes them; [`crate::method::registry::build`] except in tests.
    pub build: Build,
    /// Token budgets; each is run.
    pub budgets: Vec<Budget>,
    /// The encoder.
    pub encoder: Arc<dyn Encode>,
    /// Counts tokens.
    pub counter: Arc<dyn CountTokens>,
    /// Writer for the methods that need a language model.
    pub writer: Arc<dyn Writer>,
    /// Answers.
    pub answerer: Arc<dyn Answerer>,
    /// Scores.
    pub scorer: Scorer,
    /// Judges answers, if set.
    pub judge: Option<Arc<dyn Judge>>,
    /// Tokens of a context.
    pub context_tokens: usize,
    /// Streams processed in parallel.
    pub threads: usize,
    /// Time limit of a job.
    pub time_limit: Duration,
    /// Device of the models: `cpu`, `cuda` or `metal`.
    pub device: String,
    /// Whether to write the contexts of all questions too, below the folder of the results.
    pub keep_contexts: bool,
    /// Folder of the results.
    pub out: PathBuf,
}

impl Plan {
    /// Text of a turn, for scoring.
    pub(super) fn reference<'a>(&'a self, stream: &'a Stream, turn: &'a Turn) -> &'a str {
        let reference = self.references.get(&stream.name);
        let said = reference.and_then(|turns| turns.get(&turn.id));
        said.unwrap_or(&turn.text)
    }
}
