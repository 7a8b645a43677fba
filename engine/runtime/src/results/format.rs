//! The summary of a result file, version 1; its other lines are [`super::ProbeLine`]s. Field names
//! and order are those of the format.

use serde::{Deserialize, Serialize};
use weir_core::answer::CheckShares;
use weir_core::distil::DistilCounts;

/// The last object of a result file; written as `{"summary": {...}}`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// Version of the program.
    pub version: String,
    /// Commit it was built from.
    pub commit: String,
    /// Every setting used.
    pub config: serde_json::Value,
    /// The machine.
    pub machine: Machine,
    /// Utterances heard.
    pub turns: u64,
    /// Probes asked.
    pub probes: u64,
    /// Times of taking in the stream.
    pub ingest_ms: IngestMs,
    /// Times of the questions.
    pub query_us: QueryUs,
    /// Peak resident memory of the process; null if the system does not report it.
    pub rss_bytes_max: Option<u64>,
    /// Audio heard, in milliseconds.
    pub audio_ms: u64,
    /// Time taken per time of audio; null without audio.
    pub real_time_factor: Option<f64>,
    /// Word error rate; null without reference words.
    pub wer: Option<f64>,
    /// Figures of models that wrote answers; left out if none did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answers: Option<AnswersResult>,
    /// Figures of a distiller with models; left out for the extractive one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub distilled: Option<DistilledResult>,
    /// Figures of checked answers; left out if none were checked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checks: Option<ChecksResult>,
}

/// Figures of models that wrote the answers of a replay.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct AnswersResult {
    /// Answers in which quotes replaced a model's text.
    pub fell_back: u64,
    /// Sentences by models removed for lack of support.
    pub left_out: u64,
    /// Questions for which the reranker failed or was too slow.
    pub not_reranked: u64,
}

/// Figures of the answers of a replay that were checked claim by claim.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChecksResult {
    /// Name of the check.
    pub check: String,
    /// Shares over all claims.
    #[serde(flatten)]
    pub shares: CheckShares,
    /// Answers that could not be checked, since a model failed.
    pub not_checked: u64,
}

/// Figures of a distiller with models in a replay.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct DistilledResult {
    /// Its own counts; of statements and titles, only those of used blocks.
    #[serde(flatten)]
    pub counts: DistilCounts,
    /// Blocks distilled by the extractive distiller because this one lagged.
    pub blocks_overtaken: u64,
    /// Blocks of these that this one distilled too late.
    pub blocks_discarded: u64,
}

/// The machine of a replay.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Machine {
    /// Model of the processor.
    pub cpu: String,
    /// Usable processors.
    pub cores: u64,
    /// Device of the models.
    pub device: String,
}

/// Times of taking in a stream, in milliseconds; percentiles are null without turns.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct IngestMs {
    /// Total.
    pub total: u64,
    /// Median of a turn.
    pub per_turn_p50: Option<f64>,
    /// 95th percentile of a turn.
    pub per_turn_p95: Option<f64>,
}

/// Times of questions, in microseconds; null without questions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct QueryUs {
    /// Median.
    pub p50: Option<u64>,
    /// 95th percentile.
    pub p95: Option<u64>,
    /// 99th percentile.
    pub p99: Option<u64>,
}
