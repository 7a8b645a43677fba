//! One request and its response, on its own thread; the caller takes the parts as they come, within
//! the time limits, while the listener may stop.
//!
//! Dropping an exchange before its end closes the connection, which ends the thread.

use std::io::{ErrorKind, Read};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use ureq::http::Response;
use ureq::{Agent, Body};

use super::error::{EndpointError, EndpointErrorKind as Kind};
use super::options::EndpointOptions;
use super::refusal::Target;
use crate::Flow;
use crate::net::{Fault, config_for, retry_after};

/// Parts of a response that wait to be taken.
const PARTS_MAX: usize = 16;
/// Bytes of a part.
const PART_BYTES: usize = 8 << 10;
/// Interval at which the listener is asked whether to continue while nothing comes.
const TICK: Duration = Duration::from_millis(50);
/// How long to wait for the end of a response after its last words, so that the connection can be
/// reused. The end comes with the last words or just after them.
const SETTLE: Duration = Duration::from_millis(100);
/// How long to wait for a reply's trailer, or for the text of an error response.
const LINGER: Duration = Duration::from_secs(2);
/// Most idle connections: the usual number of threads that ask at once.
const IDLE_MAX: usize = 4;
/// How long a connection may stay idle. Networks silently drop idle connections after some minutes.
const IDLE_AGE_MAX: Duration = Duration::from_secs(60);
/// Longest time to connect; more would overflow clocks.
const CONNECT_MAX: Duration = Duration::from_secs(24 * 60 * 60);

/// Idle agents, each with an open connection. An agent serves one exchange at a time, because an
/// exchange is ended by shutting its agent down.
#[derive(Debug, Default)]
pub(super) struct Agents(Mutex<Vec<Agent>>);

impl Agents {
    fn take(&self, url: &str, options: &EndpointOptions) -> Agent {
        let idle = self.0.lock().unwrap_or_else(PoisonError::into_inner).pop();
        idle.unwrap_or_else(|| {
            let limit = Some(options.connect_timeout.min(CONNECT_MAX));
            let config = config_for(url)
                .timeout_resolve(limit)
                .timeout_connect(limit);
            let config = config.max_idle_connections(1).max_idle_age(IDLE_AGE_MAX);
            config.build().into()
        })
    }

