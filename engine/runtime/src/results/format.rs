//! The objects of a result file, version 1, in the order and under the names the format gives them.

use serde::{Deserialize, Serialize};
use weir_core::answer::{self, Answer, Citation, Recall};
use weir_core::distil::DistilCounts;
use weir_core::session::MemoryStats;

/// What came of one probe.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ProbeResult {
    /// The probe's id.
    pub probe: String,
    /// The stream it stands in; left out when there is only one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stream: Option<String>,
    /// The answer.
    pub answer: String,
    /// What kind of answer it is.
    #[serde(default)]
    pub kind: AnswerKind,
    /// Nothing in memory supported an answer.
    pub abstained: bool,
    /// Share of the answer's sentences that its citations carry.
    pub grounded: f32,
    /// Sentences that a model wrote and no evidence carries; they are not in the answer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unsupported: Vec<String>,
    /// Why quotes stand where a model was to write; left out where they do not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fallback: Option<String>,
    /// Its proof, best first.
    pub citations: Vec<CitationResult>,
    /// The exact text given to the answerer.
    pub context: String,
    /// Utterances whose content that text carries to at least half of their content words.
    pub context_utterances: Vec<String>,
    /// Length of the context.
    pub context_tokens: usize,
    /// What the memory held.
    pub memory: MemoryStats,
    /// What the transcript on disk held; left out where none is kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transcript: Option<TranscriptResult>,
    /// Utterances heard so far.
    pub turns: u64,
    /// How far the stream had come, in milliseconds.
    pub stream_ms: u64,
    /// Sound that was taken in and not recognised by then, in milliseconds; left out where there
    /// is none.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub unrecognised_ms: u64,
    /// What it took.
    pub timings_us: TimingsUs,
}

/// What kind of answer an answer is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AnswerKind {
    /// An answer.
    #[default]
    Answer,
    /// Memory holds none.
    NotKnown,
    /// The question takes something for granted that memory has otherwise; the answer says so
    /// first.
    FalsePremise,
}

impl AnswerKind {
    fn of(kind: answer::AnswerKind) -> Self {
        match kind {
            answer::AnswerKind::Answer => Self::Answer,
            answer::AnswerKind::NotKnown => Self::NotKnown,
            answer::AnswerKind::FalsePremise { .. } => Self::FalsePremise,
        }
    }
}

/// What the transcript on disk holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct TranscriptResult {
    /// Bytes on disk.
    pub bytes: u64,
    /// Utterances that can be looked up.
    pub utterances: u64,
    /// Utterances that were the oldest when it was full.
    pub evicted: u64,
    /// Utterances that could not be written, or were erased.
    pub gaps: u64,
}

/// One utterance that proves an answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CitationResult {
    /// Its id, a list of one.
    pub utterances: Vec<String>,
    /// Who said it; null where unknown.
    pub speaker: Option<String>,
    /// Its start in stream time.
    pub start_ms: u64,
    /// Its end in stream time.
    pub end_ms: u64,
    /// Wall time of its start, RFC 3339; null where unknown.
    pub said_at: Option<String>,
    /// Where it can be heard; null where it cannot.
    pub audio: Option<AudioResult>,
    /// The recogniser's confidence; null for text.
    pub confidence: Option<f32>,
    /// Its words that prove the answer, contiguous as they were said, with ` … ` where some between
    /// are left out; empty where neither memory nor a transcript holds them.
    pub quote: String,
    /// How well it fits, higher is better.
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

/// What a question took, in microseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct TimingsUs {
    /// Turning the question into a vector.
    pub encode: u64,
    /// Searching memory.
    pub search: u64,
    /// Reading the best of it again with the question; left out where nothing was reranked.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub rerank: u64,
    /// Putting the context together.
    pub assemble: u64,
    /// Answering.
    pub answer: u64,
    /// All of it.
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
    /// Every setting in force.
    pub config: serde_json::Value,
    /// Where it ran.
    pub machine: Machine,
    /// Utterances heard.
    pub turns: u64,
    /// Probes asked.
    pub probes: u64,
    /// What taking in the stream took.
    pub ingest_ms: IngestMs,
    /// What the questions took.
    pub query_us: QueryUs,
    /// Largest resident memory of the process; null where the system does not tell.
    pub rss_bytes_max: Option<u64>,
    /// Audio heard, in milliseconds.
    pub audio_ms: u64,
    /// Time taken per time of audio; null without audio.
    pub real_time_factor: Option<f64>,
    /// Word error rate; null without reference words.
    pub wer: Option<f64>,
    /// What models did to the answers; left out where none had to do with them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answers: Option<AnswersResult>,
    /// What a distiller with models did; left out for the extractive one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub distilled: Option<DistilledResult>,
}

