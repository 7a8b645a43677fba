//! What a run writes: one line a probe, one a job, one stamp.
//!
//! A job is one method with one budget on one stream. Its lines are appended together when it is
//! done, so an interrupted run holds whole jobs only and goes on with the others.

use crate::metric::Scores;
use crate::stream::Category;
use serde::{Deserialize, Serialize};

/// One line of `results.jsonl`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Line {
    /// What made the run: the first line.
    Stamp(Box<Stamp>),
    /// One question put to one method.
    Probe(Box<ProbeRow>),
    /// One method on one stream; follows its probes.
    Job(Box<JobRow>),
}

/// What a run depends on.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Stamp {
    /// Version and commit of the program.
    pub version: String,
    /// Commit it was built from, where known.
    pub commit: Option<String>,
    /// Digest of what decides results: build, streams, references, encoder, context, answerer.
    pub config_digest: String,
    /// Name of the encoder.
    pub encoder: String,
    /// Name of the writer.
    pub writer: String,
    /// Name of the answerer.
    pub answerer: String,
    /// Name of the judge, where there is one.
    pub judge: Option<String>,
    /// Tokens of a context.
    pub context_tokens: usize,
    /// Name of the processor.
    pub cpu: String,
    /// Processors of the machine.
    pub cores: usize,
    /// Jobs at once.
    pub threads: usize,
    /// `cpu`, `cuda` or `metal`.
    pub device: String,
    /// When it began, RFC 3339.
    pub started_at: String,
    /// What was heard and asked.
    pub streams: Vec<StreamStamp>,
}

/// One stream of a run.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct StreamStamp {
    /// Its name.
    pub name: String,
    /// Name of the folder that its file stands in.
    pub corpus: String,
    /// Turns in it.
    pub turns: usize,
    /// Probes in it.
    pub probes: usize,
    /// First 16 hexadecimal digits of the SHA-256 of its file.
    pub digest: String,
}

/// What a job is called.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct JobKey {
    /// Name of the stream.
    pub stream: String,
    /// Name of the method.
    pub method: String,
    /// Tokens that may be stored; `None` is without bound.
    pub budget_tokens: Option<usize>,
    /// Name of the encoder.
    pub encoder: String,
}

/// One question put to one method.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ProbeRow {
    /// Whose.
    #[serde(flatten)]
    pub job: JobKey,
    /// Id of the probe.
    pub probe: String,
    /// Kind of question.
    pub category: Option<Category>,
    /// The answer that was given.
    pub answer: String,
    /// No answer was given.
    pub abstained: bool,
    /// The stream holds no answer.
    pub unanswerable: bool,
    /// Turns that the context carries, in its order; at most the first 64 are named.
    pub context_turns: Vec<String>,
    /// How many turns the context carries.
    pub context_turns_count: usize,
    /// True length of the context in tokens.
    pub context_tokens: usize,
    /// Microseconds to search and assemble, without the encoder.
    pub query_us: u64,
    /// Texts that the encoder read for it.
    pub encoded_texts: u64,
    /// Tokens of all text that the method held when it was asked.
    #[serde(default)]
    pub text_tokens: usize,
    /// Of each gold turn whose fact sentence is shown: its longest piece on one line in its own
    /// word order, as a share of the sentence. None of adversarial probes.
    #[serde(default)]
    pub facts_in_order: Vec<f64>,
    /// What it is worth.
    pub scores: Scores,
}

/// One method on one stream.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct JobRow {
    /// Whose.
    #[serde(flatten)]
    pub job: JobKey,
    /// Why it failed; the rest is then what was measured until then.
    pub failed: Option<String>,
    /// Turns taken in.
    pub turns: usize,
    /// Probes answered.
    pub probes: usize,
    /// Microseconds of taking in all turns, without the encoder and without what `settle_us` has.
    pub ingest_us_total: u64,
    /// Microseconds to take in a turn, without the encoder: median. Where a few turns cause most
    /// of the work, as the last of a block does, the median hides it.
    pub ingest_us_p50: u64,
    /// As above, 95 % are at or below it.
    pub ingest_us_p95: u64,
    /// As above, 99 %.
    pub ingest_us_p99: u64,
    /// Microseconds of building what is built from many turns, in all.
    pub settle_us: u64,
    /// Microseconds to search and assemble, without the encoder: median.
    pub query_us_p50: u64,
    /// As above, 95 %.
    pub query_us_p95: u64,
    /// As above, 99 %.
    pub query_us_p99: u64,
    /// Texts that the encoder read while taking in.
    pub encoded_texts: u64,
    /// Microseconds in the encoder, where its vectors were not remembered. A writer's model counts
    /// as the method's own time.
    pub encoder_us: u64,
    /// Tokens of all text held at the end.
    pub stored_tokens: usize,
    /// The most tokens of text held at any question, and at the end.
    #[serde(default)]
    pub text_tokens_max: usize,
    /// Bytes stored at the end, estimated.
    pub stored_bytes: usize,
    /// Bytes of a transcript beside memory at the end: texts, ids, names of streams and speakers.
    #[serde(default)]
    pub transcript_bytes: usize,
    /// Seconds of the whole job.
    pub wall_s: f64,
}
