//! Waits for the parts of a response within time limits, while the listener may stop.

use std::time::{Duration, Instant};

use super::EndpointError;
use super::exchange::{Event, Exchange, Fault, Head};
use super::options::EndpointOptions;
use crate::Flow;

/// Interval at which the listener is asked whether to continue while nothing comes.
const TICK: Duration = Duration::from_millis(50);
/// How long to wait for the end of a response after its last words, so that the connection can be
/// reused. The end comes with the last words or just after them.
const SETTLE: Duration = Duration::from_millis(100);
/// How long to wait for a reply's trailer, or for the text of an error response.
const LINGER: Duration = Duration::from_secs(2);

/// The listener, and whether it was given text.
pub(super) struct Listener<'a> {
    on_piece: &'a mut dyn FnMut(&str) -> Flow,
    /// Whether it has text, so that no retry is allowed.
    pub(super) has_words: bool,
    pub(super) has_stopped: bool,
}

impl<'a> Listener<'a> {
    pub(super) fn new(on_piece: &'a mut dyn FnMut(&str) -> Flow) -> Self {
        Self {
            on_piece,
            has_words: false,
            has_stopped: false,
        }
    }

    /// Passes text on, perhaps empty; returns whether to continue.
    pub(super) fn give(&mut self, words: &str) -> bool {
        self.has_words |= !words.is_empty();
        if !self.has_stopped && (self.on_piece)(words) == Flow::Stop {
            self.has_stopped = true;
        }
        !self.has_stopped
    }

    /// Waits; returns whether to continue.
    pub(super) fn pause(&mut self, pause: Duration) -> bool {
        let until = Instant::now() + pause;
        while self.give("") {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return true;
            }
            std::thread::sleep(left.min(TICK));
        }
        false
    }
}

/// The part of a response that is waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Phase {
    /// A whole reply.
    Whole,
    /// The first words of a streamed reply.
    First,
    /// Further words.
    Between,
    /// The trailer after the last words, or the text of an error response.
    Trailer,
}

/// An exchange with its time limits.
pub(super) struct Listening<'a> {
    exchange: Exchange,
    options: &'a EndpointOptions,
    url: &'a str,
    started: Instant,
    /// Time of the last words.
    progressed: Instant,
}

impl<'a> Listening<'a> {
    pub(super) fn new(exchange: Exchange, options: &'a EndpointOptions, url: &'a str) -> Self {
        let started = Instant::now();
        Self {
            exchange,
            options,
            url,
            started,
            progressed: started,
        }
    }

    /// Restarts the limit after words were processed.
    pub(super) fn progress(&mut self) {
        self.progressed = Instant::now();
    }

    /// The next event; `None` if the listener stopped.
    pub(super) fn next(
        &mut self,
        phase: Phase,
        listener: &mut Listener<'_>,
    ) -> Result<Option<Event>, EndpointError> {
        loop {
            let left = match self.left(phase) {
                Ok(left) => left,
                Err(_) if phase == Phase::Trailer => return Ok(Some(Event::End)),
                Err(error) => return Err(error),
            };
            match self.exchange.next(left.min(TICK)) {
                Some(Event::Failed(fault)) => return Err(self.error(fault)),
                Some(event) => return Ok(Some(event)),
                None if !listener.give("") => return Ok(None),
                None => {}
            }
        }
    }

    /// The head of the response; `None` if the listener stopped.
    pub(super) fn head(
        &mut self,
        phase: Phase,
        listener: &mut Listener<'_>,
    ) -> Result<Option<Head>, EndpointError> {
        match self.next(phase, listener)? {
            Some(Event::Head(head)) => Ok(Some(head)),
            Some(_) => Err(EndpointError::Broken {
                url: self.url.to_owned(),
                reason: "nothing was answered".to_owned(),
            }),
            None => Ok(None),
        }
    }

    /// The body as text; `None` if the listener stopped. A reply of more than `bytes_max` is an
    /// error; an error response is truncated there, or where the connection breaks.
    pub(super) fn body(
        &mut self,
        phase: Phase,
        bytes_max: usize,
        listener: &mut Listener<'_>,
    ) -> Result<Option<String>, EndpointError> {
        let mut body = Vec::new();
        self.progress();
        loop {
            match self.next(phase, listener) {
                Ok(Some(Event::Bytes(_))) if !listener.give("") => return Ok(None),
                Ok(Some(Event::Bytes(part))) => body.extend_from_slice(&part),
                Ok(Some(_)) => break,
                Ok(None) => return Ok(None),
                Err(_) if phase == Phase::Trailer => break,
                Err(error) => return Err(error),
            }
            if body.len() > bytes_max {
                if phase == Phase::Trailer {
                    break;
                }
                return Err(EndpointError::TooLarge {
                    url: self.url.to_owned(),
                    bytes_max,
                });
            }
        }
        Ok(Some(String::from_utf8_lossy(&body).into_owned()))
    }

    /// Waits for the end of a response after all its words.
    pub(super) fn settle(&mut self) {
        let until = Instant::now() + SETTLE;
        loop {
            let left = until.saturating_duration_since(Instant::now());
            match self.exchange.next(left) {
                Some(Event::Bytes(_)) if !left.is_zero() => {}
                _ => return,
            }
        }
    }

    /// Time left in a phase, never zero.
    fn left(&self, phase: Phase) -> Result<Duration, EndpointError> {
        let total = (self.started, self.options.total_timeout, "the whole reply");
        let own = match phase {
            Phase::Whole => total,
            Phase::First => {
                let limit = self.options.first_piece_timeout;
                (self.started, limit, "the first words")
            }
            Phase::Between => {
                let limit = self.options.piece_timeout;
                (self.progressed, limit, "the next words")
            }
            Phase::Trailer => (self.progressed, LINGER, "the end"),
        };
        let mut least = Duration::MAX;
        for (since, limit, missing) in [own, total] {
            let left = limit.saturating_sub(since.elapsed());
            if left.is_zero() {
                return Err(EndpointError::Timeout {
                    url: self.url.to_owned(),
                    missing,
                    limit,
                });
            }
            least = least.min(left);
        }
        Ok(least)
    }

    fn error(&self, fault: Fault) -> EndpointError {
        let url = self.url.to_owned();
        match fault {
            Fault::Refused => EndpointError::Refused { url },
            Fault::Unreachable(reason) => EndpointError::Unreachable { url, reason },
            Fault::NoConnectionInTime => EndpointError::Timeout {
                url,
                missing: "a connection",
                limit: self.options.connect_timeout,
            },
            Fault::TooLate => EndpointError::Timeout {
                url,
                missing: "the whole reply",
                limit: self.options.total_timeout,
            },
            Fault::Broken(reason) => EndpointError::Broken { url, reason },
            Fault::Protocol(reason) => EndpointError::Malformed {
                url,
                reason: format!("what is not HTTP ({reason})"),
            },
        }
    }
}
