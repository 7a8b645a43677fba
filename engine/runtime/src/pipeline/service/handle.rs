//! A handle of an open session: hears, asks, changes, subscribes. It can be cloned and shared.

use crate::pipeline::feed::AskRequest;
use crate::pipeline::hearing::unsettled::Unsettled;
use crate::pipeline::service::ask::{Answered, AskSettings};
use crate::pipeline::service::change::Change;
use crate::pipeline::service::error::ServiceError;
use crate::pipeline::service::labels;
use crate::pipeline::service::messages::{
    AnswerTo, Command, GIVEN_ID, Question, Request, Said, Snapshot, Waiting, take,
};
use crate::pipeline::service::subscribers::{Subscribers, Subscription};
use crate::time::{LETTER_MS, now_and_here, zone_named};
use crossbeam_channel::{
    Receiver, RecvTimeoutError, SendTimeoutError, Sender, TryRecvError, TrySendError,
};
use parking_lot::{Mutex, RwLock};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use weir_api::{Changed, Heard};
use weir_core::answer::{AnswerText, QuestionTime};
use weir_core::driver::heard_parts;
use weir_core::session::{InputError, Session};
use weir_core::stream::{Span, Utterance};
use weir_models::{CountTokens, Encode};

/// What all handles of a session share.
pub(crate) struct Door {
    pub(crate) commands: Sender<Command>,
    pub(crate) questions: Sender<Waiting>,
    pub(crate) snapshot: Snapshot,
    pub(crate) subscribers: Subscribers,
    pub(crate) encoder: Arc<dyn Encode>,
    pub(crate) counter: Arc<dyn CountTokens>,
    /// Audio of the feeds that is not recognised yet.
    pub(crate) unsettled: Mutex<Vec<Unsettled>>,
    /// Set when no more is taken.
    pub(crate) closing: AtomicBool,
    /// Whether the owner reads no more requests.
    pub(crate) owner_ended: Ended,
    /// Whether no thread reads questions any more.
    pub(crate) answerers_ended: Ended,
}

/// Whether the reader of a queue has ended. A queue keeps what is in it as long as anybody can
/// send, so who sends then would wait for ever.
#[derive(Default)]
pub(crate) struct Ended(RwLock<bool>);

impl Ended {
    /// Passes a message on, unless nobody reads it.
    fn send<T>(&self, pass: impl FnOnce() -> Result<T, ServiceError>) -> Result<T, ServiceError> {
        let ended = self.0.read();
        match *ended {
            true => Err(ServiceError::Closed),
            false => pass(),
        }
    }

    /// Ends the queue of this reader: who waits for a reply is told.
    pub(crate) fn end<T>(&self, queue: &Receiver<T>) {
        loop {
            // who waits for room holds the lock
            queue.try_iter().for_each(drop);
            if let Some(mut ended) = self.0.try_write() {
                *ended = true;
                break;
            }
            std::thread::yield_now();
        }
        queue.try_iter().for_each(drop);
    }
}

impl Door {
    /// Takes no more from now on.
    pub(crate) fn end(&self) {
        self.closing.store(true, Ordering::Release);
    }

    /// Whether no more is taken.
    pub(crate) fn is_closing(&self) -> bool {
        self.closing.load(Ordering::Acquire)
    }
}

/// A handle of an open session.
///
/// Requests are served in order of arrival. What [`Self::hear`] and [`Self::change`] return is
/// durable, and every question asked later sees it.
#[derive(Clone)]
pub struct SessionHandle(pub(crate) Arc<Door>);

/// Texts of an answer in writing that wait for its asker; later ones are left out meanwhile.
const TEXTS_MAX: usize = 8;

/// An answer that is being made. Dropping it gives the question up: a model stops writing.
pub struct PendingAnswer {
    answer: Receiver<Result<Answered, ServiceError>>,
    texts: Receiver<AnswerText>,
    given_up: Arc<AtomicBool>,
}

impl PendingAnswer {
    /// A question, and its answer.
    fn to(asking: AskRequest, settings: Option<AskSettings>) -> (Question, Self) {
        let (client, answer) = crossbeam_channel::bounded(1);
        let (writing, texts) = crossbeam_channel::bounded(TEXTS_MAX);
        let given_up = Arc::<AtomicBool>::default();
        let question = Question {
            settings: settings.map(Box::new),
            to: AnswerTo::Client(client),
            given_up: Arc::clone(&given_up),
            texts: Some(writing),
            ..Question::of_run(asking)
        };
        let pending = Self {
            answer,
            texts,
            given_up,
        };
        (question, pending)
    }