    fn put(&self, agent: Agent) {
        let mut idle = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if idle.len() < IDLE_MAX {
            idle.push(agent);
        }
    }
}

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
        self.has_stopped = self.has_stopped || (self.on_piece)(words) == Flow::Stop;
        !self.has_stopped
    }

    /// Waits; returns whether to continue.
    pub(super) fn pause(&mut self, pause: Duration) -> bool {
        let since = Instant::now();
        while self.give("") {
            let left = pause.saturating_sub(since.elapsed());
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

/// The head of a response.
#[derive(Debug)]
pub(super) struct Head {
    pub(super) status: u16,
    /// Pause that the server asks for.
    pub(super) retry_after: Option<Duration>,
    /// Target of a redirect.
    pub(super) location: Option<String>,
    /// Length of the body in bytes, if stated.
    pub(super) length: Option<usize>,
    /// Whether the body is a stream of events.
    pub(super) is_stream: bool,
}

/// What comes from the thread.
enum Event {
    /// The head of the response; once, first.
    Head(Head),
    /// A part of the body.
    Bytes(Vec<u8>),
    /// The body ended normally; last.
    End,
    /// The exchange failed; last.
    Failed(Fault),
}

/// A running exchange.
pub(super) struct Exchange<'a> {
    agent: Agent,
    /// Where the agent is returned at the end.
    agents: &'a Agents,
    pub(super) target: Target<'a>,
    options: &'a EndpointOptions,
    events: Receiver<Event>,
    started: Instant,
    /// Time of the last words.
    progressed: Instant,
    has_ended: bool,
}

impl<'a> Exchange<'a> {
    /// Sends a request, a GET if there is no body, and returns at once.
    pub(super) fn start(
        target: Target<'a>,
        body: Option<String>,
        agents: &'a Agents,
        options: &'a EndpointOptions,
    ) -> Self {
        let agent = agents.take(target.url, options);
        let (sender, events) = sync_channel(PARTS_MAX);
        let (url, key) = (target.url.to_owned(), target.key.header());
        let (for_thread, unstarted) = (agent.clone(), sender.clone());
        // the thread ends with the response, or when the agent is shut down
        let thread = std::thread::Builder::new().name("weir-endpoint".to_owned());
        let run = move || {
            let sent = send(&for_thread, &url, body, key);
            sent.map_or_else(
                |error| drop(sender.send(Event::Failed(error.into()))),
                |response| pass_on(response, &sender),
            );
        };
        if let Err(error) = thread.spawn(run) {
            let fault = Fault::Broken(format!("no thread for it ({error})"));
            let _ = unstarted.try_send(Event::Failed(fault));
        }
        let started = Instant::now();
        Self {
            agent,
            agents,
            target,
            options,
            events,
            started,
            progressed: started,
            has_ended: false,
        }
    }

    /// Restarts the limit after words were processed.
    pub(super) fn progress(&mut self) {
        self.progressed = Instant::now();
    }

    /// The head of the response; `None` if the listener stopped.
    pub(super) fn head(
        &mut self,
        phase: Phase,
        listener: &mut Listener<'_>,
    ) -> Result<Option<Head>, EndpointError> {
        Ok(match self.next(phase, listener)? {
            Some(Event::Head(head)) => Some(head),
            _ => None,
        })
    }

    /// The next part of the body, empty at its end; `None` if the listener stopped.
    pub(super) fn part(
        &mut self,
        phase: Phase,
        listener: &mut Listener<'_>,
    ) -> Result<Option<Vec<u8>>, EndpointError> {
        Ok(match self.next(phase, listener)? {
            Some(Event::Bytes(bytes)) => listener.give("").then_some(bytes),
            Some(_) => Some(Vec::new()),
            None => None,
        })
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
        while body.len() <= bytes_max {
            match self.part(phase, listener) {
                Ok(Some(part)) if part.is_empty() => break,
                Ok(Some(part)) => body.extend_from_slice(&part),
                Ok(None) => return Ok(None),
                Err(_) if phase == Phase::Trailer => break,
                Err(error) => return Err(error),
            }
        }
        if body.len() > bytes_max && phase != Phase::Trailer {
            return Err(self.target.too_large(bytes_max));
        }
        Ok(Some(String::from_utf8_lossy(&body).into_owned()))
    }

    /// Waits for the end of a response after all its words.
    pub(super) fn settle(&mut self) {
        for _ in 0..PARTS_MAX {
            match self.events.recv_timeout(SETTLE) {
                Ok(Event::Bytes(_)) => {}
                event => {
                    self.has_ended = matches!(event, Ok(Event::End));
                    return;
                }
            }
        }
    }

    /// The next event; `None` if the listener stopped.
    fn next(
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
            match self.events.recv_timeout(left.min(TICK)) {
                Ok(Event::Failed(fault)) => return Err(self.error(fault)),
                Ok(event) => {
                    self.has_ended |= matches!(event, Event::End);
                    return Ok(Some(event));
                }
                Err(RecvTimeoutError::Timeout) if !listener.give("") => return Ok(None),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(self.error(Fault::Broken("the request failed".to_owned())));
                }
            }
        }
    }

    /// Time left in a phase, never zero.
    fn left(&self, phase: Phase) -> Result<Duration, EndpointError> {
        let total = (self.started, self.options.total_timeout, "the whole reply");
        let own = match phase {
            Phase::Whole => total,
            Phase::First => (
                self.started,
                self.options.first_piece_timeout,
                "the first words",
            ),
            Phase::Between => (
                self.progressed,
                self.options.piece_timeout,
                "the next words",
            ),
            Phase::Trailer => (self.progressed, LINGER, "the end"),
        };
        let mut least = Duration::MAX;
        for (since, limit, missing) in [own, total] {
            let left = limit.saturating_sub(since.elapsed());
            if left.is_zero() {
                return Err(self.late(missing, limit));
            }
            least = least.min(left);
        }
        Ok(least)
    }

    fn late(&self, missing: &str, limit: Duration) -> EndpointError {
        let what = format!(
            "did not answer in time: {missing} did not come within {limit:?}; the server may be \
             busy or loading, or needs a longer limit"
        );
        self.target.error(Kind::Timeout, what)
    }

    fn error(&self, fault: Fault) -> EndpointError {
        let target = &self.target;
        match fault {
            Fault::Refused => {
                let what = "refuses connections: is the server running?";
                target.error(Kind::Unreachable, what)
            }
            Fault::Unreachable(reason) => {
                let what =
                    format!("cannot be reached: {reason}; check the address and the network");
                target.error(Kind::Unreachable, what)
            }
            Fault::NoConnection => self.late("a connection", self.options.connect_timeout),
            Fault::Silent => self.late("the whole reply", self.options.total_timeout),
            Fault::Broken(reason) => broken(target, &reason),
            Fault::Protocol(reason) => target.malformed(format!("what is not HTTP ({reason})")),
        }
    }
}

impl Drop for Exchange<'_> {
    fn drop(&mut self) {
        // clones share the connections and the shutdown
        let agent = self.agent.clone();
        match self.has_ended {
            true => self.agents.put(agent),
            false => agent.shutdown(),
        }
    }
}

/// The error for a reply without an end.
pub(super) fn broken(target: &Target<'_>, reason: &str) -> EndpointError {
    let what = format!("broke off the reply: {reason}; the server's log may tell why");
    target.error(Kind::Broken, what)
}

fn send(
    agent: &Agent,
    url: &str,
    body: Option<String>,
    key: Option<String>,
) -> Result<Response<Body>, ureq::Error> {
    let Some(body) = body else {
        let get = agent.get(url);
        return match key {
            Some(key) => get.header("authorization", key).call(),
            None => get.call(),
        };
    };
    let post = agent.post(url).header("content-type", "application/json");
    match key {
        Some(key) => post.header("authorization", key).send(body),
        None => post.send(body),
    }
}

/// Passes a response on; a failed send means that the receiver is gone.
fn pass_on(response: Response<Body>, events: &SyncSender<Event>) {
    if events.send(Event::Head(head(&response))).is_err() {
        return;
    }
    let mut body = response.into_body().into_reader();
    loop {
        let mut part = vec![0; PART_BYTES];
        let event = match body.read(&mut part) {
            Ok(0) => Event::End,
            Ok(count) => {
                part.truncate(count);
                Event::Bytes(part)
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(error) => Event::Failed(ureq::Error::from(error).into()),
        };
        let is_last = !matches!(event, Event::Bytes(_));
        if events.send(event).is_err() || is_last {
            return;
        }
    }
}

fn head(response: &Response<Body>) -> Head {
    let header = |name: &str| {
        let value = response.headers().get(name)?;
        value.to_str().ok().map(str::trim)
    };
    let kind = header("content-type").unwrap_or_default();
    Head {
        status: response.status().as_u16(),
        retry_after: retry_after(response.headers()),
        location: header("location").map(str::to_owned),
        length: header("content-length").and_then(|text| text.parse().ok()),
        is_stream: kind.to_ascii_lowercase().starts_with("text/event-stream"),
    }
}
