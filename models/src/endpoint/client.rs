//! A client for one model of one server: sends requests, retries where useful, and reports errors.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use super::EndpointError;
use super::address::Address;
use super::agents::Agents;
use super::attempt::{Attempt, Failure, nothing_said};
use super::capabilities::ServerCapabilities;
use super::exchange::{Call, Exchange};
use super::key::Key;
use super::options::EndpointOptions;
use super::refusal::Asked;
use super::timeouts::Listener;
use crate::{Ended, Flow, Generated, Request, Sampling};

/// Longest pause reached by doubling.
const PAUSE_MAX: Duration = Duration::from_secs(60);

/// A client for one model of one server; threads may share it.
#[derive(Debug)]
pub struct Endpoint {
    options: EndpointOptions,
    address: Address,
    key: Key,
    agents: Agents,
    /// Fields that the server has refused.
    capabilities: Mutex<ServerCapabilities>,
}

impl Endpoint {
    /// A client; sends no request yet.
    ///
    /// # Errors
    /// [`EndpointError::Address`] and [`EndpointError::KeyUnusable`].
    pub fn new(options: EndpointOptions) -> Result<Self, EndpointError> {
        let address = Address::parse(&options.url)?;
        Ok(Self {
            agents: Agents::new(address.chat(), &options),
            address,
            key: Key::from_env(&options.key_variable)?,
            capabilities: Mutex::default(),
            options,
        })
    }

    /// The same client with another key.
    #[cfg(test)]
    pub(super) fn with_key(mut self, key: &str) -> Self {
        self.key = Key::new(key).expect("a header can carry it");
        self
    }

    /// Name of the model.
    #[must_use]
    pub fn model(&self) -> &str {
        &self.options.model
    }

    /// Where requests go: `http://host:port/v1/chat/completions`.
    #[must_use]
    pub fn url(&self) -> String {
        self.address.chat()
    }

    /// The server's address and the time limits.
    #[must_use]
    pub fn options(&self) -> &EndpointOptions {
        &self.options
    }

    /// The address of the list of models.
    pub(super) fn models_url(&self) -> String {
        self.address.models()
    }

    /// The reply to `request`.
    ///
    /// `on_piece` gets each piece as it comes, and an empty one twenty times a second in between;
    /// [`Flow::Stop`] closes the connection and ends the reply with the text so far. JSON is passed
    /// on whole, after its shape was checked. Reasoning (`<think>...</think>`) and white space
    /// before the first word are left out; reasoning without its opening tag is recognised only in
    /// a reply that is not streamed, or in JSON. Token counts come from the server; without them,
    /// the reply's pieces are counted.
    ///
    /// # Errors
    /// The error of the last attempt, or [`EndpointError::GaveUp`] after several attempts. A
    /// request is retried after a pause if no text was passed on yet and the error may be
    /// temporary: a refused or broken connection, a time-out, too many requests, a server error.
    pub fn ask(
        &self,
        request: &Request,
        on_piece: &mut dyn FnMut(&str) -> Flow,
    ) -> Result<Generated, EndpointError> {
        self.check_request(request)?;
        let mut listener = Listener::new(on_piece);
        let mut capabilities = *self.known();
        let mut streams = self.options.streams;
        let mut pause = self.options.pause;
        let mut attempts = 1;
        loop {
            let sent = capabilities.body(self.model(), request, streams);
            let (error, retry_after) = match self.attempt(request, &sent, streams, &mut listener) {
                Ok(reply) => {
                    if reply.ended != Ended::Stopped {
                        self.known().learn(capabilities);
                    }
                    return Ok(reply);
                }
                Err(Failure::Unexplained(_)) if streams => {
                    // without a stream a server can report what was wrong
                    streams = false;
                    continue;
                }
                Err(Failure::Error(error) | Failure::Unexplained(error)) => (error, None),
                Err(Failure::Refusal {
                    status,
                    said,
                    retry_after,
                }) => {
                    let error = self.asked(&self.url()).refusal(status, &said);
                    let may_be_a_field = !listener.has_words && !is_settled(&error);
                    if may_be_a_field && capabilities.leave_out(status, &said, &sent) {
                        continue;
                    }
                    (error, retry_after)
                }
            };
            if listener.has_words || !may_pass(&error) {
                return Err(error);
            }
            if attempts >= self.options.attempts_max {
                return Err(gave_up(attempts, error));
            }
            if !listener.pause(retry_after.unwrap_or(pause.min(PAUSE_MAX))) {
                return Ok(nothing_said());
            }
            pause = pause.saturating_mul(2);
            attempts += 1;
        }
    }

    fn attempt(
        &self,
        request: &Request,
        sent: &serde_json::Value,
        streams: bool,
        listener: &mut Listener<'_>,
    ) -> Result<Generated, Failure> {
        let url = self.url();
        let attempt = Attempt {
            request,
            options: &self.options,
            asked: self.asked(&url),
        };
        let exchange = self.start(&url, Some(sent.to_string()));
        attempt.run(exchange, streams, listener)
    }

    /// Starts a request; a GET if there is no body.
    pub(super) fn start(&self, url: &str, body: Option<String>) -> Exchange {
        let call = Call {
            url: url.to_owned(),
            body,
            key: self.key.clone(),
            total_timeout: self.options.total_timeout,
        };
        Exchange::start(call, &self.agents)
    }

    /// The target of the request, for error messages.
    pub(super) fn asked<'a>(&'a self, url: &'a str) -> Asked<'a> {
        Asked {
            url,
            model: self.model(),
            key_variable: &self.options.key_variable,
            key: &self.key,
        }
    }

    fn known(&self) -> std::sync::MutexGuard<'_, ServerCapabilities> {
        self.capabilities
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    fn check_request(&self, request: &Request) -> Result<(), EndpointError> {
        let wrong = match request.sampling {
            _ if request.messages.is_empty() => "it has no messages",
            _ if request.tokens_max == 0 => "a reply of 0 tokens",
            Sampling::Random { temperature, .. }
                if !(temperature > 0.0 && temperature <= 100.0) =>
            {
                "a temperature is above 0 and at most 100"
            }
            Sampling::Random { top_p, .. } if !(top_p > 0.0 && top_p <= 1.0) => {
                "top_p is above 0 and at most 1"
            }
            _ => return Ok(()),
        };
        Err(EndpointError::Request {
            model: self.model().to_owned(),
            reason: wrong.to_owned(),
        })
    }
}

/// Whether an error is certainly not about a field that can be left out.
fn is_settled(error: &EndpointError) -> bool {
    !matches!(
        error,
        EndpointError::Rejected { .. } | EndpointError::Server { .. }
    )
}

/// Whether the error may be temporary.
fn may_pass(error: &EndpointError) -> bool {
    match error {
        EndpointError::Refused { .. }
        | EndpointError::Unreachable { .. }
        | EndpointError::Timeout { .. }
        | EndpointError::Busy { .. }
        | EndpointError::Broken { .. } => true,
        EndpointError::Server { status, .. } => *status != 501,
        EndpointError::Rejected { status, .. } => *status == 408,
        _ => false,
    }
}

fn gave_up(attempts: u32, last: EndpointError) -> EndpointError {
    match attempts {
        0 | 1 => last,
        attempts => EndpointError::GaveUp {
            attempts,
            last: Box::new(last),
        },
    }
}
