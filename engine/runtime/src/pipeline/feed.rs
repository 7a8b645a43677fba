//! The interface through which sources deliver items to the memory, in order.
//!
//! A [`Feed`] is pulled. It may wait (for a microphone, or for the pace of a replay) and may be
//! slow (it recognises speech), but it never drops anything silently. Invariant: each stream is one
//! [`FeedItem::Begin`], then its items, then one [`FeedItem::End`]. A stream that the session has
//! partly processed continues without a beginning.

use crate::pipeline::driving::stop::Stop;
use crate::pipeline::hearing::unsettled::Unsettled;
use crate::pipeline::hearing::wer::WordErrors;
use crate::store::InputProgress;
use std::collections::VecDeque;
use weir_api::SpokenTurn;
use weir_asr::{LanguageNews, Refusal, Refused};
use weir_core::answer::QuestionTime;
use weir_core::stream::{Span, StreamStart, Utterance};

/// One item of a feed.
#[derive(Debug, Clone, PartialEq)]
pub enum FeedItem {
    /// A stream begins.
    Begin(StreamStart),
    /// An utterance.
    Heard(Box<Utterance>),
    /// The recording pauses.
    Break {
        /// Name of its stream.
        stream: String,
        /// Wall time when it resumes, in Unix milliseconds.
        resumes_at_unix_ms: Option<i64>,
    },
    /// A question at this position.
    Ask(AskRequest),
    /// Position in the input after the next item was applied.
    Mark(InputMark),
    /// A voice heard under a label was recognised as somebody's.
    Recognised {
        /// The label.
        label: String,
        /// The name of the enrolled voice.
        name: String,
    },
    /// Nothing yet, but there may be notices.
    Idle,
    /// A stream ends.
    End {
        /// Its name.
        stream: String,
        /// Set if the whole input was fed.
        whole: Option<InputDone>,
    },
}

/// An input that was fed completely.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InputDone {
    /// Number of the input within the feed, from 0.
    pub input: usize,
    /// Name of its stream.
    pub stream: String,
}

/// Position in an input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InputMark {
    /// Number of the input within the feed, from 0.
    pub input: usize,
    /// The part that was fed.
    pub progress: InputProgress,
}

/// A question before it is encoded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AskRequest {
    /// Its id in results.
    pub id: String,
    /// The stream that contains it; `None` for a question from outside.
    pub stream: Option<String>,
    /// Its words.
    pub text: String,
    /// Who asks.
    pub asked_by: Option<String>,
    /// When and where; a live session fills in the present time and zone if they are missing.
    pub at: QuestionTime,
}

/// A message for the user that does not stop the run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Notice {
    /// A problem; the text says how it was handled.
    Warning(String),
    /// An input could not be read (further); the others continue.
    Failed(String),
    /// Information, such as a device that is available again.
    Note(String),
    /// Audio in which no words were trusted.
    Unheard(Unheard),
    /// Who spoke when.
    Turn(SpokenTurn),
    /// A voice of live sound began, or ended with a pause.
    Voice {
        /// Name of the stream.
        stream: String,
        /// Whether it began.
        speaks: bool,
        /// Where, in stream time.
        at_ms: u64,
    },
    /// What became known of a source's language.
    Language {
        /// Name of the stream.
        stream: String,
        /// What became known.
        news: LanguageNews,
    },
    /// Audio was lost; silence stands in its place.
    Gap {
        /// Name of the stream.
        stream: String,
        /// Where, in stream time.
        at_ms: u64,
        /// How much.
        lost_ms: u64,
    },
}

/// A stretch of audio in which no words were trusted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unheard {
    /// Name of the stream.
    pub stream: String,
    /// Its place in the stream's audio.
    pub span: Span,
    /// The reason.
    pub why: Refusal,
}

impl Notice {
    /// What became known of the language of a stream.
    pub(crate) fn language(stream: &str, news: LanguageNews) -> Self {
        let stream = stream.to_owned();
        Self::Language { stream, news }
    }
}

impl Unheard {
    /// From a stretch that a recogniser refused.
    #[must_use]
    pub fn of(stream: &str, refused: Refused) -> Self {
        Self {
            stream: stream.to_owned(),
            span: Span::new(refused.span.start_ms(), refused.span.end_ms()),
            why: refused.why,
        }
    }

    /// The same for a stream whose audio begins at `ms`.
    #[must_use]
    pub fn later_by(mut self, ms: u64) -> Self {
        self.span = Span::new(self.span.start_ms + ms, self.span.end_ms + ms);
        self
    }
}

/// Figures of a feed so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FeedFigures {
    /// Milliseconds of audio read.
    pub audio_ms: u64,
    /// Milliseconds of that with recognised words.
    pub speech_ms: u64,
    /// Milliseconds that the speech model worked on it.
    pub decoding_ms: u64,
    /// Progress, in the unit of [`Feed::total`].
    pub done: u64,
    /// Number of inputs that were fed completely.
    pub whole: u64,
    /// Number of segments on which the recogniser failed.
    pub failed_segments: u64,
    /// Errors of the recognised words against the written ones.
    pub words: WordErrors,
}

/// A source of streams.
pub trait Feed: Send {
    /// The next item; `None` at the end, or after `stop` was set. Appends notices to `notices`.
    fn next(&mut self, stop: &Stop, notices: &mut Vec<Notice>) -> Option<FeedItem>;

    /// Figures so far.
    fn figures(&self) -> FeedFigures;

    /// Total amount to read in milliseconds of stream time, if known.
    fn total(&self) -> Option<u64> {
        None
    }

    /// Everything fed of a stream is stored, and it has ended. Not every driver calls it.
    fn stored(&mut self, _stream: &str, _notices: &mut Vec<Notice>) {}

    /// Audio that a live source has captured but not recognised.
    fn unsettled(&self) -> Option<Unsettled> {
        None
    }
}

/// A feed of given items, for tests and for text that is in memory already.
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
