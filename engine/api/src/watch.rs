//! What a client that watches a session gets, beside its events.

use crate::answer::MemoryResult;
use crate::memory::NodeKind;
use serde::{Deserialize, Serialize};

/// A question to the process that has a session open.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Asked {
    /// Its words.
    pub question: String,
    /// Who asks, for "I" and "my"; left out if unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asked_by: Option<String>,
}

/// What memory holds, in short: the latest nodes, each below its event or scene.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Outline {
    /// The nodes, in the order of time.
    pub rows: Vec<OutlineRow>,
    /// Earlier nodes that are left out here.
    pub left_out: usize,
}

/// One node of an outline.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct OutlineRow {
    /// Its name.
    pub id: String,
    /// Its level.
    pub kind: NodeKind,
    /// The beginning of its words or of its title.
    pub text: String,
    /// The speaker; left out if unknown, and for scenes and events of several speakers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub speaker: Option<String>,
    /// Whether it is kept whatever its utility.
    pub pinned: bool,
    /// Whether it was reduced to key words.
    pub reduced: bool,
    /// Whether something said later replaced it.
    pub superseded: bool,
}

/// How a session that runs is doing.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Pulse {
    /// Utterances heard.
    pub turns: u64,
    /// Tokens and nodes held.
    pub memory: MemoryResult,
    /// Names of the streams that are open.
    pub streams: Vec<String>,
    /// Milliseconds of audio that the run has read.
    pub audio_ms: u64,
    /// Milliseconds that its speech model has worked on that.
    pub decoding_ms: u64,
    /// Milliseconds of audio that nobody has looked at yet.
    pub behind_ms: u64,
    /// Milliseconds from the end of the last utterance to its being in memory; left out where
    /// nothing is heard live.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub heard_after_ms: Option<u64>,
}
