//! A client for one model of one server: sends requests, retries where useful, and reports errors.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use super::error::{EndpointError, EndpointErrorKind as Kind};
use super::exchange::{Agents, Exchange, Listener};
use super::options::{Address, CONTEXT_TOKENS_DEFAULT, EndpointOptions, Key};
use super::refusal::Target;
use super::reply::{self, Failure};
use super::request::ServerCapabilities;
use crate::{Ended, Flow, Generate, GenerateError, Generated, Request, Sampling};

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
    /// [`Kind::Options`]: the address or the key is invalid.
    pub fn new(options: EndpointOptions) -> Result<Self, EndpointError> {
        Ok(Self {
            address: Address::parse(&options.url)?,
            key: Key::from_env(&options.key_variable)?,
            agents: Agents::default(),
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
        self.address.chat.clone()
    }

    /// The server's address and the time limits.
    #[must_use]
    pub fn options(&self) -> &EndpointOptions {
        &self.options
    }

    /// The address of the list of models.
    pub(super) fn models_url(&self) -> &str {
        &self.address.models
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
    /// The error of the last attempt. A request is retried after a pause if no text was passed on
    /// yet and the error may be temporary: a refused or broken connection, a time-out, too many
    /// requests, a server error.
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
            let body = Some(sent.to_string());
            let mut exchange = self.start(&self.address.chat, body, &self.options);
            let failure = match reply::read(&mut exchange, request, streams, &mut listener) {
                Ok(reply) => {
                    if reply.ended != Ended::Stopped {
                        self.known().learn(capabilities);
                    }
                    return Ok(reply);
                }
                Err(failure) => failure,
            };
            drop(exchange);
            let Failure {
                error,
                refusal,
                retry_after,
                is_mute,
            } = failure;
            let may_be_a_field = matches!(error.kind(), Kind::Rejected | Kind::Server);
            if let Some((status, said)) = refusal
                && may_be_a_field
                && !listener.has_words
                && capabilities.leave_out(status, &said, &sent)
            {
                continue;
            }
            if is_mute && streams {
                // without a stream a server can report what was wrong
                streams = false;
                continue;
            }
            if listener.has_words || !error.kind().may_pass() {
                return Err(error);
            }
            if attempts >= self.options.attempts_max {
                return Err(error.after(attempts));
            }
            if !listener.pause(retry_after.unwrap_or(pause.min(PAUSE_MAX))) {
                return Ok(reply::nothing_said());
            }
            pause = pause.saturating_mul(2);
            attempts += 1;
        }
    }

    /// Starts a request; a GET if there is no body.
    pub(super) fn start<'a>(
        &'a self,
        url: &'a str,
        body: Option<String>,
        options: &'a EndpointOptions,
    ) -> Exchange<'a> {
        Exchange::start(self.target(url), body, &self.agents, options)
    }

    /// The target of a request, for error messages.
    pub(super) fn target<'a>(&'a self, url: &'a str) -> Target<'a> {
        Target {
            url,
            model: self.model(),
            key_variable: &self.options.key_variable,
            key: &self.key,
        }
    }

    fn known(&self) -> std::sync::MutexGuard<'_, ServerCapabilities> {
        let known = self.capabilities.lock();
        known.unwrap_or_else(PoisonError::into_inner)
    }

    fn check_request(&self, request: &Request) -> Result<(), EndpointError> {
        let reason = match request.sampling {
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
        let message = format!("invalid request to {}: {reason}", self.model());
        Err(EndpointError::new(Kind::Request, message))
    }
}

/// Generates text by requests to a model on a server.
///
/// The contract about pieces holds with one exception: a JSON reply comes as one piece at its end,
/// with empty ones before it. [`Generated::reused_tokens`] are the tokens that the server reports
/// as cached.
#[derive(Debug, Clone)]
pub struct EndpointGenerator {
    endpoint: Arc<Endpoint>,
    context_tokens: usize,
}

impl EndpointGenerator {
    /// A generator; checks that the server responds and has the model.
    ///
    /// # Errors
    /// Those of [`Endpoint::new`] and [`Endpoint::check`].
    pub fn open(options: EndpointOptions) -> Result<Self, EndpointError> {
        let endpoint = Endpoint::new(options)?;
        let context_tokens = endpoint.check()?.context_tokens;
        Ok(Self {
            endpoint: Arc::new(endpoint),
            context_tokens,
        })
    }

    /// A generator over a client; sends no request. The context comes from the options, else 4096
    /// tokens.
    #[must_use]
    pub fn new(endpoint: Arc<Endpoint>) -> Self {
        let context_tokens = endpoint.options.context_tokens;
        Self {
            endpoint,
            context_tokens: context_tokens.unwrap_or(CONTEXT_TOKENS_DEFAULT),
        }
    }
}

impl Generate for EndpointGenerator {
    fn name(&self) -> &str {
        self.endpoint.model()
    }

    fn context_tokens(&self) -> usize {
        self.context_tokens
    }

    fn generate(
        &mut self,
        request: &Request,
        on_piece: &mut dyn FnMut(&str) -> Flow,
    ) -> Result<Generated, GenerateError> {
        let reply = self.endpoint.ask(request, on_piece);
        reply.map_err(|error| error.for_generator(self.endpoint.model(), self.context_tokens))
    }
}
