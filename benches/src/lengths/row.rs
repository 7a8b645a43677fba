//! Results of one method at one length.

use super::args::LengthsArgs;
use serde::{Deserialize, Serialize};

/// One method at one length.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Row {
    pub(crate) method: String,
    pub(crate) turns: usize,
    pub(crate) budget_tokens: Option<usize>,
    pub(crate) encoder: String,
    /// Reason of a failure; the measures are then 0.
    pub(crate) failed: Option<String>,
    pub(crate) query_us_p50: f64,
    pub(crate) query_us_p95: f64,
    pub(crate) query_us_p99: f64,
    /// Mean texts encoded for a question.
    pub(crate) query_encoded_texts: f64,
    pub(crate) context_tokens: f64,
    /// Microseconds per turn since the last mark, including all building, without the encoder.
    pub(crate) ingest_us_per_turn: f64,
    /// Texts encoded per turn.
    pub(crate) ingest_encoded_texts: f64,
    pub(crate) stored_tokens: usize,
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
            resident_bytes: 0,
            facts_found: 0.0,
        }
    }
}