    /// The text of the answer while a model writes it, each longer than the one before; they end
    /// when the answer is there. Only the answer counts: its text may begin with a remark on the
    /// question, and it may be made of quotes after all.
    #[must_use]
    pub fn texts(&self) -> &Receiver<AnswerText> {
        &self.texts
    }

    /// Waits for the answer.
    ///
    /// # Errors
    /// [`ServiceError`].
    pub fn wait(self) -> Result<Answered, ServiceError> {
        self.answer.recv().unwrap_or(Err(ServiceError::Closed))
    }

    /// Waits for the answer up to `limit`; after that the question is given up.
    ///
    /// # Errors
    /// [`ServiceError::Late`] after the limit, else as [`Self::wait`].
    pub fn wait_for(self, limit: Duration) -> Result<Answered, ServiceError> {
        self.answer.recv_timeout(limit).unwrap_or_else(|end| {
            Err(match end {
                RecvTimeoutError::Timeout => ServiceError::Late { limit },
                RecvTimeoutError::Disconnected => ServiceError::Closed,
            })
        })
    }
}

/// A change that is being carried out; dropping it does not undo it.
pub struct PendingChange(Receiver<Result<Changed, ServiceError>>);

impl PendingChange {
    /// Waits until it is carried out and durable.
    ///
    /// # Errors
    /// [`ServiceError`].
    pub fn wait(self) -> Result<Changed, ServiceError> {
        self.0.recv().unwrap_or(Err(ServiceError::Closed))
    }

    /// The result, if it is there.
    #[must_use]
    pub fn done(&self) -> Option<Result<Changed, ServiceError>> {
        done(&self.0)
    }
}

impl PendingAnswer {
    /// The answer, if it is there.
    #[must_use]
    pub fn done(&self) -> Option<Result<Answered, ServiceError>> {
        done(&self.answer)
    }
}

/// The reply, if it is there.
fn done<T>(reply: &Receiver<Result<T, ServiceError>>) -> Option<Result<T, ServiceError>> {
    match reply.try_recv() {
        Ok(done) => Some(done),
        Err(TryRecvError::Empty) => None,
        Err(TryRecvError::Disconnected) => Some(Err(ServiceError::Closed)),
    }
}

impl Drop for PendingAnswer {
    fn drop(&mut self) {
        self.given_up.store(true, Ordering::Relaxed);
    }
}

impl SessionHandle {
    /// Takes in utterances, in order, up to the first that is refused; with one commit for all.
    /// Missing ids and times are filled in, and the stream if only one is open. They are encoded on
    /// this thread. A request with a `key` that is sent again gets its first result and is not
    /// heard twice.
    ///
    /// Utterances of several streams are heard in the order in which they arrive here. When each
    /// was said is told by its own stream, whose time is placed beside that of the others when it
    /// begins or resumes: by wall time if both have it, else after what was heard last.
    ///
    /// An id stands for one utterance of its stream; sent again with the same words, it is heard
    /// once. This is checked for the last [`IDS_MAX`](crate::pipeline::IDS_MAX) ids, also for those
    /// from before the session was opened, as far as a transcript or the memory has them. The
    /// session gives `#` and a number, which no client may send.
    ///
    /// # Errors
    /// [`ServiceError`]; utterances before the refused one are kept.
    pub fn hear(
        &self,
        utterances: impl IntoIterator<Item = Utterance>,
        key: Option<String>,
    ) -> Result<Heard, ServiceError> {
        self.served(self.all_encoded(utterances)?, key, None, Command::Hear)
    }

    /// As [`Self::hear`], for talk that is heard while it is said: what has no time was said now,
    /// if its stream has wall time. A first stream that begins for it begins now.
    ///
    /// # Errors
    /// As [`Self::hear`].
    pub fn hear_now(
        &self,
        utterances: impl IntoIterator<Item = Utterance>,
        key: Option<String>,
    ) -> Result<Heard, ServiceError> {
        let now = now_and_here(QuestionTime::default()).unix_ms;
        let mut said = self.all_encoded(utterances)?;
        said.iter_mut().for_each(|it| it.said_at_unix_ms = now);
        self.served(said, key, None, Command::Hear)
    }

