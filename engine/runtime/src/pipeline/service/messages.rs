//! The messages between the threads of a service.

use crate::pipeline::feed::{AskRequest, FeedFigures, InputDone, InputMark};
use crate::pipeline::service::ask::{Answered, AskSettings};
use crate::pipeline::service::change::Change;
use crate::pipeline::service::error::ServiceError;
use crate::results::Histogram;
use crossbeam_channel::{Receiver, Sender};
use parking_lot::RwLock;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use weir_api::{Changed, Heard};
use weir_core::answer::AnswerText;
use weir_core::distil::{DistilCounts, DistilError};
use weir_core::session::{Input, Session};
use weir_core::stream::{Span, Utterance};
use weir_core::talk::Distillate;

/// Begins the ids that the session gives, so that they never meet those of a client.
pub(super) const GIVEN_ID: char = '#';

/// The state that questions read: replaced as a whole, never modified.
pub(crate) type Snapshot = Arc<RwLock<Arc<Session>>>;

/// An item for the session.
pub(crate) enum Arrived {
    /// An encoded utterance, and when its words were known.
    Heard { heard: Input, since: Instant },
    /// Another input that changes the session.
    Change(Input),
    /// A voice was recognised: label and name.
    Recognised { label: String, name: String },
    /// An input was completed.
    InputDone(InputDone),
    /// Position in an input after the next item.
    Mark(InputMark),
}

/// What the feed sends on.
pub(crate) enum FromFeed {
    /// For the session.
    Item(Box<Arrived>),
    /// A question; it waits until everything before it is in memory.
    Ask(Question),
}

/// Result of a stage.
pub(crate) enum StageEnd {
    /// The feed: its figures.
    Feed(FeedFigures),
    /// No result.
    Nothing,
    /// The distiller: time per block, and its counts.
    Distil(Histogram, DistilCounts),
    /// The owner: the session and its measurements.
    Memory {
        session: Box<Session>,
        counts: Box<OwnerCounts>,
    },
}

/// Result for a block, and the distiller's counts for it.
pub(crate) type Distilled = Result<(Box<Distillate>, DistilCounts), DistilError>;

/// An utterance of a client, in encoded parts.
pub(crate) struct Said {
    pub(super) parts: Vec<Input>,
    /// Whether the client gave no time.
    pub(super) is_untimed: bool,
    /// Wall time of what has no time, in Unix milliseconds; `None` for talk that was not said just
    /// now.
    pub(super) said_at_unix_ms: Option<i64>,
}

impl Said {
    /// Its parts as utterances.
    pub(super) fn words(&self) -> impl Iterator<Item = &Utterance> {
        self.parts.iter().filter_map(|part| match part {
            Input::Heard { utterance, .. } => Some(utterance),
            _ => None,
        })
    }

    /// The stream it names.
    pub(super) fn stream(&self) -> Option<&str> {
        let named = self.words().next().map(|it| it.stream.as_str());
        named.filter(|stream| !stream.is_empty())
    }

    /// The id that the client gave it.
    pub(super) fn given_id(&self) -> Option<&str> {
        let given = self.words().next().map(|it| it.id.as_str());
        given.filter(|id| !id.is_empty())
    }

    /// Its id, and its parts with what the client left out: the running stream, the next id, the
    /// time of the stream.
    pub(super) fn placed(self, stream: &str, now_ms: u64, number: u64) -> (String, Vec<Input>) {
        let mut named = String::new();
        let place = |mut part: Input| {
            if let Input::Heard { utterance, .. } = &mut part {
                if utterance.stream.is_empty() {
                    stream.clone_into(&mut utterance.stream);
                }
                if utterance.id.is_empty() {
                    utterance.id = format!("{GIVEN_ID}{number}");
                }
                if self.is_untimed {
                    let Span { start_ms, end_ms } = utterance.span;
                    utterance.span = Span::new(now_ms + start_ms, now_ms + end_ms);
                }
                utterance.id.clone_into(&mut named);
            }
            part
        };
        let parts = self.parts.into_iter().map(place).collect();
        (named, parts)
    }
}

/// Where the reply to a request goes.
pub(crate) type Reply<T> = Sender<Result<T, ServiceError>>;

