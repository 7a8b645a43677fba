//! What a session holds, as the commands that list it print it.

use crate::answer::{AudioSpan, MemoryResult};
use crate::hear::Span;
use serde::{Deserialize, Serialize};

/// The tree of a session, and what is not in it yet: `weir memory tree`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Tree {
    /// The scenes, with all below them.
    pub scenes: Vec<Branch>,
    /// What was heard and is in no block of the tree yet.
    pub unsorted: Vec<Unsorted>,
    /// Recorded audio that waits for recognition.
    pub unrecognised: Vec<Unrecognised>,
}

/// A node and those below it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Branch {
    /// The node.
    #[serde(flatten)]
    pub node: Node,
    /// The nodes below it.
    #[cfg_attr(feature = "openapi", schema(no_recursion))]
    pub children: Vec<Branch>,
}

/// One node with the names of its neighbours: `weir memory show`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ShownNode {
    /// The node.
    #[serde(flatten)]
    pub node: Node,
    /// Its event, or its event's scene; null for a scene.
    pub parent: Option<String>,
    /// The nodes below it.
    pub children: Vec<String>,
    /// The words of each evidence item; null if no transcript holds them.
    #[serde(default)]
    pub quotes: Vec<Option<String>>,
    /// What it is worth, and what would go before it; left out for events and scenes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub standing: Option<Standing>,
}

/// A node of the tree.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Node {
    /// Its name.
    pub id: String,
    /// Its level.
    pub kind: NodeKind,
    /// Its own words; empty where a title is made of those below.
    pub text: String,
    /// Its words as they are shown, with their speaker.
    pub shown: String,
    /// A unit's words, or the title of an event or a scene.
    pub title: String,
    /// The day of the first statement; null if unknown.
    pub date: Option<String>,
    /// The day of the last statement; null if unknown.
    pub date_last: Option<String>,
    /// The question that it answers, if it says little without it.
    pub asked: Option<String>,
    /// The speaker; null for scenes, for events of several speakers, and if unknown.
    pub speaker: Option<String>,
    /// Session time when it was said, in milliseconds.
    pub said_ms: u64,
    /// Its tokens.
    pub tokens: u32,
    /// Number of times it was recalled or repeated.
    pub frequency: u32,
    /// Session time of the last recall or repetition, in milliseconds.
    pub last_access_ms: u64,
    /// How its words relate to what was said.
    pub wording: Wording,
    /// Salience of the statement itself.
    pub salience: f32,
    /// Its evidence.
    pub evidence: Vec<Evidence>,
    /// Number of evidence items that were counted but not kept.
    pub evidence_more: u32,
    /// Whether it is kept whatever its utility.
    pub pinned: bool,
    /// Whether its words were edited by hand.
    pub edited: bool,
}

/// What a statement is worth now, and its place in the order of going.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Standing {
    /// The probability that its content is asked for, whatever its age, `0.0..=1.0`.
    pub chance: f32,
    /// That, decayed with its age and with what was said since.
    pub chance_now: f32,
    /// Statements that would go before it; left out if it is pinned and does not go. Statements of
    /// one utterance go together, and may go earlier or later than this says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<usize>,
    /// Statements held.
    pub of: usize,
    /// Utterances heard since it was said.
    pub said_since: u64,
}

/// A level of the tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum NodeKind {
    /// A theme that the talk returns to.
    Scene,
    /// What happened in one block.
    Event,
    /// One statement.
    Unit,
}

/// How the words of a node relate to what was said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Wording {
    /// Word for word.
    Verbatim,
    /// In other words.
    Retold,
    /// Key words alone; the transcript has the rest.
    Key,
}

