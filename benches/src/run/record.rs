//! Output of a run: one line per probe, one per job, one stamp.
//!
//! A job is one method with one budget on one stream. Its lines are appended together when it is
//! finished, so an interrupted run has only whole jobs and can be resumed.

use crate::metric::Scores;
use crate::stream::Category;
use serde::{Deserialize, Serialize};

/// One line of `results.jsonl`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Line {
    /// Origin of the run: the first line.
    Stamp(Box<Stamp>),
    /// A question and a method's result.
    Probe(Box<ProbeRow>),
    /// One method on one stream; follows its probes.
    Job(Box<JobRow>),
}

/// Inputs on which a run depends.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Stamp {
    /// Version and commit of the program.
    pub version: String,
    /// Commit of the build, if known.
    pub commit: Option<String>,
    /// Digest of the inputs that affect results: build, streams, references, encoder, context,
    /// answerer.
    pub config_digest: String,
    /// Name of the encoder.
    pub encoder: String,
    /// Name of the writer.
    pub writer: String,
    /// Name of the answerer.
    pub answerer: String,
    /// Name of the judge, if there is one.
    pub judge: Option<String>,
    /// Tokens of a context.
    pub context_tokens: usize,
    /// Name of the processor.
    pub cpu: String,
    /// Processors of the machine.
    pub cores: usize,
    /// Jobs in parallel.
    pub threads: usize,
    /// `cpu`, `cuda` or `metal`.
    pub device: String,
    /// Start time, RFC 3339.
    pub started_at: String,
    /// The streams.
    pub streams: Vec<StreamStamp>,
}

/// One stream of a run.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct StreamStamp {
    /// Its name.
    pub name: String,
    /// Name of the file's folder.
    pub corpus: String,
    /// Turns in it.
    pub turns: usize,
    /// Probes in it.
    pub probes: usize,
    /// First 16 hexadecimal digits of the SHA-256 of its file.
    pub digest: String,
}

/// Key of a job.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct JobKey {
    /// Name of the stream.
    pub stream: String,
    /// Name of the method.
    pub method: String,
    /// Token budget; `None` is unlimited.
    pub budget_tokens: Option<usize>,
    /// Name of the encoder.
    pub encoder: String,
}

/// A question and a method's result.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ProbeRow {
    /// The job.
    #[serde(flatten)]
    pub job: JobKey,
    /// Id of the probe.
    pub probe: String,
    /// Kind of question.
    pub category: Option<Category>,
    /// The answer.
    pub answer: String,
    /// Whether the answerer abstained.
    pub abstained: bool,
    /// Whether the stream has no answer.
    pub unanswerable: bool,
    /// Turns in the context, in its order; at most the first 64.
    pub context_turns: Vec<String>,
    /// Number of turns in the context.
    pub context_turns_count: usize,
    /// Actual length of the context in tokens.
    pub context_tokens: usize,
    /// Microseconds for search and assembly, without the encoder.
    pub query_us: u64,
    /// Texts encoded for it.
    pub encoded_texts: u64,
    /// Tokens of all text stored when the question was asked.
    #[serde(default)]
    pub text_tokens: usize,
    /// For each gold turn whose fact sentence is shown: its longest contiguous run on one line in
    /// the original word order, as a share of the sentence. Empty for adversarial probes.
    #[serde(default)]
    pub facts_in_order: Vec<f64>,
    /// Its scores.
    pub scores: Scores,
}

/// One method on one stream.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct JobRow {
    /// The job.
    #[serde(flatten)]
    pub job: JobKey,
    /// Reason of a failure; the other fields are the measurements until then.
    pub failed: Option<String>,
    /// Turns processed.
    pub turns: usize,
    /// Probes answered.
    pub probes: usize,
    /// Microseconds of taking in all turns, without the encoder and without `settle_us`.
    pub ingest_us_total: u64,
    /// Microseconds to take in a turn, without the encoder: median. If a few turns cause most of
    /// the work, such as the last of a block, the median hides it.
    pub ingest_us_p50: u64,
    /// As above, 95th percentile.
    pub ingest_us_p95: u64,
    /// As above, 99th percentile.
    pub ingest_us_p99: u64,
    /// Total microseconds of building structures from many turns.
    pub settle_us: u64,
    /// Microseconds for search and assembly, without the encoder: median.
    pub query_us_p50: u64,
    /// As above, 95th percentile.
    pub query_us_p95: u64,
    /// As above, 99th percentile.
    pub query_us_p99: u64,
    /// Texts encoded while taking in.
    pub encoded_texts: u64,
    /// Microseconds in the encoder for vectors that were not cached. A writer's model counts as the
    /// method's own time.
    pub encoder_us: u64,
    /// Tokens of all text stored at the end.
    pub stored_tokens: usize,
    /// The most tokens of text stored at any question, and at the end.
    #[serde(default)]
    pub text_tokens_max: usize,
    /// Estimated bytes stored at the end.
    pub stored_bytes: usize,
    /// Bytes of a transcript beside memory at the end: texts, ids, names of streams and speakers.
    #[serde(default)]
    pub transcript_bytes: usize,
    /// Seconds of the whole job.
    pub wall_s: f64,
}
