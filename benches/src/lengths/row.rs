//! What one method came to at one length.

use super::args::LengthsArgs;
use serde::{Deserialize, Serialize};

/// One method at one length.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Row {
    pub(crate) method: String,
    pub(crate) turns: usize,
    pub(crate) budget_tokens: Option<usize>,
    pub(crate) encoder: String,
    /// Why the method got no further; the measures are then 0.
    pub(crate) failed: Option<String>,
    pub(crate) query_us_p50: f64,
    pub(crate) query_us_p95: f64,
    pub(crate) query_us_p99: f64,
    /// Texts that the encoder reads for a question, mean.
    pub(crate) query_encoded_texts: f64,
    pub(crate) context_tokens: f64,
    /// Microseconds a turn since the last mark, all building included, without the encoder.
    pub(crate) ingest_us_per_turn: f64,
    /// Texts that the encoder reads a turn.
    pub(crate) ingest_encoded_texts: f64,
    pub(crate) stored_tokens: usize,
    pub(crate) stored_bytes: usize,
    pub(crate) resident_bytes: u64,
    /// Share of the planted facts that the context shows.
    pub(crate) facts_found: f64,
}

impl Row {
    pub(super) fn failed(args: &LengthsArgs, method: &str, turns: usize, why: String) -> Self {
        Self {
            method: method.to_owned(),
            turns,
            budget_tokens: args.budget.tokens(method),
            encoder: String::new(),
            failed: Some(why),
            query_us_p50: 0.0,
            query_us_p95: 0.0,
            query_us_p99: 0.0,
            query_encoded_texts: 0.0,
            context_tokens: 0.0,
            ingest_us_per_turn: 0.0,
            ingest_encoded_texts: 0.0,
            stored_tokens: 0,
            stored_bytes: 0,
            resident_bytes: 0,
            facts_found: 0.0,
        }
    }
}
