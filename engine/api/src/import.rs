//! Conversations of other programs: what is found in a file, and what became of it.

use serde::{Deserialize, Serialize};

/// What a file of another program holds, and, after an import, how much of it was taken in.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Import {
    /// The file.
    pub file: String,
    /// Its format: `srt`, `vtt`, `whisper`, `chatgpt`, `whatsapp`, `telegram` or `slack`.
    pub format: String,
    /// Messages, cues or segments in it: those to take in and those left out.
    pub messages: u64,
    /// Messages to take in; each becomes an utterance.
    pub new: u64,
    /// Messages left out, by reason.
    pub left_out: Vec<LeftOut>,
    /// Conversations with something to take in.
    pub conversations: u64,
    /// The first hundred of them; each is a stream.
    pub streams: Vec<ImportStream>,
    /// Speakers of what is taken in, those who say most first, at most a hundred.
    pub people: Vec<ImportPerson>,
    /// When the first message was written; absent if the file has no dates.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_at: Option<String>,
    /// When the last one was written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_at: Option<String>,
    /// The first three messages to take in.
    pub lines: Vec<ImportLine>,
    /// Messages that were taken in; absent in a preview.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub imported: Option<u64>,
}

/// Messages that were left out for one reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct LeftOut {
    /// Why.
    pub reason: LeftOutReason,
    /// How many.
    pub count: u64,
}

/// Why a message is left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum LeftOutReason {
    /// The session has it from an earlier import.
    Known,
    /// The program wrote it, such as that somebody joined.
    System,
    /// A picture, a recording or another file without words.
    Media,
    /// It says nothing.
    Empty,
    /// It was deleted.
    Deleted,
    /// A call or a reply of a tool, or a thought of a model.
    Tool,
    /// The program does not show it.
    Hidden,
    /// It is on a branch of the conversation that was not taken.
    Branch,
    /// Rolling captions show it again.
    Repeat,
    /// It could not be read.
    Unreadable,
    /// It is longer than an utterance may be.
    TooLong,
}

/// A conversation of the file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ImportStream {
    /// The name of its stream.
    pub name: String,
    /// When its first message was written; absent if unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started_at: Option<String>,
    /// Messages to take in.
    pub messages: u64,
}

/// A speaker of the file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ImportPerson {
    /// Their name; absent if unknown.
    pub name: Option<String>,
    /// Messages to take in.
    pub messages: u64,
}

/// A message as it will be heard.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ImportLine {
    /// Who says it; absent if unknown.
    pub speaker: Option<String>,
    /// The words.
    pub text: String,
    /// When it was written; absent if unknown.
    pub said_at: Option<String>,
}
