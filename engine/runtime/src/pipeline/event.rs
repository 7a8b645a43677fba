//! Events that a run sends to its owner.

use crate::pipeline::feed::{FeedFigures, Notice};
use crate::pipeline::service::ask::Answered;
use weir_api::{Belief, Changed, TreeChanges};
use weir_core::stream::{Span, Utterance};

/// Words of an utterance that has not ended. They are not in memory; the finished utterances
/// replace them.
#[derive(Debug, Clone, PartialEq)]
pub struct LiveText {
    /// Name of the stream.
    pub stream: String,
    /// The label of the speaker, as far as it is known.
    pub speaker: Option<String>,
    /// The channel, from 1, where each is a speaker; `None` for mixed sound.
    pub channel: Option<u16>,
    /// The sound that was decoded, in stream time.
    pub span: Span,
    /// Words that will not change before the end of the speech.
    pub committed: Vec<LiveWord>,
    /// How many of them are new, at the end.
    pub fresh: usize,
    /// Words that may still change.
    pub tentative: Vec<LiveWord>,
}

/// One word of it.
#[derive(Debug, Clone, PartialEq)]
pub struct LiveWord {
    /// As written by the recogniser.
    pub text: String,
    /// Its place in stream time.
    pub span: Span,
}

/// One event.
#[derive(Debug, Clone)]
pub enum Event {
    /// An utterance was taken in, and is durable if the session is stored.
    Heard(Box<Utterance>),
    /// What is being said, while it is said.
    Live(Box<LiveText>),
    /// A question was answered.
    Answered(Box<Answered>),
    /// A question could not be answered: its id and the reason.
    Unanswered {
        /// The question's id.
        id: String,
        /// The reason.
        why: String,
    },
    /// The tree changed.
    Memory(TreeChanges),
    /// A belief is new, or was observed again.
    Belief(Box<Belief>),
    /// A speaker is called otherwise from here on, also in what was said before.
    Speaker {
        /// The label or name until now.
        speaker: String,
        /// The name; `None` if it was forgotten.
        name: Option<String>,
    },
    /// What the session holds was changed by hand.
    Changed(Box<Changed>),
    /// A notice for the user.
    Notice(Notice),
    /// Progress of the run; sent often.
    Progress(Progress),
    /// A stage ended, normally or with an error; joining it tells which.
    StageEnded(&'static str),
}

/// Progress of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Progress {
    /// Figures of the feed.
    pub figures: FeedFigures,
    /// Utterances heard.
    pub turns: u64,
    /// Tokens of memory used.
    pub tokens: u64,
    /// Tokens of memory allowed.
    pub budget_tokens: u64,
}
