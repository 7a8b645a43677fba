//! What happens while a session hears, and the turns of a chat: one object a line.

use crate::answer::Answered;
use crate::change::{Changed, Receipt};
use crate::known::Belief;
use serde::{Deserialize, Serialize};

/// An event of `weir listen` and `weir replay`. Times are milliseconds of stream time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Event {
    /// What is being said: replaces each `partial` of the same stream and channel whose time it
    /// overlaps, also one without a speaker or of another one: who speaks may become known later.
    Partial {
        /// Name of the stream.
        stream: String,
        /// The speaker; left out if unknown.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        speaker: Option<String>,
        /// The channel, from 1, where each has a speaker of its own; left out for mixed sound.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        channel: Option<u16>,
        /// Its start.
        start_ms: u64,
        /// Its end so far.
        end_ms: u64,
        /// Words that will not change before the utterance ends.
        committed: String,
        /// Words that may change.
        tentative: String,
    },
    /// A voice of live sound began, or ended with a pause. It is told at once; its words come
    /// later, and there may be none.
    Voice {
        /// Name of the stream.
        stream: String,
        /// Whether it began.
        speaks: bool,
        /// The place of the first voice, with the sound kept before it, or of the last.
        at_ms: u64,
    },
    /// Words that were committed just now.
    Committed {
        /// Name of the stream.
        stream: String,
        /// The speaker; left out if unknown.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        speaker: Option<String>,
        /// The words.
        words: Vec<Word>,
    },
    /// An utterance that memory holds now; replaces the partial text of its time.
    Utterance {
        /// Its id.
        id: String,
        /// Name of the stream.
        stream: String,
        /// The speaker; left out if unknown.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        speaker: Option<String>,
        /// Its start.
        start_ms: u64,
        /// Its end.
        end_ms: u64,
        /// The recogniser's confidence; left out for text.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        confidence: Option<f32>,
        /// Its words.
        text: String,
    },
    /// Who spoke when; never changes afterwards. A turn that goes on comes in pieces.
    Turn(SpokenTurn),
    /// Sound in which no words were trusted; any partial text of its time is void.
    Unheard {
        /// Name of the stream.
        stream: String,
        /// Its start.
        start_ms: u64,
        /// Its end.
        end_ms: u64,
        /// The reason.
        why: String,
    },
    /// The language that a stream is heard in from here on.
    Language {
        /// Name of the stream.
        stream: String,
        /// Its code; null if the model knows English alone and the stream does not sound like it.
        language: Option<String>,
    },
    /// Sound that was lost.
    Gap {
        /// Name of the stream.
        stream: String,
        /// Where.
        at_ms: u64,
        /// How much.
        lost_ms: u64,
    },
    /// The outline changed.
    Memory(TreeChanges),
    /// A belief is new, or was observed again. Of many at once those observed last are told.
    Belief(Box<Belief>),
    /// A speaker is called otherwise from here on, also in what was said before.
    Speaker {
        /// The label or name until now.
        speaker: String,
        /// The name; left out if it was forgotten and the label returned.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        name: Option<String>,
    },
    /// What the session holds was changed by hand: pinned, edited, added, erased, or its budgets.
    Changed(Box<Changed>),
    /// An answer.
    Answer(Box<Answered>),
}

impl Event {
    /// Name of the stream that it is about.
    #[must_use]
    pub fn stream(&self) -> Option<&str> {
        match self {
            Self::Partial { stream, .. }
            | Self::Voice { stream, .. }
            | Self::Committed { stream, .. }
            | Self::Utterance { stream, .. }
            | Self::Unheard { stream, .. }
            | Self::Language { stream, .. }
            | Self::Gap { stream, .. } => Some(stream),
            Self::Turn(turn) => Some(&turn.stream),
            Self::Memory(_)
            | Self::Belief(_)
            | Self::Speaker { .. }
            | Self::Changed(_)
            | Self::Answer(_) => None,
        }
    }
}

/// What happened to the outline since the last event of this kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct TreeChanges {
    /// Blocks of talk that ended.
    pub blocks: usize,
    /// New statements.
    pub inserted: usize,
    /// Statements that repeated one that was held.
    pub reinforced: usize,
    /// Nodes merged to save tokens.
    pub merged: usize,
    /// Statements reduced to key words to save tokens.
    pub reduced: usize,
    /// Nodes forgotten to stay under a budget.
    pub forgotten: usize,
    /// Changes by hand: pins, edits, names, budgets, sources, erasures.
    #[serde(default)]
    pub by_hand: usize,
}

impl std::ops::AddAssign for TreeChanges {
    /// What happened in both; no number goes past its greatest value.
    fn add_assign(&mut self, more: Self) {
        let pairs = [
            (&mut self.blocks, more.blocks),
            (&mut self.inserted, more.inserted),
            (&mut self.reinforced, more.reinforced),
            (&mut self.merged, more.merged),
            (&mut self.reduced, more.reduced),
            (&mut self.forgotten, more.forgotten),
            (&mut self.by_hand, more.by_hand),
        ];
        for (sum, more) in pairs {
            *sum = sum.saturating_add(more);
        }
    }
}

/// One word of live text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Word {
    /// As written by the recogniser.
    pub text: String,
    /// Its start in stream time.
    pub start_ms: u64,
    /// Its end.
    pub end_ms: u64,
}

/// Part of a turn that nothing heard later can change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct SpokenTurn {
    /// Name of the stream.
    pub stream: String,
    /// The speaker's label; left out for an unknown voice.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub speaker: Option<String>,
    /// Its start in the stream's audio.
    pub start_ms: u64,
    /// Its end.
    pub end_ms: u64,
    /// Whether somebody else speaks at the same time.
    pub overlap: bool,
}

/// A turn of `weir chat` with its reply.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ChatTurn {
    /// The turn.
    pub turn: String,
    /// The reply.
    #[serde(flatten)]
    pub reply: ChatReply,
}

/// What became of a turn of a chat.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(tag = "reply", rename_all = "snake_case")]
pub enum ChatReply {
    /// A question was answered.
    Answered {
        /// The question as it was searched for, if the turn left something to those before.
        understood: Option<String>,
        /// The answer.
        #[serde(flatten)]
        answered: Box<Answered>,
    },
    /// It was stored.
    Stored,
    /// It was thanks or a farewell: there is nothing to store.
    SmallTalk,
    /// It was stored to be kept.
    Remembered {
        /// Why it is not pinned; null if it is.
        unpinned: Option<String>,
    },
    /// To forget these is asked for; the next turn decides.
    Confirm {
        /// What would be erased.
        found: Vec<ToForget>,
    },
    /// Nothing held says what is to be forgotten.
    NothingToForget,
    /// It was erased, also from every file.
    Erased {
        /// What was erased, and where.
        receipt: Receipt,
    },
    /// The user's last words were erased, and others stored in their place.
    Corrected {
        /// What was erased.
        before: Vec<ToForget>,
        /// Where it was erased.
        receipt: Receipt,
    },
    /// The user had told nothing before that could be corrected. The new words were stored.
    NothingToCorrect,
    /// Nothing was erased, as the user wished.
    Kept,
    /// It was neither yes nor no, so nothing was erased yet.
    Unclear,
}

/// Something that a user asked to forget.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ToForget {
    /// Name of the node, the fact or the utterance.
    pub what: String,
    /// Who said it; null if unknown.
    pub speaker: Option<String>,
    /// The words held.
    pub text: String,
    /// Session time when it was said, in milliseconds.
    pub said_ms: u64,
}
