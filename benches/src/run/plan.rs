//! What is run: streams, methods, budgets, and all that they need.

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

/// Makes an empty memory of a method by its name.
pub type Build = fn(&str, Arc<MethodContext>) -> Result<Box<dyn Method>>;

/// What is run.
pub struct Plan {
    /// Streams with what is written of them.
    pub streams: Vec<(Stream, StreamStamp)>,
    /// What was really said, by stream and turn, where the streams are as they were heard: the
    /// scores are then against that.
    pub references: HashMap<String, HashMap<String, String>>,
    /// Names of methods.
    pub methods: Vec<String>,
    /// Makes them; [`crate::method::registry::build`] but in tests.
    pub build: Build,
    /// Tokens that may be stored; each is run.
    pub budgets: Vec<Budget>,
    /// The encoder.
    pub encoder: Arc<dyn Encode>,
    /// Counts tokens.
    pub counter: Arc<dyn CountTokens>,
    /// Writes for the methods that need a language model.
    pub writer: Arc<dyn Writer>,
    /// Answers.
    pub answerer: Arc<dyn Answerer>,
    /// Scores.
    pub scorer: Scorer,
    /// Judges answers, where there is one.
    pub judge: Option<Arc<dyn Judge>>,
    /// Tokens of a context.
    pub context_tokens: usize,
    /// Streams at once.
    pub threads: usize,
    /// Longest time of a job.
    pub time_limit: Duration,
    /// Where the models compute: `cpu`, `cuda` or `metal`.
    pub device: String,
    /// Whether the contexts of all questions are written too, below the folder of the results.
    pub keep_contexts: bool,
    /// Folder of the results.
    pub out: PathBuf,
}

impl Plan {
    /// What was said in a turn, for scoring.
    pub(super) fn reference<'a>(&'a self, stream: &'a Stream, turn: &'a Turn) -> &'a str {
        let reference = self.references.get(&stream.name);
        let said = reference.and_then(|turns| turns.get(&turn.id));
        said.unwrap_or(&turn.text)
    }
}
