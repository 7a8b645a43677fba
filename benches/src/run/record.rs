//! Output of a run: a line for each question, and one for the job.
//!
//! A job is one method with one budget on one stream. Its lines are those of `weir replay
//! --results` with scores beside them, so the same tools read both.

use crate::metric::Scores;
use crate::stream::Category;
use serde::{Deserialize, Serialize};

/// Inputs on which a run depends.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(crate) struct Stamp {
    pub(super) version: String,
    /// Commit of the build, if known.
    pub(super) commit: Option<String>,
    /// Digest of the inputs that affect results: build, streams, encoder, context.
    pub(super) config_digest: String,
    pub(super) encoder: String,
    pub(super) context_tokens: usize,
    pub(super) cpu: String,
    pub(super) cores: usize,
    pub(super) threads: usize,
    pub(super) started_at: String,
    pub(super) streams: Vec<StreamStamp>,
}

/// One stream of a run.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct StreamStamp {
    pub(crate) name: String,
    /// Name of the file's folder.
    pub(crate) corpus: String,
    pub(crate) turns: usize,
    pub(crate) probes: usize,
    /// First 16 hexadecimal digits of the SHA-256 of its file.
    pub(crate) digest: String,
}

/// What a job is.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(crate) struct JobKey {
    pub(crate) stream: String,
    pub(crate) method: String,
    /// Token budget; `None` is unlimited.
    pub(crate) budget_tokens: Option<usize>,
}

/// A question and a method's result.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct ProbeRow {
    pub(crate) probe: String,
    pub(crate) category: Option<Category>,
    /// `None` for a method that does not answer.
    pub(crate) answer: Option<String>,
    pub(crate) abstained: Option<bool>,
    /// The context, if contexts are kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) context: Option<String>,
    /// Turns in the context, in its order.
    pub(crate) context_utterances: Vec<String>,
    pub(crate) context_tokens: usize,
    pub(crate) memory: Memory,
    /// Turns heard before.
    pub(crate) turns: usize,
    /// Turns from the last evidence to the question, 1 right below it; `None` without evidence.
    pub(crate) distance: Option<usize>,
    /// Microseconds for search and assembly, without the encoder.
    pub(crate) query_us: u64,
    /// Texts encoded for it.
    pub(crate) encoded_texts: u64,
    pub(crate) scores: Scores,
}

/// What a memory held when a question was asked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Memory {
    /// Tokens of all text.
    pub(crate) text_tokens: usize,
    pub(crate) budget_tokens: Option<usize>,
}

/// One method on one stream.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(crate) struct JobRow {
    #[serde(flatten)]
    pub(crate) key: JobKey,
    /// Reason of a failure; the other fields are the measurements until then.
    pub(crate) failed: Option<String>,
    pub(crate) turns: usize,
    /// Microseconds of taking in all turns and of building structures from many of them, without
    /// the encoder.
    pub(crate) ingest_us: u64,
    /// Texts encoded while taking in.
    pub(crate) encoded_texts: u64,
    /// Microseconds in the encoder for vectors that were not cached.
    pub(crate) encoder_us: u64,
    /// Tokens of all text stored at the end, and the most after any turn.
    pub(crate) stored_tokens: usize,
    pub(crate) text_tokens_max: usize,
    /// Bytes of a transcript beside memory at the end: texts, ids, names of streams and speakers.
    pub(crate) transcript_bytes: usize,
    /// Seconds of the whole job.
    pub(crate) wall_s: f64,
}

/// A job with its probes.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Job {
    pub(crate) row: JobRow,
    /// Empty if it failed.
    pub(crate) probes: Vec<ProbeRow>,
}
