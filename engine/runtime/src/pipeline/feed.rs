//! What sources hand to the memory, in order.
//!
//! A [`Feed`] is pulled; it may wait (for a microphone, for the pace of a replay) and may be slow
//! (it recognises speech), but it never drops anything silently. Invariant: each stream is one
//! [`FeedItem::Begin`], then its items, then one [`FeedItem::End`]; one that the session is in the
//! middle of goes on without a beginning.

use super::stop::Stop;
use super::unsettled::Unsettled;
use super::wer::WordErrors;
use crate::store::InputProgress;
use std::collections::VecDeque;
use weir_asr::{Refusal, Refused};
use weir_core::stream::{Span, StreamStart, Utterance};

/// One item of a feed.
#[derive(Debug, Clone, PartialEq)]
pub enum FeedItem {
    /// A stream begins.
    Begin(StreamStart),
    /// Something was said.
    Heard(Box<Utterance>),
    /// The recording pauses.
    Break {
        /// Wall time at which it goes on, in Unix milliseconds.
        resumes_at_unix_ms: Option<i64>,
    },
    /// A question stands here.
    Ask(AskRequest),
    /// How far the input is once the item that follows is in.
    Mark(InputMark),
    /// Nothing yet; there may be notices.
    Idle,
    /// The stream ends.
    End {
        /// Whether all of it went through.
        whole: Option<InputDone>,
    },
}

/// An input that went through from beginning to end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InputDone {
    /// Number of the input within the feed, from 0.
    pub input: usize,
    /// Name of its stream.
    pub stream: String,
}

/// How far an input was fed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InputMark {
    /// Number of the input within the feed, from 0.
    pub input: usize,
    /// What of it is in.
    pub progress: InputProgress,
}

/// A question before it is encoded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AskRequest {
    /// Names it in results.
    pub id: String,
    /// The stream it stands in; `None` for one asked from outside.
    pub stream: Option<String>,
    /// Its words.
    pub text: String,
    /// Who asks.
    pub asked_by: Option<String>,
}

/// Something a user should know although work goes on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Notice {
    /// Something is odd; what was done about it stands in the text.
    Warning(String),
    /// An input could not be read (on); the others go on.
    Failed(String),
    /// Good news, such as a device that is back.
    Note(String),
    /// Sound in which no words were trusted.
    Unheard(Unheard),
}

/// A stretch of sound in which no words were trusted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unheard {
    /// Name of the stream.
    pub stream: String,
    /// Where it lies in its sound.
    pub span: Span,
    /// Why.
    pub why: Refusal,
}

impl Unheard {
    /// What a recogniser refused of a stream.
    #[must_use]
    pub fn of(stream: &str, refused: Refused) -> Self {
        Self {
            stream: stream.to_owned(),
            span: Span::new(refused.span.start_ms(), refused.span.end_ms()),
            why: refused.why,
        }
    }

    /// The same in a stream whose sound begins at `ms`.
    #[must_use]
    pub fn later_by(mut self, ms: u64) -> Self {
        self.span = Span::new(self.span.start_ms + ms, self.span.end_ms + ms);
        self
    }
}

/// What a feed has read so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FeedFigures {
    /// Sound taken in, in milliseconds.
    pub audio_ms: u64,
    /// Of that, speech in which there were words.
    pub speech_ms: u64,
    /// Work done, in the unit of [`Feed::total`].
    pub done: u64,
    /// Inputs that went through from beginning to end.
    pub whole: u64,
    /// Segments the recogniser failed on.
    pub failed_segments: u64,
    /// Segments in which it trusted no words.
    pub refused_segments: u64,
    /// Segments it gave words for.
    pub recognised_segments: u64,
    /// Recognised against written words.
    pub words: WordErrors,
}

/// A source of streams.
pub trait Feed: Send {
    /// The next item; `None` at the end, or after `stop` was set. Notices are appended to
    /// `notices`.
    fn next(&mut self, stop: &Stop, notices: &mut Vec<Notice>) -> Option<FeedItem>;

    /// What was read so far.
    fn figures(&self) -> FeedFigures;

    /// How much there is to read, where known: milliseconds of stream time.
    fn total(&self) -> Option<u64> {
        None
    }

    /// What a live source has taken in and not recognised.
    fn unsettled(&self) -> Option<Unsettled> {
        None
    }
}

/// A feed of items given beforehand, for tests and for text that is in memory anyway.
#[derive(Debug, Clone, Default)]
pub struct ListFeed {
    items: VecDeque<FeedItem>,
    figures: FeedFigures,
}

impl ListFeed {
    /// Feeds these items.
    #[must_use]
    pub fn new(items: impl IntoIterator<Item = FeedItem>) -> Self {
        Self {
            items: items.into_iter().collect(),
            figures: FeedFigures::default(),
        }
    }
}

impl Feed for ListFeed {
    fn next(&mut self, stop: &Stop, _notices: &mut Vec<Notice>) -> Option<FeedItem> {
        if stop.is_set() {
            return None;
        }
        let item = self.items.pop_front();
        self.figures.done += u64::from(item.is_some());
        item
    }

    fn figures(&self) -> FeedFigures {
        self.figures
    }
}
