//! What a run tells its owner as it goes.

use super::ask::Answered;
use super::feed::{FeedFigures, Notice};
use weir_core::stream::Utterance;

/// One piece of news.
#[derive(Debug, Clone)]
pub enum Event {
    /// Something was heard, and is safe where the session is kept.
    Heard(Box<Utterance>),
    /// A question was answered.
    Answered(Box<Answered>),
    /// A question could not be answered: its id, and why.
    Unanswered {
        /// The question's id.
        id: String,
        /// Why.
        why: String,
    },
    /// Something should be known.
    Notice(Notice),
    /// Where the run stands; sent often.
    Progress(Progress),
    /// A stage ended, by itself or by failing; joining it tells which.
    StageEnded(&'static str),
}

/// Where a run stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Progress {
    /// What the feed read.
    pub figures: FeedFigures,
    /// How much there is to read, where known.
    pub total: Option<u64>,
    /// Utterances heard.
    pub turns: u64,
    /// Tokens of memory used.
    pub tokens: u64,
    /// Tokens of memory allowed.
    pub budget_tokens: u64,
}
