//! One attempt at a reply: a thread sends the request and reads the response, while the caller
//! passes the words on, keeps the time limits, and asks the listener whether to continue.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::{Duration, Instant};

use serde_json::Value;
use ureq::Agent;

use super::error::{EndpointError, Failure};
use super::options::{EndpointOptions, Server};
use super::reply::{Event, Reply};
use super::response::agent;
use crate::{Ended, Flow, Generated, Request};

/// How long the end of a response is waited for after its last words: token counts come in a
/// trailer, and a connection that ended can be used again.
const LINGER: Duration = Duration::from_secs(1);
/// Events that wait to be taken.
const EVENTS_MAX: usize = 16;
/// Interval at which the listener is asked whether to continue while nothing comes.
const TICK: Duration = Duration::from_millis(50);

/// The listener, and whether it was given text.
pub(super) struct Listener<'a> {
    on_piece: &'a mut dyn FnMut(&str) -> Flow,
    /// Whether it has text, so that no retry is allowed.
    pub(super) has_words: bool,
}

impl<'a> Listener<'a> {
    pub(super) fn new(on_piece: &'a mut dyn FnMut(&str) -> Flow) -> Self {
        Self {
            on_piece,
            has_words: false,
        }
    }

    /// Passes text on, perhaps empty.
    fn give(&mut self, words: &str) -> Flow {
        self.has_words |= !words.is_empty();
        (self.on_piece)(words)
    }

    /// Waits, unless the listener stops.
    pub(super) fn pause(&mut self, pause: Duration) -> Flow {
        let since = Instant::now();
        while self.give("") == Flow::On {
            let left = pause.saturating_sub(since.elapsed());
            if left.is_zero() {
                return Flow::On;
            }
            std::thread::sleep(left.min(TICK));
        }
        Flow::Stop
    }
}

/// What is waited for, and how long.
#[derive(Clone, Copy)]
struct Wait {
    missing: &'static str,
    limit: Duration,
    since: Instant,
}

impl Wait {
    fn new(missing: &'static str, limit: Duration) -> Self {
        Self {
            missing,
            limit,
            since: Instant::now(),
        }
    }

    fn left(&self) -> Duration {
        self.limit.saturating_sub(self.since.elapsed())
    }
}

/// One attempt at the reply to `request`, which is sent as `sent`. `idle` is an agent with an open
/// connection: it serves one attempt at a time, because an attempt is ended by shutting it down.
pub(super) fn attempt(
    server: &Arc<Server>,
    options: &EndpointOptions,
    idle: &mut Option<Agent>,
    request: &Request,
    sent: &Value,
    listener: &mut Listener<'_>,
) -> Result<Generated, Failure> {
    let agent = idle.take().unwrap_or_else(|| agent(server, None));
    let events = start(server, options, &agent, request, sent)?;
    let total = Wait::new("the whole reply", options.total_timeout);
    let mut wait = total;
    let (mut said, mut kept) = (nothing_said(), None);
    let ended = loop {
        let left = wait.left().min(total.left());
        if left.is_zero() {
            let late = if wait.left().is_zero() { wait } else { total };
            break Err(server.late(late.missing, late.limit).into());
        }
        let flow = match events.recv_timeout(left.min(TICK)) {
            Ok(Event::Piece(words)) => {
                wait = Wait::new("the next words", options.piece_timeout);
                said.text.push_str(&words);
                said.reply_tokens += 1;
                listener.give(&words)
            }
            Ok(Event::Reply(reply, last)) => {
                wait = Wait::new("the end", LINGER);
                kept = Some(reply);
                listener.give(&last);
                Flow::On
            }
            Ok(Event::End(Ok(()))) => {
                *idle = Some(agent.clone());
                break Err(server.broken("its reply has no end").into());
            }
            Ok(Event::End(Err(failure))) => break Err(failure),
            Err(RecvTimeoutError::Timeout) if kept.is_some() => Flow::On,
            Err(RecvTimeoutError::Timeout) => listener.give(""),
            Err(RecvTimeoutError::Disconnected) => {
                break Err(server.broken("the request failed").into());
            }
        };
        if flow == Flow::Stop {
            break Ok(said);
        }
    };
    if idle.is_none() {
        agent.shutdown();
    }
    // after a whole reply nothing else matters
    kept.map_or(ended, Ok)
}

/// Starts the thread, which ends with the response, or when the agent is shut down.
fn start(
    server: &Arc<Server>,
    options: &EndpointOptions,
    agent: &Agent,
    request: &Request,
    sent: &Value,
) -> Result<Receiver<Event>, EndpointError> {
    let (sender, events) = sync_channel(EVENTS_MAX);
    let reply = Reply::new(Arc::clone(server), request.shape.clone(), sender);
    let (agent, body, limit) = (agent.clone(), sent.to_string(), options.total_timeout);
    let thread = std::thread::Builder::new().name("weir-endpoint".to_owned());
    match thread.spawn(move || reply.read(&agent, &body, limit)) {
        Ok(_) => Ok(events),
        Err(error) => Err(server.broken(&format!("no thread for it ({error})"))),
    }
}

/// A reply that the listener ended before it began.
pub(super) fn nothing_said() -> Generated {
    Generated {
        text: String::new(),
        prompt_tokens: 0,
        reused_tokens: 0,
        reply_tokens: 0,
        ended: Ended::Stopped,
    }
}
