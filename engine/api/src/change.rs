//! Changes of a session, and what they did.

use crate::answer::AudioSpan;
use serde::{Deserialize, Serialize};

/// A change of a session. Each is carried out as a whole or not at all.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Change {
    /// A stream begins.
    Begin {
        /// Its name.
        name: String,
        /// Wall time of its time 0, in Unix milliseconds.
        started_at_unix_ms: Option<i64>,
        /// IANA name of its time zone: that of questions which name none.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        zone: Option<String>,
        /// Whether the streams that are open go on beside it; else they end.
        #[serde(default)]
        beside: bool,
    },
    /// An open stream ends.
    End {
        /// Its name.
        stream: String,
    },
    /// A stream pauses.
    Pause {
        /// Its name; absent for the only open stream.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        stream: Option<String>,
        /// Wall time when it resumes, in Unix milliseconds.
        resumes_at_unix_ms: Option<i64>,
    },
    /// Distils what waits. Send it at the end of a conversation.
    Flush,
    /// Units are pinned, so that they are neither forgotten nor shortened, or unpinned.
    Pin {
        /// The units, such as `n7.0`.
        nodes: Vec<String>,
        /// Whether they are pinned from now on.
        pinned: bool,
    },
    /// The words of a unit are edited; its evidence keeps the words as heard.
    Edit {
        /// The unit.
        node: String,
        /// The new words.
        text: String,
        /// The words that it must have until now, so that no other edit is lost; absent for any.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        was: Option<String>,
    },
    /// Facts of profiles are pinned or unpinned.
    PinFacts {
        /// The facts.
        facts: Vec<String>,
        /// Whether they are pinned from now on.
        pinned: bool,
    },
    /// The value of a fact is edited.
    EditFact {
        /// The fact.
        fact: String,
        /// The new value.
        value: String,
    },
    /// New budgets.
    Budget(Budgets),
    /// A speaker gets a name, also in what was said before.
    NameSpeaker {
        /// The name or label until now.
        speaker: String,
        /// The new name.
        name: String,
    },
    /// Two speakers are one.
    MergeSpeaker {
        /// Who is somebody else.
        speaker: String,
        /// Who that is.
        into: String,
    },
    /// The name of a speaker is forgotten, also in every file; the label returns.
    ForgetSpeaker {
        /// The name.
        speaker: String,
    },
    /// Texts become a source whose passages answer questions.
    AddSource {
        /// Its name.
        name: String,
        /// How much its passages count beside what was heard.
        weight: f32,
        /// Its texts.
        texts: Vec<SourceText>,
    },
    /// A source is removed and erased from every file.
    RemoveSource {
        /// Its name.
        name: String,
    },
    /// Everything that traces back to the targets is erased, also from every file.
    Erase {
        /// The targets.
        targets: Vec<Target>,
    },
}

/// The bounds of a session; what is absent stays.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Budgets {
    /// Tokens of all text held.
    pub tokens: Option<usize>,
    /// Bytes of nodes, evidence, vectors and words.
    pub bytes: Option<usize>,
    /// Nodes.
    pub nodes: Option<usize>,
    /// Bytes of the transcript on disk; 0 for none.
    pub transcript_bytes: Option<u64>,
}

/// One text of a source.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct SourceText {
    /// Name of its file, for citations.
    pub file: String,
    /// The text.
    pub text: String,
}

/// What is to be erased.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Target {
    /// What a node was made of.
    Node(String),
    /// What a belief was made of.
    Belief(String),
    /// What a fact was made of.
    Fact(String),
    /// One utterance.
    Utterance {
        /// Its stream.
        stream: String,
        /// Its id.
        id: String,
    },
    /// All that a speaker said.
    Speaker(String),
}

/// A node or a fact with the words it has now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Named {
    /// Its name.
    pub id: String,
    /// Its words.
    pub text: String,
}

/// What a change did.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Changed {
    /// What was pinned, edited or added, as it is now.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub now: Vec<Named>,
    /// Nodes forgotten to fit the budgets.
    pub forgotten: usize,
    /// What is held now, and the budgets.
    pub held: Held,
    /// What was erased, and where.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub receipt: Option<Receipt>,
}

/// What a session holds, and its budgets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Held {
    /// Tokens of all text.
    pub tokens: usize,
    /// Budget of tokens.
    pub budget_tokens: usize,
    /// Bytes of the tree.
    pub bytes: usize,
    /// Budget of bytes.
    pub budget_bytes: usize,
    /// Nodes.
    pub nodes: usize,
    /// Budget of nodes.
    pub budget_nodes: usize,
    /// Nodes of which only key words are held.
    pub key_nodes: usize,
    /// Limit of the transcript in bytes; 0 for none.
    pub transcript_bytes: u64,
    /// Tokens of sources.
    pub source_tokens: usize,
}

/// What an erasure removed from the session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Erased {
    /// Utterances.
    pub utterances: usize,
    /// Utterances among them that were still held verbatim.
    pub raw: usize,
    /// Nodes: units, and empty events and scenes.
    pub nodes: usize,
    /// Units kept with other evidence.
    pub rewritten: usize,
    /// Summaries and labels rebuilt.
    pub summaries: usize,
    /// Beliefs.
    pub beliefs: usize,
    /// Facts of profiles.
    pub facts: usize,
    /// Passages of a source.
    pub passages: usize,
}

/// What was erased, in which files, and what could not be.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Receipt {
    /// What was removed from the session.
    #[serde(flatten)]
    pub erased: Erased,
    /// Milliseconds of recorded audio silenced.
    pub audio_ms: u64,
    /// Files of the session that were rewritten.
    pub files: Vec<String>,
    /// Spans of audio files of the user's own, which were left unchanged.
    pub left: Vec<AudioSpan>,
    /// Old files whose bytes could not be overwritten.
    pub not_overwritten: Vec<Leftover>,
    /// Where old bytes may remain although they were overwritten.
    pub limits: String,
    /// Utterances of the same text whose ids were not kept: their recorded audio may remain.
    pub untraced: u32,
}

/// An old file whose bytes may still be on the disk.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Leftover {
    /// The file.
    pub file: String,
    /// Why it was not overwritten.
    pub why: String,
}
