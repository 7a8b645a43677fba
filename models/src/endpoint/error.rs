//! Why a server gave no reply: the address, the server's message, and advice.

use std::time::Duration;

use crate::GenerateError;

/// Why a server gave no reply.
///
/// Server messages are quoted in part, without control characters and without the key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EndpointError {
    /// The address is not valid.
    #[error(
        "endpoint `{given}`: {reason}; an address begins with http:// or https://, as in \
         http://localhost:8000/v1"
    )]
    Address {
        /// The address as given, without user information before an `@`.
        given: String,
        /// The reason.
        reason: String,
    },
    /// The key is not valid.
    #[error(
        "environment variable {variable} holds a key with spaces or invalid characters; \
         set it again"
    )]
    KeyUnusable {
        /// The variable.
        variable: String,
    },
    /// No server listens at the address.
    #[error("{url} refuses connections: is the server running?")]
    Refused {
        /// The requested URL.
        url: String,
    },
    /// The connection failed for another reason.
    #[error("{url} cannot be reached: {reason}; check the address and the network")]
    Unreachable {
        /// The requested URL.
        url: String,
        /// The system's error.
        reason: String,
    },
    /// A part of the response did not come in time.
    #[error(
        "{url} did not answer in time: {missing} did not come within {limit:?}; the server may be \
         busy or loading, or needs a longer limit"
    )]
    Timeout {
        /// The requested URL.
        url: String,
        /// The missing part.
        missing: &'static str,
        /// The time limit.
        limit: Duration,
    },
    /// The key is missing or was refused.
    #[error(
        "{url} refused {} (status {status}); environment variable {variable} holds it: {said}",
        if *is_set { "the key" } else { "to answer without a key" }
    )]
    Key {
        /// The requested URL.
        url: String,
        /// 401 or 403.
        status: u16,
        /// The environment variable of the key.
        variable: String,
        /// Whether a key was sent.
        is_set: bool,
        /// The server's message.
        said: String,
    },
    /// The server does not have the model.
    #[error(
        "{url} has no model `{model}`{}: name one that it has, or load it there",
        listed(names, said)
    )]
    ModelMissing {
        /// The requested URL.
        url: String,
        /// The model.
        model: String,
        /// The models it has, if it was asked for them.
        names: Vec<String>,
        /// The server's message.
        said: String,
    },
    /// The address is not an OpenAI-compatible API.
    #[error(
        "{url} returned status {status} ({said}): no OpenAI-compatible API there, or no model \
         `{model}`; an address looks like http://localhost:8000/v1"
    )]
    NotFound {
        /// The requested URL.
        url: String,
        /// 404 or 405.
        status: u16,
        /// The requested model.
        model: String,
        /// The server's message.
        said: String,
    },
    /// Prompt and reply together exceed the context.
    #[error(
        "{url} says that the request is longer than `{model}` reads (status {status}); ask with a \
         smaller context: {said}"
    )]
    ContextTooLong {
        /// The requested URL.
        url: String,
        /// The model.
        model: String,
        /// The HTTP status.
        status: u16,
        /// Tokens of the request, if the server gives them.
        found: Option<usize>,
        /// Tokens that fit, if the server gives them.
        limit: Option<usize>,
        /// The server's message.
        said: String,
    },
    /// Too many requests, or the server is still loading.
    #[error("{url} accepts no more requests now (status {status}); try later: {said}")]
    Busy {
        /// The requested URL.
        url: String,
        /// 429 or 503.
        status: u16,
        /// The server's message.
        said: String,
    },
    /// The server failed.
    #[error("{url} failed (status {status}); its log may tell why: {said}")]
    Server {
        /// The requested URL.
        url: String,
        /// The HTTP status.
        status: u16,
        /// The server's message.
        said: String,
    },
    /// The server refused the request for another reason.
    #[error("{url} refused the request (status {status}): {said}")]
    Rejected {
        /// The requested URL.
        url: String,
        /// The HTTP status.
        status: u16,
        /// The server's message.
        said: String,
    },
    /// The server redirects; redirects are not followed.
    #[error(
        "{url} redirects to {to} (status {status}); the key is not sent there; give that \
         address if it is right"
    )]
    Redirect {
        /// The requested URL.
        url: String,
        /// The HTTP status.
        status: u16,
        /// The target of the redirect.
        to: String,
    },
    /// The connection broke, or the reply was incomplete.
    #[error("{url} broke off the reply: {reason}; the server's log may tell why")]
    Broken {
        /// The requested URL.
        url: String,
        /// The reason.
        reason: String,
    },
    /// The response is malformed.
    #[error("{url} sent {reason}; is this an OpenAI-compatible API?")]
    Malformed {
        /// The requested URL.
        url: String,
        /// The malformed content.
        reason: String,
    },
    /// The response exceeds the limit.
    #[error("{url} sent more than {bytes_max} bytes, the limit of a reply; it was cut off")]
    TooLarge {
        /// The requested URL.
        url: String,
        /// The limit in bytes.
        bytes_max: usize,
    },
    /// The request is invalid.
    #[error("invalid request to {model}: {reason}")]
    Request {
        /// The model.
        model: String,
        /// The reason.
        reason: String,
    },
    /// The token limit was reached before the shape was complete.
    #[error("the reply of {model} was incomplete after {tokens} tokens; allow more")]
    Unfinished {
        /// The model.
        model: String,
        /// Tokens of the reply.
        tokens: usize,
    },
    /// The reply does not have the requested shape.
    #[error(
        "{model} replied in the wrong JSON shape: {reason}; use a server with structured output, \
         or a larger model; the reply: {said}"
    )]
    Misfit {
        /// The model.
        model: String,
        /// The mismatch and its position.
        reason: String,
        /// The reply.
        said: String,
    },
    /// The server's content filter withheld the reply.
    #[error("the content filter of {url} withheld the reply of {model}; rephrase the request")]
    Filtered {
        /// The requested URL.
        url: String,
        /// The model.
        model: String,
    },
    /// Every attempt failed.
    #[error("{last} ({attempts} attempts)")]
    GaveUp {
        /// Number of attempts.
        attempts: u32,
        /// The error of the last one.
        last: Box<EndpointError>,
    },
}