    /// As [`Self::hear`], if the owner begins with it within `limit`, which does not count the
    /// encoding. The owner begins with all of the utterances or with none.
    ///
    /// # Errors
    /// [`ServiceError::Late`] after the limit, and then none of them is heard; else as
    /// [`Self::hear`].
    pub fn hear_within(
        &self,
        utterances: impl IntoIterator<Item = Utterance>,
        key: Option<String>,
        limit: Duration,
    ) -> Result<Heard, ServiceError> {
        let said = self.all_encoded(utterances)?;
        self.served(said, key, Some(limit), Command::Hear)
    }

    /// Changes the session.
    ///
    /// # Errors
    /// [`ServiceError`]; nothing was changed, except after [`ServiceError::Failed`].
    pub fn change(&self, what: Change, key: Option<String>) -> Result<Changed, ServiceError> {
        self.start_to_change(what, key)?.wait()
    }

    /// As [`Self::change`], if the owner begins with it within `limit`.
    ///
    /// # Errors
    /// [`ServiceError::Late`] after the limit, else as [`Self::change`].
    pub fn change_within(
        &self,
        what: Change,
        key: Option<String>,
        limit: Duration,
    ) -> Result<Changed, ServiceError> {
        self.served(what, key, Some(limit), Command::Change)
    }

    /// As [`Self::change`], without waiting until it is carried out.
    ///
    /// # Errors
    /// [`ServiceError::Closed`].
    pub fn start_to_change(
        &self,
        what: Change,
        key: Option<String>,
    ) -> Result<PendingChange, ServiceError> {
        let (request, done) = Request::new(what, key);
        self.send(Command::Change(request), None)?;
        Ok(PendingChange(done))
    }

    /// Asks a question; `settings` of `None` are those of the service. A question that does not
    /// say when or where it is asked is asked now, in the time zone of the latest stream that has
    /// one, else of this machine.
    ///
    /// # Errors
    /// [`ServiceError`].
    pub fn ask(
        &self,
        asking: AskRequest,
        settings: Option<AskSettings>,
    ) -> Result<Answered, ServiceError> {
        self.start_to_ask(asking, settings)?.wait()
    }

    /// As [`Self::ask`], without waiting for the answer.
    ///
    /// # Errors
    /// [`ServiceError::Busy`], [`ServiceError::Closed`].
    pub fn start_to_ask(
        &self,
        asking: AskRequest,
        settings: Option<AskSettings>,
    ) -> Result<PendingAnswer, ServiceError> {
        let (question, pending) = PendingAnswer::to(asking, settings);
        self.put(question)?;
        Ok(pending)
    }

    /// The same for a question of a feed, which is asked at the time of its stream.
    pub(crate) fn start_to_ask_as_fed(
        &self,
        asking: AskRequest,
    ) -> Result<PendingAnswer, ServiceError> {
        let (question, pending) = PendingAnswer::to(asking, None);
        self.send_question(question)?;
        Ok(pending)
    }

    /// Asks a question whose answer is an event of the run; returns its text in writing.
    pub(crate) fn ask_in_run(
        &self,
        asking: AskRequest,
    ) -> Result<Receiver<AnswerText>, ServiceError> {
        let (writing, texts) = crossbeam_channel::bounded(TEXTS_MAX);
        self.put(Question {
            texts: Some(writing),
            ..Question::of_run(asking)
        })?;
        Ok(texts)
    }

    /// The session at this moment.
    #[must_use]
    pub fn session(&self) -> Arc<Session> {
        Arc::clone(&self.0.snapshot.read())
    }

    /// The encoder of its vectors.
    #[must_use]
    pub fn encoder(&self) -> &dyn Encode {
        self.0.encoder.as_ref()
    }

    /// The events of the session from now on.
    #[must_use]
    pub fn subscribe(&self) -> Subscription {
        self.0.subscribers.add()
    }

    /// Milliseconds of audio that nobody has looked at yet.
    pub(crate) fn behind_ms(&self) -> u64 {
        self.0.unsettled.lock().iter().map(Unsettled::lag_ms).sum()
    }

