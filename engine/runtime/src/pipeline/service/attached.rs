//! A feed that is attached to a running service: it says what clients say, from a thread of its
//! own.
//!
//! Its streams are beside the others, and no client can end them. What it was told is stored is
//! stored: when the service closes, the feed ends with [`ServiceError::Closed`] before anything
//! that was not.

use crate::pipeline::driving::stop::Stop;
use crate::pipeline::driving::worker::{OnEnd, Worker};
use crate::pipeline::error::PipelineError;
use crate::pipeline::event::Event;
use crate::pipeline::feed::{AskRequest, Feed, FeedFigures, FeedItem, Notice};
use crate::pipeline::hearing::recognition::LiveStages;
use crate::pipeline::hearing::unsettled::Unsettled;
use crate::pipeline::service::change::Change;
use crate::pipeline::service::error::ServiceError;
use crate::pipeline::service::handle::{PendingAnswer, SessionHandle};
use crate::pipeline::service::messages::{Command, StageEnd};
use crate::pipeline::service::owner::is_about_the_words;
use crate::pipeline::service::start::QUESTIONS_MAX;
use crate::pipeline::service::subscribers::Announcer;
use parking_lot::Mutex;
use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;
use weir_core::stream::{StreamStart, Utterance};

/// How long a question of the feed waits before it is tried again.
const ASK_AGAIN: Duration = Duration::from_millis(50);

/// A feed that speaks to a session.
pub struct Attached {
    stop: Stop,
    figures: Arc<Mutex<FeedFigures>>,
    unsettled: Option<Unsettled>,
    feed: Option<Worker<Result<FeedFigures, ServiceError>>>,
    /// They end with the feed.
    live: Vec<Worker<StageEnd>>,
}

/// Attaches a feed to a session that is open. Each stream of the feed begins beside the open ones,
/// and ends with its [`FeedItem::End`]. Utterances, live text, notices and answers are events for
/// the session's subscribers; what is wrong with single utterances is a notice. `live` are the
/// [`LiveFeed::live_stages`](crate::pipeline::LiveFeed::live_stages) of the feed. The feed ends by
/// itself or at `stop`, and also when the session refuses something or is closed.
///
/// # Errors
/// No thread can be started; those that had started are stopped and joined.
pub fn attach(
    handle: &SessionHandle,
    feed: Box<dyn Feed>,
    live: Option<LiveStages>,
    stop: Stop,
) -> Result<Attached, ServiceError> {
    let announcer = Announcer {
        run: None,
        subscribers: handle.0.subscribers.clone(),
    };
    let mut attached = Attached {
        stop: stop.clone(),
        figures: Arc::default(),
        unsettled: feed.unsettled(),
        feed: None,
        live: Vec::new(),
    };
    let speaking = Speaking {
        feed,
        stop,
        session: handle.clone(),
        announcer: announcer.clone(),
        figures: Arc::clone(&attached.figures),
        streams: Streams {
            session: handle.clone(),
            names: BTreeSet::new(),
        },
        asked: VecDeque::new(),
    };
    handle.0.unsettled.lock().extend(attached.unsettled.clone());
    let (session, unsettled) = (handle.clone(), attached.unsettled.clone());
    let forget = OnEnd(move || {
        let is = |it: &Unsettled| unsettled.as_ref().is_some_and(|own| own.is(it));
        session.0.unsettled.lock().retain(|it| !is(it));
    });
    let failed = |error: PipelineError| ServiceError::from(&error);
    // a thread that cannot start drops its work, and with it the feed: the others end then
    let worker = Worker::spawn("feed", move || {
        let _forget = forget;
        Ok(speaking.run())
    });
    attached.feed = Some(worker.map_err(failed)?);
    if let Some(LiveStages { preview, early }) = live {
        let snapshot = Arc::clone(&handle.0.snapshot);
        let early = Worker::spawn("early", move || early.run()).map_err(failed)?;
        attached.live.push(early);
        let preview = move || preview.run(&announcer, &snapshot);
        let preview = Worker::spawn("preview", preview).map_err(failed)?;
        attached.live.push(preview);
    }
    Ok(attached)
}

impl Attached {
    /// Figures of the feed so far.
    #[must_use]
    pub fn figures(&self) -> FeedFigures {
        *self.figures.lock()
    }

    /// Milliseconds of captured audio that are not recognised yet.
    #[must_use]
    pub fn unrecognised_ms(&self) -> u64 {
        self.unsettled.as_ref().map_or(0, Unsettled::ms)
    }

    /// Whether the feed has ended, so that [`Self::finish`] does not wait.
    #[must_use]
    pub fn is_finished(&self) -> bool {
        self.feed.as_ref().is_none_or(Worker::is_finished)
    }

    /// Asks the feed to end; what it has taken in is still heard.
    pub fn stop(&self) {
        self.stop.set();
    }

    /// Asks the feed to end at once: sound that is recorded and not recognised yet is left to the
    /// next one that opens the session.
    pub fn interrupt(&self) {
        self.stop.interrupt();
    }

