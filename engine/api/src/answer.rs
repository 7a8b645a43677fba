//! Answers with their evidence: what `weir ask` prints, and a line of a results file.

use crate::hear::Span;
use serde::{Deserialize, Serialize};

/// An answer with its question and its check.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Answered {
    /// The question.
    pub question: String,
    /// The answer.
    #[serde(flatten)]
    pub result: ProbeResult,
    /// Its check; left out if it was not checked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub check: Option<AnswerCheck>,
}

/// Result of one question.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ProbeResult {
    /// The question's id.
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
    /// How sure its first quote is, to one digit: of answers with 0.8, about 0.8 are right in talk
    /// held apart. Left out where nothing says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chance: Option<f32>,
    /// Share of the answer's sentences that its citations support.
    pub grounded: f32,
    /// Sentences that a model wrote without support; they are not in the answer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unsupported: Vec<String>,
    /// Why quotes replaced a model's text; left out if they did not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fallback: Option<String>,
    /// Why the requested reranking did not happen; left out if it did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_reranked: Option<String>,
    /// Its evidence, best first.
    pub citations: Vec<CitationResult>,
    /// Its evidence in sources, best first; left out if there is none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub passages: Vec<PassageResult>,
    /// The exact text given to the answerer.
    pub context: String,
    /// Utterances of which the context holds at least half of the content words.
    pub context_utterances: Vec<String>,
    /// Length of the context.
    pub context_tokens: usize,
    /// State of the memory.
    pub memory: MemoryResult,
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

/// The chance of an answer as a word: "sure" from 0.8, "likely" from 0.5, else "perhaps"; nothing
/// without one.
#[must_use]
pub fn how_sure(chance: Option<f32>) -> &'static str {
    match chance {
        None => "",
        Some(chance) if chance >= 0.8 => "sure",
        Some(chance) if chance >= 0.5 => "likely",
        Some(_) => "perhaps",
    }
}

/// Kind of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
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

/// Tokens and nodes held, and the token budget.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct MemoryResult {
    /// Tokens of the tree.
    pub tokens: usize,
    /// Tokens of all text held, in the tree, as raw talk, in beliefs, profiles and sources.
    pub text_tokens: usize,
    /// Bytes held for the session: tree, vectors, indexes, raw talk, word counts.
    pub bytes: usize,
    /// The token budget.
    pub budget_tokens: usize,
    /// Scenes held.
    pub scenes: usize,
    /// Events held.
    pub events: usize,
    /// Memory units held.
    pub amus: usize,
    /// Raw tokens of waiting blocks.
    pub pending_tokens: usize,
    /// Raw tokens of leading context and of the open block.
    pub buffer_tokens: usize,
}

/// State of the transcript on disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
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
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct CitationResult {
    /// Its id, as a list of one.
    pub utterances: Vec<String>,
    /// Name of its stream.
    #[serde(default)]
    pub stream: String,
    /// Its number in the session, from 0.
    #[serde(default)]
    pub turn: u64,
    /// The speaker; null if unknown.
    pub speaker: Option<String>,
    /// Its start in stream time.
    pub start_ms: u64,
    /// Its end in stream time.
    pub end_ms: u64,
    /// Wall time of its start, RFC 3339; null if unknown.
    pub said_at: Option<String>,
    /// Its place in the audio; null if there is none.
    pub audio: Option<AudioSpan>,
    /// The recogniser's confidence; null for text.
    pub confidence: Option<f32>,
    /// Its words that support the answer, contiguous as said, with ` … ` for omitted words; empty
    /// if neither memory nor a transcript holds them.
    pub quote: String,
    /// Relevance, higher is better.
    pub score: f32,
}

/// A passage of a source that supports an answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct PassageResult {
    /// Name of the source.
    pub source: String,
    /// Name of the file.
    pub file: String,
    /// First line of the passage, from 1.
    pub first_line: u32,
    /// Its last line.
    pub last_line: u32,
    /// The time of its cues, in subtitles.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub span: Option<Span>,
    /// The sentences of the passage that are the evidence.
    pub quote: String,
    /// How strongly it supports the answer, `0.0..=1.0`.
    pub score: f32,
}

/// A span of an audio file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct AudioSpan {
    /// Path as the stream file gives it, or inside the session's folder.
    pub file: String,
    /// First millisecond.
    pub start_ms: u64,
    /// First millisecond after.
    pub end_ms: u64,
}

/// Time of each step of a question, in microseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
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
    /// Waiting until all talk before the question was in memory, in a run at a pace. No part of the
    /// sum; left out if 0.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub waited: u64,
    /// Sum of all steps.
    pub total: u64,
}

fn is_zero(value: &u64) -> bool {
    *value == 0
}

/// The claims of an answer with their verdicts, and the shares that these make.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct AnswerCheck {
    /// Name of the check.
    pub check: String,
    /// The shares.
    pub shares: CheckShares,
    /// Each claim, in the order of the answer.
    pub claims: Vec<CheckedClaim>,
}

/// Shares of an answer's claims and citations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct CheckShares {
    /// Claims that a statement found supports, of all claims.
    pub found: Share,
    /// Claims that a citation supports, of all claims.
    pub cited: Share,
    /// Citations that support a claim, of those whose words are held.
    pub references: Share,
    /// Claims that the asker's profile, or the description of the character who answers, supports,
    /// of those that it supports or contradicts.
    pub persona: Share,
}

/// So many of so many.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Share {
    /// Those that count.
    pub count: usize,
    /// All of them.
    pub of: usize,
}

/// A claim with what the statements say of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct CheckedClaim {
    /// Whose words the answer quotes here; null for the answerer's own.
    pub speaker: Option<String>,
    /// The claim, contiguous in the answer.
    pub text: String,
    /// What all statements found for the question say.
    pub found: Finding,
    /// What the words of the answer's citations say.
    pub cited: Finding,
    /// What the asker's profile says, or the description of the character who answers.
    pub persona: Finding,
}

/// What several statements say of a claim.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Finding {
    /// The verdict.
    pub verdict: Verdict,
    /// The statement that decides, with its speaker; null where none does.
    pub statement: Option<String>,
}

/// What a statement says of a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// If the statement is true, so is the claim.
    Supported,
    /// If the statement is true, the claim is not.
    Contradicted,
    /// The statement leaves the claim open.
    Neither,
}