impl EndpointError {
    /// The error itself, or that of the last attempt.
    #[must_use]
    pub fn cause(&self) -> &Self {
        match self {
            Self::GaveUp { last, .. } => last.cause(),
            other => other,
        }
    }

    /// Converts to the error of the generator contract; `context_tokens` is the known limit.
    #[must_use]
    pub fn for_generator(self, model: &str, context_tokens: usize) -> GenerateError {
        let model = model.to_owned();
        match self.cause() {
            Self::ContextTooLong {
                found: Some(found),
                limit,
                ..
            } => GenerateError::ContextOverflow {
                model,
                found: *found,
                limit: limit.unwrap_or(context_tokens),
            },
            Self::ContextTooLong { .. } => GenerateError::Request {
                model,
                reason: self.to_string(),
            },
            Self::Request { reason, .. } => GenerateError::Request {
                model,
                reason: reason.clone(),
            },
            Self::Unfinished { tokens, .. } => GenerateError::Unfinished {
                model,
                tokens: *tokens,
            },
            _ => GenerateError::Failed {
                model,
                reason: self.to_string(),
            },
        }
    }
}

/// The list of a server's models for a message.
fn listed(names: &[String], said: &str) -> String {
    const SHOWN_MAX: usize = 12;
    let shown: Vec<&str> = names.iter().take(SHOWN_MAX).map(String::as_str).collect();
    match (names.len(), said.is_empty()) {
        (0, true) => String::new(),
        (0, false) => format!(" ({said})"),
        (count, _) if count > SHOWN_MAX => {
            format!(
                " (it has {} and {} more)",
                shown.join(", "),
                count - SHOWN_MAX
            )
        }
        _ => format!(" (it has {})", shown.join(", ")),
    }
}