    /// Waits until the feed has ended, everything fed is in memory, and its questions are answered.
    ///
    /// # Errors
    /// Why the feed ended early; what it had said before is stored.
    pub fn finish(mut self) -> Result<FeedFigures, ServiceError> {
        let failed = |error: PipelineError| ServiceError::from(&error);
        let figures = match self.feed.take() {
            Some(feed) => feed.join().map_err(failed)?,
            None => Ok(self.figures()),
        };
        for worker in self.live.drain(..) {
            worker.join().map_err(failed)?;
        }
        figures
    }
}

impl Drop for Attached {
    /// Ends the feed and joins it. What a recording has of audio that was not recognised is left to
    /// the next feed.
    fn drop(&mut self) {
        self.stop.interrupt();
    }
}

/// The feed's streams, which no client can end; they are given up with the feed.
struct Streams {
    session: SessionHandle,
    names: BTreeSet<String>,
}

impl Streams {
    fn take(&mut self, stream: &str) -> Result<(), ServiceError> {
        match self.names.insert(stream.to_owned()) {
            true => self.tell(stream, true),
            false => Ok(()),
        }
    }

    fn give(&mut self, stream: &str) -> Result<(), ServiceError> {
        match self.names.remove(stream) {
            true => self.tell(stream, false),
            false => Ok(()),
        }
    }

    fn tell(&self, stream: &str, is: bool) -> Result<(), ServiceError> {
        let stream = stream.to_owned();
        self.session.send(Command::Attached { stream, is }, None)
    }
}

impl Drop for Streams {
    fn drop(&mut self) {
        for stream in &self.names {
            // a session that is closed has no streams to protect
            let _ = self.tell(stream, false);
        }
    }
}

/// The feed on its thread.
struct Speaking {
    feed: Box<dyn Feed>,
    stop: Stop,
    session: SessionHandle,
    announcer: Announcer,
    figures: Arc<Mutex<FeedFigures>>,
    streams: Streams,
    /// Questions that are not answered yet, the oldest first.
    asked: VecDeque<PendingAnswer>,
}

impl Speaking {
    fn run(mut self) -> Result<FeedFigures, ServiceError> {
        let mut notices = Vec::new();
        loop {
            let fed = self.feed.next(&self.stop, &mut notices);
            self.tell(&mut notices);
            let figures = self.feed.figures();
            *self.figures.lock() = figures;
            let Some(item) = fed else {
                self.answered(0);
                return Ok(figures);
            };
            self.say(item, &mut notices)?;
            self.tell(&mut notices);
        }
    }

    fn tell(&self, notices: &mut Vec<Notice>) {
        for notice in notices.drain(..) {
            self.announcer.tell(Event::Notice(notice));
        }
    }

    fn say(&mut self, item: FeedItem, notices: &mut Vec<Notice>) -> Result<(), ServiceError> {
        match item {
            FeedItem::Begin(start) => self.begin(start),
            FeedItem::Heard(said) => self.hear(*said, notices),
            FeedItem::Break {
                stream,
                resumes_at_unix_ms,
            } => self.change(Change::Pause {
                stream: Some(stream),
                resumes_at_unix_ms,
            }),
            FeedItem::Recognised { label, name } => {
                let recognised = Command::Recognised { label, name };
                self.session.send(recognised, None)
            }
            FeedItem::Ask(asking) => self.ask(&asking),
            FeedItem::End { stream, .. } => {
                self.streams.give(&stream)?;
                self.change(Change::End(stream.clone()))?;
                self.feed.stored(&stream, notices);
                Ok(())
            }
            FeedItem::Mark(_) | FeedItem::Idle => Ok(()),
        }
    }

    fn change(&self, change: Change) -> Result<(), ServiceError> {
        self.session.change(change, None).map(drop)
    }

    fn begin(&mut self, start: StreamStart) -> Result<(), ServiceError> {
        self.streams.take(&start.name)?;
        self.change(Change::Begin(StreamStart {
            beside: true,
            ..start
        }))
    }

    /// Has the session hear an utterance; one that cannot be heard is told and passed over.
    fn hear(&mut self, said: Utterance, notices: &mut Vec<Notice>) -> Result<(), ServiceError> {
        // also one that a feed goes on with after a restart
        self.streams.take(&said.stream)?;
        match self.session.hear([said], None) {
            Err(ServiceError::Input(error)) if is_about_the_words(&error) => {
                notices.push(Notice::Warning(format!("{error}; skipped")));
                Ok(())
            }
            heard => heard.map(drop),
        }
    }

    /// Asks without waiting for the answer, which is an event; waits while too many are asked.
    fn ask(&mut self, asking: &AskRequest) -> Result<(), ServiceError> {
        self.answered(QUESTIONS_MAX - 1);
        loop {
            match self.session.start_to_ask_as_fed(asking.clone()) {
                Ok(pending) => {
                    self.asked.push_back(pending);
                    return Ok(());
                }
                // clients ask, too
                Err(ServiceError::Busy { .. }) if !self.stop.is_interrupted() => {
                    std::thread::sleep(ASK_AGAIN);
                }
                Err(error) => return Err(error),
            }
        }
    }

    /// Waits until at most `left` questions are not answered.
    fn answered(&mut self, left: usize) {
        while self.asked.len() > left && !self.stop.is_interrupted() {
            // a failure is an event, as an answer is
            let _ = self.asked.pop_front().map(PendingAnswer::wait);
        }
    }
}
