//! Input of a run.

use super::record::StreamStamp;
use crate::budget::Budget;
use crate::method::{Method, MethodContext, registry};
use crate::options::Model;
use crate::stream::Stream;
use anyhow::Result;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use weir_models::{CountTokens, Encode, WordPieceCounter};

/// Tokens of a context.
pub(super) const CONTEXT_TOKENS: usize = 1_300;
/// Time of one method on one stream.
pub(super) const TIME_LIMIT: Duration = Duration::from_secs(900);

/// Makes an empty memory of a method by name.
pub(crate) type Build = fn(&str, Arc<MethodContext>) -> Result<Box<dyn Method>>;

/// Input of a run.
pub(crate) struct Plan {
    pub(crate) streams: Vec<(Stream, StreamStamp)>,
    /// Names of methods.
    pub(crate) methods: Vec<String>,
    /// Makes them; [`crate::method::registry::build`] except in tests.
    pub(crate) build: Build,
    /// Token budgets; each is run.
    pub(crate) budgets: Vec<Budget>,
    pub(crate) encoder: Arc<dyn Encode>,
    pub(crate) counter: Arc<dyn CountTokens>,
    /// Writes for the methods that ask a language model; without it rules do.
    pub(crate) writer: Option<Model>,
    pub(crate) context_tokens: usize,
    pub(crate) threads: usize,
    pub(crate) time_limit: Duration,
    /// Whether results hold the contexts of all questions too.
    pub(crate) keep_contexts: bool,
    pub(crate) out: PathBuf,
}

impl Plan {
    /// A run of all processors with the settings that all measurements share, and no method yet.
    pub(crate) fn of(
        streams: Vec<(Stream, StreamStamp)>,
        encoder: Arc<dyn Encode>,
        out: PathBuf,
    ) -> Self {
        Self {
            streams,
            methods: Vec::new(),
            build: registry::build,
            budgets: Vec::new(),
            encoder,
            counter: Arc::new(WordPieceCounter::shared()),
            writer: None,
            context_tokens: CONTEXT_TOKENS,
            threads: std::thread::available_parallelism().map_or(1, usize::from),
            time_limit: TIME_LIMIT,
            keep_contexts: false,
            out,
        }
    }
}
