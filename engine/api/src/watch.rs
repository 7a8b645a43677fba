//! What a client that watches a session gets, beside its events.

use crate::answer::MemoryResult;
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
