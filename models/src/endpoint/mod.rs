//! A client for servers with OpenAI's API (`/v1/chat/completions`, `/v1/models`): llama.cpp, vLLM,
//! Ollama and others.
//!
//! Client crates (async-openai, genai) need an async runtime and a second HTTP stack; here is one
//! POST over the `ureq` that fetches weights too.
//!
//! A request runs on its own thread while the caller waits. So the listener can stop while the
//! server is silent, time limits always hold, and ending a reply closes its connection. Servers
//! accept different fields; a field that a server refuses is left out from then on.
//!
//! Invariants: the key is in no message and on no disk, and goes only to the configured host; no
//! buffer exceeds its bound, however much a server sends; no request is repeated after a piece of
//! its reply was passed on.

mod error;
mod exchange;
mod options;
mod refusal;
mod reply;
mod request;
mod response;
#[cfg(test)]
mod tests;

pub use error::EndpointError;
pub use options::EndpointOptions;

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use ureq::Agent;

use crate::{Ended, Flow, Generate, GenerateError, Generated, Request};
use error::Kind;
use exchange::{Listener, attempt, nothing_said};
use options::Server;
use request::Accepted;
use response::list;

/// Least time limit of the check that a server responds.
pub const CHECK_TIME: Duration = Duration::from_secs(10);

/// Context in tokens if neither the server nor its training gives a smaller one.
const CONTEXT_TOKENS: usize = 4096;
/// Longest pause reached by doubling.
const PAUSE_MAX: Duration = Duration::from_secs(60);
/// Most models read from a list.
const MODELS_MAX: usize = 10_000;
/// Names of models that a message shows.
const SHOWN_MAX: usize = 12;
/// Where servers give the context: vLLM; llama.cpp; and hosted services.
const CONTEXTS: [&str; 5] = [
    "/max_model_len", "/meta/n_ctx", "/n_ctx", "/context_length", "/context_window",
];

/// Generates text by requests to a model on a server.
///
/// The contract about pieces holds with one exception: a JSON reply, and any reply of a server that
/// does not stream, comes as one piece at its end, with empty ones twenty times a second before it.
/// [`Generated::reused_tokens`] are the tokens that the server reports as cached; token counts that
/// it does not report are those of the pieces.
#[derive(Debug)]
pub struct EndpointGenerator {
    options: EndpointOptions,
    server: Arc<Server>,
    accepted: Accepted,
    context_tokens: usize,
    /// An agent with an open connection.
    idle: Option<Agent>,
}

impl EndpointGenerator {
    /// A generator; checks by one GET of `/v1/models`, without retries, that the server responds
    /// and has the model. A server without a list of models is not an error.
    ///
    /// # Errors
    /// The address is invalid, the model is missing (the names of the server's models are told), or
    /// the error of the request.
    pub fn open(options: EndpointOptions) -> Result<Self, EndpointError> {
        let mut generator = Self::new(options)?;
        generator.context_tokens = generator.check()?;
        Ok(generator)
    }

    /// The same without the check.
    fn new(options: EndpointOptions) -> Result<Self, EndpointError> {
        Ok(Self {
            server: Arc::new(Server::new(&options)?),
            accepted: Accepted::default(),
            context_tokens: CONTEXT_TOKENS,
            idle: None,
            options,
        })
    }

