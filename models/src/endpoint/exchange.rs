//! One request and its response, on its own thread.
//!
//! The caller takes parts of the response as they come, with its own time limits. Dropping the
//! exchange before its end closes the connection, which ends the thread.

use std::io::{ErrorKind, Read};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::Duration;

use ureq::http::Response;
use ureq::{Agent, Body, Timeout};

use super::agents::{Agents, LIMIT_MAX};
use super::key::Key;
use crate::net::retry_after;

/// Parts of a response that wait to be taken.
const PARTS_MAX: usize = 16;
/// Bytes of a part.
const PART_BYTES: usize = 8 << 10;

/// A request.
pub(super) struct Call {
    pub(super) url: String,
    /// Request body; `None` sends a GET.
    pub(super) body: Option<String>,
    pub(super) key: Key,
    pub(super) total_timeout: Duration,
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
    pub(super) length: Option<u64>,
    /// Whether the body is a stream of events.
    pub(super) is_stream: bool,
}

/// An event of an exchange.
#[derive(Debug)]
pub(super) enum Event {
    /// The head of the response; once, first.
    Head(Head),
    /// A part of the body.
    Bytes(Vec<u8>),
    /// The body ended normally; last.
    End,
    /// The body ended with an error; last.
    Failed(Fault),
}

/// Why an exchange failed.
#[derive(Debug)]
pub(super) enum Fault {
    Refused,
    Unreachable(String),
    NoConnectionInTime,
    TooLate,
    Broken(String),
    Protocol(String),
}

/// A running exchange.
pub(super) struct Exchange {
    agent: Agent,
    /// Where the agent is returned at the end.
    agents: Agents,
    events: Receiver<Event>,
    has_ended: bool,
}

impl Exchange {
    /// Sends `call` with one of `agents`; returns at once.
    pub(super) fn start(call: Call, agents: &Agents) -> Self {
        let agent = agents.take();
        let (sender, events) = sync_channel(PARTS_MAX);
        let for_thread = agent.clone();
        let unstarted = sender.clone();
        // The thread ends with the response, when the agent is shut down, or at the total time
        // limit.
        let thread = std::thread::Builder::new().name("weir-endpoint".to_owned());
        if let Err(error) = thread.spawn(move || run(&for_thread, &call, &sender)) {
            let fault = Fault::Broken(format!("no thread for it ({error})"));
            let _ = unstarted.try_send(Event::Failed(fault));
        }
        Self {
            agent,
            agents: agents.clone(),
            events,
            has_ended: false,
        }
    }

    /// The next event; `None` if none comes within `wait`.
    pub(super) fn next(&mut self, wait: Duration) -> Option<Event> {
        match self.events.recv_timeout(wait) {
            Ok(event) => {
                self.has_ended |= matches!(event, Event::End);
                Some(event)
            }
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => Some(Event::Failed(Fault::Broken(
                "the request failed".to_owned(),
            ))),
        }
    }
}

impl Drop for Exchange {
    fn drop(&mut self) {
        // clones share the connections and the shutdown
        let agent = self.agent.clone();
        match self.has_ended {
            true => self.agents.put(agent),
            false => agent.shutdown(),
        }
    }
}

/// Runs the exchange; a failed send means that the receiver is gone.
fn run(agent: &Agent, call: &Call, events: &SyncSender<Event>) {
    let response = match ask(agent, call) {
        Ok(response) => response,
        Err(error) => {
            let _ = events.send(Event::Failed(fault(error)));
            return;
        }
    };
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
            Err(error) => Event::Failed(fault(error.into())),
        };
        let is_last = !matches!(event, Event::Bytes(_));
        if events.send(event).is_err() || is_last {
            return;
        }
    }
}

fn ask(agent: &Agent, call: &Call) -> Result<Response<Body>, ureq::Error> {
    let limit = Some(call.total_timeout.min(LIMIT_MAX));
    match &call.body {
        Some(body) => {
            let post = agent.post(&call.url).config().timeout_global(limit);
            let mut post = post.build().header("content-type", "application/json");
            if let Some(header) = call.key.header() {
                post = post.header("authorization", header);
            }
            post.send(body)
        }
        None => {
            let get = agent.get(&call.url).config().timeout_global(limit);
            let mut get = get.build();
            if let Some(header) = call.key.header() {
                get = get.header("authorization", header);
            }
            get.call()
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

fn fault(error: ureq::Error) -> Fault {
    use ureq::Error;
    match error {
        Error::Timeout(Timeout::Resolve | Timeout::Connect) => Fault::NoConnectionInTime,
        Error::Timeout(_) => Fault::TooLate,
        Error::HostNotFound => Fault::Unreachable("no host of this name is known".to_owned()),
        Error::ConnectionFailed => Fault::Unreachable(error.to_string()),
        Error::Io(io) => match io.kind() {
            ErrorKind::ConnectionRefused => Fault::Refused,
            ErrorKind::AddrNotAvailable
            | ErrorKind::HostUnreachable
            | ErrorKind::NetworkDown
            | ErrorKind::NetworkUnreachable => Fault::Unreachable(io.to_string()),
            // rustls reports certificate errors and servers that speak plain HTTP this way
            ErrorKind::InvalidData => insecure(&io),
            _ => Fault::Broken(io.to_string()),
        },
        Error::Rustls(_) | Error::Tls(_) | Error::Pem(_) => insecure(&error),
        other => Fault::Protocol(other.to_string()),
    }
}

fn insecure(error: &dyn std::error::Error) -> Fault {
    Fault::Unreachable(format!(
        "no secure connection ({error}); an http:// address asks for none, and SSL_CERT_FILE names \
         the certificates of a network that has its own"
    ))
}
