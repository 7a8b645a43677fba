//! What a page or a terminal shows of a session at a glance.

use crate::event::TreeChanges;
use crate::memory::{NodeKind, Standing, TranscriptLine, Wording, is_false};
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
    /// Whether it is a question, a greeting, thanks or a short reply, which people skip; left out
    /// if not.
    #[serde(default, skip_serializing_if = "is_false")]
    pub small_talk: bool,
}

/// What was said when, and how much of it is held. A pause of more than five minutes counts as five
/// minutes, so that a year without talk does not hide the rest.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Timeline {
    /// Session time at its end, in milliseconds.
    pub to_ms: u64,
    /// Where streams begin, as far as the transcript or memory knows; 1000 at most.
    pub streams: Vec<TimelineStream>,
    /// The parts, oldest first: of equal length, but for pauses that were shortened.
    pub parts: Vec<TimelinePart>,
    /// The pauses that were shortened, oldest first; the 1000 longest at most.
    #[serde(default)]
    pub pauses: Vec<Pause>,
}

/// A pause in which nothing was said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Pause {
    /// Session time of its beginning, in milliseconds.
    pub from_ms: u64,
    /// Session time of its end, in milliseconds.
    pub to_ms: u64,
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
    /// Session time of its beginning, in milliseconds.
    pub from_ms: u64,
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

/// What became of all that was said since a session began, in utterances; and why.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Forgetting {
    /// Utterances since the session began, parts of long ones counted separately.
    pub said: u64,
    /// Those of which memory holds a statement with all words.
    pub whole: u64,
    /// Those of which memory holds key words alone.
    pub key: u64,
    /// Those that are in no block of the tree yet.
    pub unsorted: u64,
    /// Those that the transcript alone has. One that only repeated something may count here.
    pub transcript_only: u64,
    /// Those that are nowhere any more.
    pub nowhere: u64,
    /// Tokens by which the tree may grow before something must go. Room for new talk is kept apart.
    pub free_tokens: usize,
    /// The statements that go first when room is needed, in that order.
    pub going: Vec<Going>,
    /// What the transcript alone has, newest first.
    pub gone: Vec<Gone>,
}

/// A statement that goes soon.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Going {
    /// Its name.
    pub id: String,
    /// What it is worth.
    #[serde(flatten)]
    pub standing: Standing,
}

/// An utterance of which memory holds nothing, and what it would be worth: an estimate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Gone {
    /// The utterance, as the transcript has it.
    #[serde(flatten)]
    pub line: TranscriptLine,
    /// The probability that its best statement is asked for, whatever its age, `0.0..=1.0`.
    pub chance: f32,
    /// That, decayed with its age and with what was said since.
    pub chance_now: f32,
    /// Whether it says so little that hardly anybody asks for it: a greeting, thanks, a short
    /// reply.
    pub says_little: bool,
    /// Utterances heard since.
    pub said_since: u64,
}

/// A session at a glance, also one that is not open.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct About {
    /// What most of it is about, in words said in it; left out if nothing is held.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Wall time of the first thing held, RFC 3339; left out if unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_at: Option<String>,
    /// Wall time of the last thing held, RFC 3339; left out if unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_at: Option<String>,
    /// Who spoke, those of whom most is held first.
    pub people: Vec<String>,
    /// Utterances heard.
    pub turns: u64,
    /// Session time in milliseconds.
    pub stream_ms: u64,
    /// Tokens of all text held.
    pub text_tokens: usize,
    /// The token budget.
    pub budget_tokens: usize,
    /// Statements held.
    pub statements: usize,
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