/// An utterance that a node, a belief or a fact was made of.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Evidence {
    /// Name of the stream.
    pub stream: String,
    /// The utterance's id in it.
    pub utterance: String,
    /// The utterance's number in the session, from 0.
    pub turn: u64,
    /// The speaker; null if unknown.
    pub speaker: Option<String>,
    /// Its place in stream time.
    pub span: Span,
    /// Its wall time; null if unknown.
    pub said_at_unix_ms: Option<i64>,
    /// Its place in the audio; null for text.
    pub audio: Option<AudioSpan>,
    /// The recogniser's confidence; null for text.
    pub confidence: Option<f32>,
    /// Whether the node's words are contiguous words of it.
    pub verbatim: bool,
    /// Share of its content words in the node's words, `0.0..=1.0`.
    pub share: f32,
}

/// Evidence with its words.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Quoted {
    /// The evidence.
    pub evidence: Evidence,
    /// Its words; null if neither memory nor a transcript holds them.
    pub quote: Option<String>,
}

/// An utterance that is in no block of the tree yet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Unsorted {
    /// Name of its stream.
    pub stream: String,
    /// Its id.
    pub id: String,
    /// The speaker; null if unknown.
    pub speaker: Option<String>,
    /// Its start in stream time.
    pub start_ms: u64,
    /// Its end in stream time.
    pub end_ms: u64,
    /// Session time when it was said, in milliseconds.
    pub said_ms: u64,
    /// Its words.
    pub text: String,
}

/// Recorded audio that waits for recognition.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Unrecognised {
    /// Name of the stream.
    pub stream: String,
    /// Stream time from which nothing is recognised.
    pub from_ms: u64,
    /// Its length, as far as it is kept.
    pub waiting_ms: u64,
    /// Whether a process is recognising it now; if not, the next `weir listen` or `weir serve` of
    /// the session does.
    pub live: bool,
}

/// What a session holds, counted: `weir memory stats`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Stats {
    /// Utterances heard.
    pub turns: u64,
    /// Session time in milliseconds.
    pub stream_ms: u64,
    /// Utterances in no block of the tree yet.
    pub unsorted: usize,
    /// Tokens and nodes.
    pub memory: MemoryResult,
    /// Beliefs held.
    pub beliefs: usize,
    /// Facts of profiles held.
    pub facts: usize,
    /// Tokens of sources.
    pub source_tokens: usize,
    /// Bytes held in all.
    pub bytes: usize,
    /// The tree and its bounds.
    pub tree: TreeSize,
    /// The transcript and its bound.
    pub transcript: TranscriptSize,
    /// The encoder of its vectors.
    pub encoder: Encoder,
    /// Digest of its state.
    pub digest: String,
    /// Recorded audio that waits for recognition.
    pub unrecognised: Vec<Unrecognised>,
}

/// Size of a tree, and its budgets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct TreeSize {
    /// Nodes held.
    pub nodes: usize,
    /// Budget of nodes.
    pub budget_nodes: usize,
    /// Bytes held.
    pub bytes: usize,
    /// Budget of bytes.
    pub budget_bytes: usize,
}

/// Size of a transcript, and its limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct TranscriptSize {
    /// Bytes on disk.
    pub bytes: u64,
    /// The limit; 0 for none kept.
    pub limit_bytes: u64,
}

/// The encoder of a session's vectors.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Encoder {
    /// Its name.
    pub name: String,
    /// Digest of its weights.
    pub digest: String,
    /// Floats of a vector.
    pub dimension: usize,
    /// Digest of the encoder of terms; null without one.
    pub terms: Option<String>,
}

/// An utterance of the transcript: a line of `weir search`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct TranscriptLine {
    /// Its number in the session, from 0.
    pub turn: u64,
    /// Name of its stream.
    pub stream: String,
    /// Its id.
    pub utterance: String,
    /// The speaker; left out if unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub speaker: Option<String>,
    /// Session time when it was said, in milliseconds.
    pub session_ms: u64,
    /// Its wall time, RFC 3339; left out if unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub said_at: Option<String>,
    /// Its words.
    pub text: String,
    /// Whether it was heard as sound, which may be kept; left out for text.
    #[serde(default, skip_serializing_if = "is_false")]
    pub sound: bool,
}

pub(crate) fn is_false(value: &bool) -> bool {
    !*value
}