    /// Whether the session was closed, or is closing.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.0.is_closing()
    }

    /// Takes no more, and wakes the owner: what was taken is finished.
    pub(crate) fn end(&self) {
        self.0.end();
        // if the queue is full, the owner is awake
        let _ = self.0.commands.try_send(Command::Close);
    }

    fn put(&self, mut question: Question) -> Result<(), ServiceError> {
        let at = &mut question.asking.at;
        if at.zone.is_none() {
            at.zone = self.session().zone().and_then(|name| zone_named(name).ok());
        }
        question.asking.at = now_and_here(question.asking.at);
        self.send_question(question)
    }

    fn send_question(&self, question: Question) -> Result<(), ServiceError> {
        ServiceError::of_question(&question.asking.text)?;
        if self.0.is_closing() {
            return Err(ServiceError::Closed);
        }
        let questions = &self.0.questions;
        self.0.answerers_ended.send(|| {
            let sent = questions.try_send(Waiting::Question(Box::new(question)));
            sent.map_err(|refused| match refused {
                TrySendError::Full(_) => ServiceError::Busy {
                    what: "questions",
                    waiting: questions.len(),
                },
                TrySendError::Disconnected(_) => ServiceError::Closed,
            })
        })
    }

    /// Sends a request and waits for its reply; up to a limit, until the owner begins with it.
    fn served<A, T>(
        &self,
        what: A,
        key: Option<String>,
        limit: Option<Duration>,
        command: fn(Request<A, T>) -> Command,
    ) -> Result<T, ServiceError> {
        let (request, done) = Request::new(what, key);
        let (taken, since) = (Arc::clone(&request.taken), Instant::now());
        self.send(command(request), limit)?;
        if let Some(limit) = limit {
            let left = limit.saturating_sub(since.elapsed());
            match done.recv_timeout(left) {
                Err(RecvTimeoutError::Timeout) if take(&taken) => {
                    return Err(ServiceError::Late { limit });
                }
                // it is being carried out: the reply comes with the commit
                Err(RecvTimeoutError::Timeout) => {}
                reply => return reply.unwrap_or(Err(ServiceError::Closed)),
            }
        }
        done.recv().unwrap_or(Err(ServiceError::Closed))
    }

    /// Sends a request; waits while the queue is full, up to a limit.
    pub(super) fn send(
        &self,
        command: Command,
        limit: Option<Duration>,
    ) -> Result<(), ServiceError> {
        if self.0.is_closing() {
            return Err(ServiceError::Closed);
        }
        self.0.owner_ended.send(|| {
            let Some(limit) = limit else {
                let sent = self.0.commands.send(command);
                return sent.map_err(|_| ServiceError::Closed);
            };
            let sent = self.0.commands.send_timeout(command, limit);
            sent.map_err(|end| match end {
                SendTimeoutError::Timeout(_) => ServiceError::Late { limit },
                SendTimeoutError::Disconnected(_) => ServiceError::Closed,
            })
        })
    }

    fn all_encoded(
        &self,
        utterances: impl IntoIterator<Item = Utterance>,
    ) -> Result<Vec<Said>, ServiceError> {
        utterances.into_iter().map(|it| self.encoded(it)).collect()
    }

    fn encoded(&self, utterance: Utterance) -> Result<Said, ServiceError> {
        if utterance.id.starts_with(GIVEN_ID) {
            let id = utterance.id;
            return Err(ServiceError::ReservedId { id });
        }
        let labels = [
            ("id", Some(&utterance.id)),
            ("stream", Some(&utterance.stream)),
            ("speaker", utterance.speaker.as_ref()),
        ];
        for (what, label) in labels {
            // what is absent is filled in
            if let Some(label) = label.filter(|it| !it.is_empty()) {
                labels::check(what, label)?;
            }
        }
        let is_untimed = utterance.span == Span::new(0, 0);
        let length_ms = utterance.text.len() as u64 * LETTER_MS;
        let utterance = match is_untimed {
            true => utterance.at(Span::new(0, length_ms)),
            false => utterance,
        };
        let session = self.session();
        let (id, names) = (utterance.id.clone(), session.speaker_names());
        let tokens_max = session.config().raw_limits().utterance;
        let (counter, encoder) = (self.0.counter.as_ref(), self.0.encoder.as_ref());
        let parts = heard_parts(utterance, names, tokens_max, counter, encoder)?;
        match parts.is_empty() {
            true => Err(InputError::NoWords { id }.into()),
            false => Ok(Said {
                parts,
                is_untimed,
                said_at_unix_ms: None,
            }),
        }
    }
}