/// A request of a client.
pub(crate) struct Request<A, T> {
    pub(crate) what: A,
    /// A request that is sent again with its key gets its first result.
    pub(crate) key: Option<String>,
    pub(crate) reply: Reply<T>,
    /// Set by the owner when it begins, or by a client who gives up: whoever is first decides
    /// whether the request is carried out.
    pub(crate) taken: Arc<AtomicBool>,
}

impl<A, T> Request<A, T> {
    /// A request, and where its reply arrives.
    pub(crate) fn new(what: A, key: Option<String>) -> (Self, Receiver<Result<T, ServiceError>>) {
        let (reply, done) = crossbeam_channel::bounded(1);
        let request = Self {
            what,
            key,
            reply,
            taken: Arc::default(),
        };
        (request, done)
    }
}

/// Takes a request for the caller; returns whether it was free.
pub(crate) fn take(taken: &AtomicBool) -> bool {
    !taken.swap(true, Ordering::AcqRel)
}

/// A message to the owner from a client or a question.
pub(crate) enum Command {
    /// Talk, encoded by the client.
    Hear(Request<Vec<Said>, Heard>),
    /// A change.
    Change(Request<Change, Changed>),
    /// A voice of an attached feed was recognised: label and name.
    Recognised { label: String, name: String },
    /// Whether a stream is of an attached feed from now on: clients do not end such streams.
    Attached { stream: String, is: bool },
    /// A question was answered: what it recalled.
    Access(Box<Input>),
    /// A thread that answers questions has ended.
    AnswererEnded,
    /// No further message is taken.
    Close,
}

/// Where an answer goes.
pub(crate) enum AnswerTo {
    /// To the events of the run.
    Run,
    /// To the client who asked, unless it has given up.
    Client(Sender<Result<Answered, ServiceError>>),
}

/// A question on its way to a thread.
pub(crate) struct Question {
    pub(crate) asking: AskRequest,
    /// How to answer it; `None` as the service was set up.
    pub(crate) settings: Option<Box<AskSettings>>,
    pub(crate) to: AnswerTo,
    pub(crate) given_up: Arc<AtomicBool>,
    /// Gets the text while a model writes it.
    pub(crate) texts: Option<Sender<AnswerText>>,
    pub(crate) since: Instant,
    /// Time until all talk before it was in memory.
    pub(crate) waited: Duration,
}

impl Question {
    /// A question whose answer is an event of the run.
    pub(crate) fn of_run(asking: AskRequest) -> Self {
        Self {
            asking,
            settings: None,
            to: AnswerTo::Run,
            given_up: Arc::default(),
            texts: None,
            since: Instant::now(),
            waited: Duration::ZERO,
        }
    }

    /// The same, now that all talk before it is in memory.
    pub(crate) fn waited(self) -> Self {
        let waited = self.since.elapsed();
        Self { waited, ..self }
    }
}

/// A message to a thread that answers.
pub(crate) enum Waiting {
    Question(Box<Question>),
    /// The thread ends.
    Dismissed,
}

/// Measurements of an owner.
#[derive(Debug, Clone, Default)]
pub(crate) struct OwnerCounts {
    /// Microseconds from an utterance's words until it is in memory.
    pub(crate) ingest_us: Histogram,
    /// Utterances heard.
    pub(crate) turns: u64,
    /// Blocks distilled here because the distiller's thread lagged.
    pub(crate) overtaken: u64,
    /// Distillates that came for such blocks anyway.
    pub(crate) discarded: u64,
    /// The distiller's counts for them.
    pub(crate) unused: DistilCounts,
}

impl OwnerCounts {
    /// Counts a distillate that arrived too late.
    pub(crate) fn discard(&mut self, counts: &DistilCounts) {
        self.discarded += 1;
        self.unused.statements_offered += counts.statements_offered;
        self.unused.statements_kept += counts.statements_kept;
        self.unused.titles_kept += counts.titles_kept;
        self.unused.titles_refused += counts.titles_refused;
        self.unused.relations_kept += counts.relations_kept;
        self.unused.relations_refused += counts.relations_refused;
    }
}
