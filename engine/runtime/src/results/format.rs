//! The objects of a result file, version 1; field names and order are those of the format.

use serde::{Deserialize, Serialize};
use weir_core::answer::{self, CheckShares, Citation, PassageCitation};
use weir_core::distil::DistilCounts;
use weir_core::session::MemoryStats;

/// Result of one probe.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ProbeResult {
    /// The probe's id.
    pub probe: String,
    /// Its stream; left out if there is only one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stream: Option<String>,
    /// The answer.
    pub answer: String,
    /// What kind of answer it is.
    #[serde(default)]
    pub kind: AnswerKind,
    /// Whether memory supported no answer.
    pub abstained: bool,
    /// Share of the answer's sentences that its citations support.
    pub grounded: f32,
    /// Sentences that a model wrote without support; they are not in the answer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unsupported: Vec<String>,
    /// Why quotes replaced a model's text; left out if they did not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fallback: Option<String>,
    /// Its evidence, best first.
    pub citations: Vec<CitationResult>,
    /// Its evidence in sources, best first; left out if there is none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub passages: Vec<PassageCitation>,
    /// The exact text given to the answerer.
    pub context: String,
    /// Utterances of which the context holds at least half of the content words.
    pub context_utterances: Vec<String>,
    /// Length of the context.
    pub context_tokens: usize,
    /// State of the memory.
    pub memory: MemoryStats,
    /// State of the transcript on disk; left out if none is kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transcript: Option<TranscriptResult>,
    /// Utterances heard so far.
    pub turns: u64,
    /// Stream time reached, in milliseconds.
    pub stream_ms: u64,
    /// Milliseconds of audio captured but not yet recognised; left out if 0.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub unrecognised_ms: u64,
    /// Time of each step.
    pub timings_us: TimingsUs,
}

/// Kind of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AnswerKind {
    /// An answer.
    #[default]
    Answer,
    /// Memory has no answer.
    NotKnown,
    /// The question presumes something that memory contradicts; the answer says so first.
    FalsePremise,
    /// It is not clear what is asked; the answer asks back.
    AskBack,
}

impl AnswerKind {
    /// The kind in the format of results.
    #[must_use]
    pub fn of(kind: answer::AnswerKind) -> Self {
        match kind {
            answer::AnswerKind::Answer => Self::Answer,
            answer::AnswerKind::NotKnown => Self::NotKnown,
            answer::AnswerKind::FalsePremise { .. } => Self::FalsePremise,
            answer::AnswerKind::AskBack => Self::AskBack,
        }
    }
}

/// State of the transcript on disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct TranscriptResult {
    /// Bytes on disk.
    pub bytes: u64,
    /// Utterances that can be looked up.
    pub utterances: u64,
    /// Utterances dropped as the oldest when it was full.
    pub evicted: u64,
    /// Utterances that could not be written, or were erased.
    pub gaps: u64,
}

/// One utterance that supports an answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CitationResult {
    /// Its id, as a list of one.
    pub utterances: Vec<String>,
    /// The speaker; null if unknown.
    pub speaker: Option<String>,
    /// Its start in stream time.
    pub start_ms: u64,
    /// Its end in stream time.
    pub end_ms: u64,
    /// Wall time of its start, RFC 3339; null if unknown.
    pub said_at: Option<String>,
    /// Its place in the audio; null if there is none.
    pub audio: Option<AudioResult>,
    /// The recogniser's confidence; null for text.
    pub confidence: Option<f32>,
    /// Its words that support the answer, contiguous as said, with ` … ` for omitted words; empty
    /// if neither memory nor a transcript holds them.
    pub quote: String,
    /// Relevance, higher is better.
    pub score: f32,
}

/// A stretch of an audio file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AudioResult {
    /// Path as the stream file gives it, or inside the session directory.
    pub file: String,
    /// First millisecond.
    pub start_ms: u64,
    /// First millisecond after.
    pub end_ms: u64,
}

/// Time of each step of a question, in microseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct TimingsUs {
    /// Encoding the question.
    pub encode: u64,
    /// Searching memory.
    pub search: u64,
    /// Reranking; left out if nothing was reranked.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub rerank: u64,
    /// Filling the context.
    pub assemble: u64,
    /// Answering.
    pub answer: u64,
    /// Searching the transcript; left out if memory had an answer.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub transcript: u64,
    /// Sum of all steps.
    pub total: u64,
}

fn is_zero(value: &u64) -> bool {
    *value == 0
}

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

impl CitationResult {
    /// A citation in the format of results.
    #[must_use]
    pub fn of(citation: &Citation) -> Self {
        let evidence = &citation.evidence;
        Self {
            utterances: vec![evidence.utterance.clone()],
            speaker: evidence.speaker.clone(),
            start_ms: evidence.span.start_ms,
            end_ms: evidence.span.end_ms,
            said_at: evidence.said_at_unix_ms.and_then(rfc3339),
            audio: evidence.audio.as_ref().map(|audio| AudioResult {
                file: audio.file.clone(),
                start_ms: audio.span.start_ms,
                end_ms: audio.span.end_ms,
            }),
            confidence: evidence.confidence,
            quote: citation.quote.clone().unwrap_or_default(),
            score: citation.score,
        }
    }
}

/// A wall time as RFC 3339 in UTC, with milliseconds only if they are not 0.
///
/// `None` outside the years -9999 to 9999.
#[must_use]
pub fn rfc3339(unix_ms: i64) -> Option<String> {
    let time = jiff::Timestamp::from_millisecond(unix_ms).ok()?;
    Some(time.to_string())
}