    /// Checks that the server has the model, and returns the tokens of prompt and reply that fit.
    fn check(&self) -> Result<usize, EndpointError> {
        let server = &self.server;
        let limit = self.options.total_timeout.max(CHECK_TIME);
        let list = match list(server, limit) {
            // the page of a web site is no server without a list
            Err(error) if error.kind == Kind::NotFound => {
                return match error.to_string().contains("a web page") {
                    true => Err(error),
                    false => Ok(CONTEXT_TOKENS),
                };
            }
            list => list?,
        };
        let (body, list) = (&list, server.json(&list)?);
        let models: Vec<(&str, Option<usize>)> = match &list["data"] {
            Value::Array(data) => data.iter().take(MODELS_MAX).filter_map(served).collect(),
            // an Ollama without models
            Value::Null if list["object"] == "list" => Vec::new(),
            _ => {
                let said = server.quoted(body);
                return Err(server.malformed(format!("no list of models: {said}")));
            }
        };
        let latest = format!("{}:latest", server.model);
        let is_it = |name: &str| name == server.model || name == latest;
        if let Some((_, tokens)) = models.iter().find(|(name, _)| is_it(name)) {
            return Ok(tokens.unwrap_or(CONTEXT_TOKENS));
        }
        let shown = models.iter().take(SHOWN_MAX);
        let shown: Vec<String> = shown.map(|(name, _)| server.quoted(name)).collect();
        let shown = shown.join(", ");
        Err(server.model_missing(&match models.len() {
            0 => "it has none at all".to_owned(),
            count if count > SHOWN_MAX => format!("it has {shown} and {} more", count - SHOWN_MAX),
            _ => format!("it has {shown}"),
        }))
    }

    /// The reply to `request`.
    ///
    /// A request is sent again after a pause if no text was passed on yet and the error may be
    /// temporary: a refused or broken connection, a time-out, too many requests, a server error. It
    /// is sent again at once without a field that the server refuses.
    fn ask(
        &mut self,
        request: &Request,
        on_piece: &mut dyn FnMut(&str) -> Flow,
    ) -> Result<Generated, EndpointError> {
        if request.messages.is_empty() || request.tokens_max == 0 {
            let what = "it needs a message, and room for a reply of at least one token";
            let message = format!("invalid request to {}: {what}", self.server.model);
            return Err(Kind::Request.error(message));
        }
        let server = &self.server;
        let mut listener = Listener::new(on_piece);
        let mut accepted = self.accepted;
        let (mut attempts, mut pause, mut streams) = (1, self.options.pause, true);
        loop {
            let sent = accepted.body(&server.model, request, streams);
            let (options, idle) = (&self.options, &mut self.idle);
            let failure = match attempt(server, options, idle, request, &sent, &mut listener) {
                Ok(reply) => {
                    if reply.ended != Ended::Stopped {
                        self.accepted = accepted;
                    }
                    return Ok(reply);
                }
                Err(failure) => failure,
            };
            let (error, refusal) = (failure.error, failure.refusal);
            if listener.has_words {
                return Err(error);
            }
            if refusal.is_some_and(|(status, said)| accepted.leave_out(status, &said, &sent)) {
                continue;
            }
            if !error.kind.may_pass() {
                return Err(error);
            }
            if attempts >= options.attempts_max {
                return Err(error.after(attempts));
            }
            let asked = failure.retry_after.unwrap_or(pause.min(PAUSE_MAX));
            if listener.pause(asked) == Flow::Stop {
                return Ok(nothing_said());
            }
            // without a stream a server can report what was wrong
            streams &= error.kind != Kind::Broken;
            pause = pause.saturating_mul(2);
            attempts += 1;
        }
    }
}

impl Generate for EndpointGenerator {
    fn name(&self) -> &str {
        &self.server.model
    }

    fn context_tokens(&self) -> usize {
        self.context_tokens
    }

    fn generate(
        &mut self,
        request: &Request,
        on_piece: &mut dyn FnMut(&str) -> Flow,
    ) -> Result<Generated, GenerateError> {
        let reply = self.ask(request, on_piece);
        reply.map_err(|error| error.for_generator(&self.server.model, self.context_tokens))
    }
}

/// A model as servers describe it: its name, and the tokens that fit if the server gives them.
fn served(model: &Value) -> Option<(&str, Option<usize>)> {
    let name = model["id"].as_str()?;
    let number = |at: &str| {
        let number = model.pointer(at).and_then(Value::as_u64)?;
        usize::try_from(number).ok().filter(|number| *number > 0)
    };
    let told = CONTEXTS.iter().find_map(|at| number(at));
    // the training context may be larger than the server allows
    let trained = number("/meta/n_ctx_train").map(|n| n.min(CONTEXT_TOKENS));
    let is_name = !name.contains(|c: char| c.is_control());
    is_name.then(|| (name, told.or(trained)))
}
