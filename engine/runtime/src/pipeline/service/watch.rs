//! What a display of a session follows: its events, what memory holds, and how it is doing.
//!
//! It reads snapshots and a subscription, so it never delays the session; what it missed is told.

use crate::pipeline::event::{Event, Progress};
use crate::pipeline::feed::FeedFigures;
use crate::pipeline::service::handle::SessionHandle;
use crate::pipeline::service::subscribers::Subscription;
use crate::time::now_and_here;
use crate::views;
use crossbeam_channel::RecvTimeoutError;
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};
use weir_api::{Outline, Pulse, Reply};
use weir_core::answer::QuestionTime;
use weir_core::session::Session;
use weir_core::stream::Utterance;
use weir_core::transcript::HeldTranscript;

/// Nodes of an outline, the latest.
pub const OUTLINE_NODES_MAX: usize = 400;
/// Characters of a node in an outline.
const TEXT_CHARS_MAX: usize = 200;
/// How often the outline and the pulse are looked at.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// Nobody waits longer for an utterance that is heard live: a replay is of another time.
const HEARD_AFTER_MS_MAX: u64 = 120_000;

/// A session that is watched.
pub struct Watch {
    session: SessionHandle,
    events: Subscription,
    /// Replies that wait to be read.
    ready: VecDeque<Reply>,
    next_look: Instant,
    seen: Option<Arc<Session>>,
    outline: Outline,
    figures: FeedFigures,
    heard_after_ms: Option<u64>,
    missed: u64,
}

/// What a session that nobody has open holds: its outline and its size.
#[must_use]
pub fn watched(session: &Session) -> [Reply; 2] {
    let pulse = Pulse {
        turns: session.stats().turns,
        memory: views::memory(&session.stats().memory),
        ..Pulse::default()
    };
    [Reply::Outline(in_short(session)), Reply::Pulse(pulse)]
}

/// The latest nodes, with the beginning of the words that memory holds itself.
fn in_short(session: &Session) -> Outline {
    let mut outline = views::outline(session, &HeldTranscript::default(), OUTLINE_NODES_MAX);
    for node in &mut outline.nodes {
        if let Some((end, _)) = node.text.char_indices().nth(TEXT_CHARS_MAX) {
            node.text.truncate(end);
        }
    }
    outline
}

impl SessionHandle {
    /// What happens from now on, with what memory holds and how the session is doing.
    #[must_use]
    pub fn watch(&self) -> Watch {
        Watch {
            events: self.subscribe(),
            session: self.clone(),
            ready: VecDeque::new(),
            next_look: Instant::now(),
            seen: None,
            outline: Outline::default(),
            figures: FeedFigures::default(),
            heard_after_ms: None,
            missed: 0,
        }
    }
}

impl Watch {
    /// The next reply to a client that watches. `Ok(None)` where nothing happens within about a
    /// second.
    ///
    /// # Errors
    /// The session was closed: there is nothing more.
    pub fn next_reply(&mut self) -> Result<Option<Reply>, Closed> {
        if let Some(reply) = self.ready.pop_front() {
            return Ok(Some(reply));
        }
        if Instant::now() >= self.next_look {
            self.next_look = Instant::now() + LOOK_EVERY;
            self.look();
        } else {
            match self.events.events().recv_deadline(self.next_look) {
                Ok(event) => self.happened(&event),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Err(Closed),
            }
        }
        Ok(self.ready.pop_front())
    }

    fn happened(&mut self, event: &Event) {
        match event {
            Event::Progress(Progress { figures, .. }) => self.figures = *figures,
            Event::Heard(said) => self.heard_after_ms = self.heard_after_ms(said),
            Event::Unanswered { why, .. } => self.ready.push_back(Reply::Unanswered(why.clone())),
            _ => {}
        }
        let wire = event.wire().into_iter();
        self.ready.extend(wire.map(|it| Reply::Event(Box::new(it))));
    }

    /// Milliseconds since the end of an utterance; `None` for one of another time.
    fn heard_after_ms(&self, said: &Utterance) -> Option<u64> {
        let now = now_and_here(QuestionTime::default()).unix_ms?;
        let session = self.session.session();
        let stream = session.open_stream(&said.stream)?;
        let end_ms = stream.base_ms + said.span.end_ms;
        let after = stream.session_ms(now)?.checked_sub(end_ms)?;
        (after <= HEARD_AFTER_MS_MAX).then_some(after)
    }

    /// Looks at the session: the outline if it changed, and the pulse.
    fn look(&mut self) {
        let missed = self.events.missed();
        if missed > self.missed {
            self.ready.push_back(Reply::Missed(missed - self.missed));
            self.missed = missed;
        }
        let session = self.session.session();
        if !self
            .seen
            .as_ref()
            .is_some_and(|seen| Arc::ptr_eq(seen, &session))
        {
            let outline = in_short(&session);
            if self.seen.is_none() || outline != self.outline {
                self.ready.push_back(Reply::Outline(outline.clone()));
                self.outline = outline;
            }
            self.seen = Some(Arc::clone(&session));
        }
        let stats = session.stats();
        self.ready.push_back(Reply::Pulse(Pulse {
            turns: stats.turns,
            memory: views::memory(&stats.memory),
            streams: session.streams().map(|it| it.name.clone()).collect(),
            audio_ms: self.figures.audio_ms,
            decoding_ms: self.figures.decoding_ms,
            behind_ms: self.session.behind_ms(),
            heard_after_ms: self.heard_after_ms,
        }));
    }
}

/// The session was closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Closed;