/// What models did to the answers of a replay.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct AnswersResult {
    /// Answers in which quotes stand where a model was to write.
    pub fell_back: u64,
    /// Sentences that a model wrote and nothing proved; they are in no answer.
    pub left_out: u64,
    /// Questions for which the reranker failed or was too slow.
    pub not_reranked: u64,
}

/// What a distiller with models did in a replay.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct DistilledResult {
    /// Its own counts; of statements and titles, those of blocks that were used.
    #[serde(flatten)]
    pub counts: DistilCounts,
    /// Blocks that the extractive distiller took because this one lagged.
    pub blocks_overtaken: u64,
    /// Of them, those that this one distilled too, in vain.
    pub blocks_discarded: u64,
}

/// Where a replay ran.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Machine {
    /// Model of the processor.
    pub cpu: String,
    /// Processors usable.
    pub cores: u64,
    /// What the models ran on.
    pub device: String,
}

/// What taking in a stream took, in milliseconds; percentiles are null without turns.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct IngestMs {
    /// All of it.
    pub total: u64,
    /// Median of a turn.
    pub per_turn_p50: Option<f64>,
    /// 95th percentile of a turn.
    pub per_turn_p95: Option<f64>,
}

/// What questions took, in microseconds; null without questions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct QueryUs {
    /// Median.
    pub p50: Option<u64>,
    /// 95th percentile.
    pub p95: Option<u64>,
    /// 99th percentile.
    pub p99: Option<u64>,
}

/// Everything a [`ProbeResult`] is made of.
#[derive(Debug, Clone)]
pub struct Asked<'a> {
    /// The probe's id.
    pub probe: &'a str,
    /// Its stream, when there are several.
    pub stream: Option<&'a str>,
    /// What was answered.
    pub answer: &'a Answer,
    /// What memory had to say.
    pub recall: &'a Recall,
    /// What memory held.
    pub memory: MemoryStats,
    /// What the transcript held.
    pub transcript: Option<TranscriptResult>,
    /// Utterances heard so far.
    pub turns: u64,
    /// How far the stream had come, in milliseconds.
    pub stream_ms: u64,
    /// What it took.
    pub timings_us: TimingsUs,
}

impl ProbeResult {
    /// The result of a probe.
    #[must_use]
    pub fn of(asked: Asked<'_>) -> Self {
        let carried = asked.recall.context_utterances.iter();
        Self {
            probe: asked.probe.to_owned(),
            stream: asked.stream.map(str::to_owned),
            answer: asked.answer.text.clone(),
            kind: AnswerKind::of(asked.answer.kind),
            abstained: !asked.answer.kind.is_answered(),
            grounded: asked.answer.grounded,
            unsupported: asked.answer.unsupported.clone(),
            fallback: asked.answer.fallback.clone(),
            citations: asked
                .answer
                .citations
                .iter()
                .map(CitationResult::of)
                .collect(),
            context: asked.recall.context.clone(),
            context_utterances: carried.map(|(_, utterance)| utterance.clone()).collect(),
            context_tokens: asked.recall.context_tokens,
            memory: asked.memory,
            transcript: asked.transcript,
            turns: asked.turns,
            stream_ms: asked.stream_ms,
            unrecognised_ms: 0,
            timings_us: asked.timings_us,
        }
    }
}

impl CitationResult {
    /// A citation as results show it.
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

/// A wall time as RFC 3339 in UTC, with milliseconds only where there are some.
///
/// `None` outside the years -9999 to 9999.
#[must_use]
pub fn rfc3339(unix_ms: i64) -> Option<String> {
    let time = jiff::Timestamp::from_millisecond(unix_ms).ok()?;
    Some(time.to_string())
}
