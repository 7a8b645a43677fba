//! Events that a run sends to its owner.

use super::ask::Answered;
use super::feed::{FeedFigures, Notice};
use weir_core::stream::Utterance;

/// One event.
#[derive(Debug, Clone)]
pub enum Event {
    /// An utterance was taken in, and is durable if the session is stored.
    Heard(Box<Utterance>),
    /// A question was answered.
    Answered(Box<Answered>),
    /// A question could not be answered: its id and the reason.
    Unanswered {
        /// The question's id.
        id: String,
        /// The reason.
        why: String,
    },
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
    /// Total amount to read, if known.
    pub total: Option<u64>,
    /// Utterances heard.
    pub turns: u64,
    /// Tokens of memory used.
    pub tokens: u64,
    /// Tokens of memory allowed.
    pub budget_tokens: u64,
}
