//! What a page or a terminal shows of a session at a glance.

use crate::event::TreeChanges;
use crate::memory::{NodeKind, Wording, is_false};
use serde::{Deserialize, Serialize};

/// The tree in few bytes.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Outline {
    /// The nodes, each right before those below it, in the order said.
    pub nodes: Vec<OutlineNode>,
    /// Earlier nodes that are left out.
    #[serde(default)]
    pub left_out: usize,
    /// Utterances that are in no block of the tree yet.
    pub unsorted: usize,
}

/// A node of an outline.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct OutlineNode {
    /// Its name.
    pub id: String,
    /// Its level.
    pub kind: NodeKind,
    /// Its words, or its title; those of the transcript where memory holds key words alone.
    pub text: String,
    /// The key words that memory holds of it; left out where it holds all words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// The speaker; left out for scenes, for events of several speakers, and if unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub speaker: Option<String>,
    /// Session time when it was said, in milliseconds.
    pub said_ms: u64,
    /// The day of the first statement; left out if unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
    /// Its tokens.
    pub tokens: u32,
    /// How its words relate to what was said.
    pub wording: Wording,
    /// Number of times it was recalled or repeated; left out if never.
    #[serde(default, skip_serializing_if = "is_never")]
    pub frequency: u32,
    /// Whether it is kept whatever its utility; left out if not.
    #[serde(default, skip_serializing_if = "is_false")]
    pub pinned: bool,
    /// Whether its words were edited by hand; left out if not.
    #[serde(default, skip_serializing_if = "is_false")]
    pub edited: bool,
    /// The unit that superseded it; left out if it holds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub superseded_by: Option<String>,
}

/// What was said when, and how much of it is held.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Timeline {
    /// Session time that the parts divide evenly, in milliseconds.
    pub to_ms: u64,
    /// Where streams begin, as far as the transcript or memory knows; 1000 at most.
    pub streams: Vec<TimelineStream>,
    /// The parts, oldest first.
    pub parts: Vec<TimelinePart>,
}

/// A stream on a time line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct TimelineStream {
    /// Its name.
    pub name: String,
    /// Session time of its first utterance, in milliseconds.
    pub from_ms: u64,
    /// Wall time of that, RFC 3339; left out if unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub said_at: Option<String>,
}

/// A part of a time line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct TimelinePart {
    /// Utterances in the transcript.
    pub said: u32,
    /// Statements held with all words.
    pub whole: u32,
    /// Statements held as key words.
    pub key: u32,
    /// Statements among them that are pinned.
    pub pinned: u32,
}

/// What a search found.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Found {
    /// What memory holds, newest first: statements, facts, beliefs, passages of sources.
    pub held: Vec<Hit>,
    /// Whether memory holds more.
    pub more_held: bool,
    /// Utterances of the transcript, newest first.
    pub said: Vec<Hit>,
    /// Whether the transcript has more.
    pub more_said: bool,
}

/// Something that has all words searched for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Hit {
    /// What it is.
    pub kind: HitKind,
    /// The name of the node, the fact or the belief, the id of the utterance, or the place of the
    /// passage.
    pub id: String,
    /// Name of the stream; left out if there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stream: Option<String>,
    /// The utterance's number in the session, from 0; left out if there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<u64>,
    /// The speaker; left out if unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub speaker: Option<String>,
    /// Session time when it was said, in milliseconds; left out for passages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub said_ms: Option<u64>,
    /// Its wall time, RFC 3339; left out if unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub said_at: Option<String>,
    /// Whether memory holds only key words of it, and the words are the transcript's; left out if
    /// not.
    #[serde(default, skip_serializing_if = "is_false")]
    pub key: bool,
    /// Its words in order.
    pub pieces: Vec<Piece>,
}

/// What a search finds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum HitKind {
    /// A statement of the tree, in the words that memory holds.
    Statement,
    /// A fact of a profile.
    Fact,
    /// What somebody feels about something.
    Belief,
    /// A passage of a source.
    Passage,
    /// An utterance of the transcript.
    Utterance,
}

/// A piece of a text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Piece {
    /// The words.
    pub text: String,
    /// Whether it is a word searched for; left out if not.
    #[serde(default, skip_serializing_if = "is_false")]
    pub hit: bool,
}

/// What happened in a session since a program opened it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct SinceOpened {
    /// When it was opened, in Unix milliseconds.
    pub opened_unix_ms: u64,
    /// What happened to the outline.
    pub memory: TreeChanges,
    /// Sounds that ended.
    pub sounds: u64,
    /// Milliseconds of them.
    pub audio_ms: u64,
    /// Milliseconds of that with words.
    pub speech_ms: u64,
    /// Stretches on which the recogniser failed.
    pub failed_segments: u64,
    /// Milliseconds of recordings that were heard as fast as the machine can.
    pub recording_ms: u64,
    /// Milliseconds that hearing them took.
    pub recording_took_ms: u64,
    /// Sound in which no words were trusted, by reason; 32 reasons at most.
    pub unheard: Vec<UnheardSum>,
    /// Times that sound was lost.
    pub gaps: u64,
    /// Milliseconds of that.
    pub lost_ms: u64,
    /// What the user must know of the store: what was found damaged, and what was mended or lost;
    /// 16 messages at most.
    #[serde(default)]
    pub warnings: Vec<String>,
}

/// Sound in which no words were trusted, for one reason.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct UnheardSum {
    /// The reason.
    pub why: String,
    /// How often.
    pub times: u64,
    /// Milliseconds of sound.
    pub ms: u64,
}

fn is_never(count: &u32) -> bool {
    *count == 0
}
