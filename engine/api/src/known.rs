//! What is known of the speakers of a session, of its sources, and of the models of this machine.

use crate::memory::Quoted;
use serde::{Deserialize, Serialize};

/// What speakers feel about things: `weir beliefs`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Beliefs {
    /// The beliefs asked for.
    pub beliefs: Vec<Belief>,
    /// Remarks that do not count.
    pub doubted: Vec<Doubted>,
    /// What happened to all opinions so far.
    pub counts: BeliefCounts,
}

/// What one speaker feels about one side of a thing.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Belief {
    /// Its name.
    pub id: String,
    /// Whose it is; null if the speaker is unknown.
    pub holder: Option<String>,
    /// What it is about.
    pub object: String,
    /// The kind of thing that is, such as `food`.
    pub kind: String,
    /// Which side of it, or `general`.
    pub aspect: String,
    /// The feeling as a word.
    pub feeling: String,
    /// The feeling now: recent remarks outweigh old ones.
    pub current: Sentiment,
    /// The feeling over all remarks.
    pub settled: Sentiment,
    /// Sum of the strengths of the remarks.
    pub weight: f32,
    /// Entropy of the feeling now, in bits.
    pub entropy: f32,
    /// Number of remarks.
    pub observations: u32,
    /// By how much the feeling now differs from that over all remarks.
    pub shift: f32,
    /// Session time of the last remark, in milliseconds.
    pub last_ms: u64,
    /// The latest remarks, oldest first.
    pub history: Vec<Observation>,
}

/// Confidences that a feeling is for, against, or neither; they add up to 1.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Sentiment {
    /// For.
    pub positive: f32,
    /// Against.
    pub negative: f32,
    /// Neither.
    pub neutral: f32,
}

/// One remark, and the belief after it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Observation {
    /// Session time when it was said, in milliseconds.
    pub said_ms: u64,
    /// Its feeling.
    pub sentiment: Sentiment,
    /// Its strength.
    pub strength: f32,
    /// The feeling of the belief after it.
    pub current: Sentiment,
    /// The feeling over all remarks after it.
    pub settled: Sentiment,
    /// Its evidence.
    pub source: Quoted,
}

/// A remark that does not count.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Doubted {
    /// Who made it; null if unknown.
    pub holder: Option<String>,
    /// Why it does not count.
    pub doubt: Doubt,
    /// Its evidence.
    pub source: Quoted,
}

/// Why a remark does not count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Doubt {
    /// It supposes the feeling.
    Hypothetical,
    /// The feeling is another person's.
    Reported,
    /// It may mean the opposite.
    Sarcasm,
    /// The feeling is over.
    Past,
    /// It is a question.
    Question,
}

/// What happened to the opinions of a session so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct BeliefCounts {
    /// Opinions that were taken in.
    pub observed: u64,
    /// Opinions too uncertain to take in.
    pub abandoned: u64,
    /// Opinions that do not count.
    pub doubted: u64,
    /// Uncertain fragments that became part of the belief about the thing as a whole.
    pub integrated: u64,
    /// Uncertain fragments that were deleted.
    pub deleted: u64,
    /// Beliefs forgotten because the bounds were full.
    pub forgotten: u64,
}

/// A fact of a profile: `weir profile` prints a list of them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Fact {
    /// Its name.
    pub id: String,
    /// Of whom it is; null if unknown.
    pub speaker: Option<String>,
    /// The heading that it stands under, such as `home`.
    pub slot: String,
    /// Empty; in sessions of earlier builds, what a value is about.
    pub about: String,
    /// The statement, word for word; in sessions of earlier builds it may be a value.
    pub value: String,
    /// The same words as `value`.
    pub sentence: String,
    /// Session time from which it holds, in milliseconds.
    pub from_ms: u64,
    /// Session time until which it held; null if it holds.
    pub until_ms: Option<u64>,
    /// The fact that ended it; null if none did.
    pub ended_by: Option<String>,
    /// Whether that fact contradicts it and nobody said that it changed.
    pub contradicted: bool,
    /// How often it was said.
    pub times: u32,
    /// Whether no budget forgets it.
    pub pinned: bool,
    /// Whether its value was edited by hand.
    pub edited: bool,
    /// Whether its speaker asked to remember it.
    pub wanted: bool,
    /// Its evidence.
    pub evidence: Vec<Quoted>,
}

/// Who was heard, and whose voices are enrolled: `weir speakers list`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Speakers {
    /// Who was heard in the session.
    pub speakers: Vec<Speaker>,
    /// Voices that every session recognises.
    pub enrolled: Vec<Voice>,
}

/// What is known of a speaker of a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Speaker {
    /// The name, or the label without one.
    pub name: String,
    /// The labels and names until now.
    pub heard_as: Vec<String>,
    /// Number of statements held.
    pub statements: usize,
    /// Session time of the last statement held, in milliseconds.
    pub last_ms: Option<u64>,
    /// Whether the voice is enrolled.
    pub enrolled: bool,
    /// A statement to know the speaker by.
    pub quote: Option<String>,
    /// The command that writes its sound to a file.
    pub clip: Option<String>,
    /// The utterance of the quote, if it was heard as sound; left out if not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sound: Option<SoundOf>,
}

/// An utterance that was heard as sound.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct SoundOf {
    /// Name of its stream.
    pub stream: String,
    /// Its id.
    pub utterance: String,
}

/// An enrolled voice.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Voice {
    /// Whose it is.
    pub name: String,
    /// Samples that it was made of.
    pub samples: u32,
    /// Seconds of speech in them.
    pub seconds: f32,
}

/// A name that was forgotten: `weir speakers forget`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ForgottenName {
    /// The name.
    pub name: String,
    /// The label that the speaker has again; null if the name was not given in the session.
    pub label: Option<String>,
    /// Whether an enrolled voice was erased.
    pub voice: bool,
    /// Files that were rewritten.
    pub files: Vec<String>,
}

/// A source: `weir source list` prints a list of them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Source {
    /// Its name.
    pub name: String,
    /// How much its passages count beside what was heard.
    pub weight: f32,
    /// Its files.
    pub files: Vec<SourceFile>,
    /// Its passages.
    pub passages: usize,
    /// Their tokens.
    pub tokens: usize,
}

/// A file of a source.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct SourceFile {
    /// Its name.
    pub file: String,
    /// Its passages.
    pub passages: usize,
    /// The last line of them.
    pub lines: u32,
}

/// The models of this machine: `weir models list`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Models {
    /// Those listed and those imported.
    pub models: Vec<Model>,
}

/// A model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Model {
    /// Its name.
    pub name: String,
    /// What it is for, such as `speech`.
    pub kind: String,
    /// Whether it is installed: `embedded`, `here`, `partial` or `absent`.
    pub state: String,
    /// Its size; null if unknown.
    pub bytes: Option<u64>,
    /// Codes of the languages that it knows.
    pub languages: Vec<String>,
    /// Its licence.
    pub licence: String,
    /// A remark for who chooses.
    pub note: String,
    /// Where it is installed; null elsewhere.
    pub path: Option<String>,
}
