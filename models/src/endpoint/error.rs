//! Why a server gave no reply: the address, the server's message, and advice.

use std::time::Duration;

use crate::GenerateError;

/// Why a server gave no reply.
///
/// The message quotes the server in part, without control characters and without the key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct EndpointError {
    kind: EndpointErrorKind,
    message: String,
}

/// What a caller can do about an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum EndpointErrorKind {
    /// The address, or the key in its environment variable, is invalid.
    Options,
    /// The request is invalid; nothing was sent.
    Request,
    /// No server answers at the address.
    Unreachable,
    /// A part of the response did not come in time.
    Timeout,
    /// Too many requests, or the server is still loading.
    Busy,
    /// The server failed.
    Server,
    /// The connection broke, or the reply has no end.
    Broken,
    /// The key is missing or was refused.
    Key,
    /// The server does not have the model.
    ModelMissing,
    /// There is nothing at the address, or something else than this API.
    NotFound,
    /// Prompt and reply together exceed the context.
    ContextTooLong {
        /// Tokens of the request, if the server gives them.
        found: Option<usize>,
        /// Tokens that fit, if the server gives them.
        limit: Option<usize>,
    },
    /// The server refused the request for another reason.
    Rejected,
    /// The server redirects; redirects are not followed.
    Redirect,
    /// The response is malformed.
    Malformed,
    /// The response exceeds the limit.
    TooLarge,
    /// The token limit was reached before the shape was complete.
    Unfinished {
        /// Tokens of the reply.
        tokens: usize,
    },
    /// The reply does not have the requested shape.
    Misfit,
    /// The server's content filter withheld the reply.
    Filtered,
}

impl EndpointErrorKind {
    /// Whether another attempt may help.
    pub(super) fn may_pass(self) -> bool {
        use EndpointErrorKind::{Broken, Busy, Server, Timeout, Unreachable};
        matches!(self, Unreachable | Timeout | Busy | Server | Broken)
    }
}

impl EndpointError {
    pub(super) fn new(kind: EndpointErrorKind, message: String) -> Self {
        Self { kind, message }
    }

    /// What a caller can do about it.
    #[must_use]
    pub fn kind(&self) -> EndpointErrorKind {
        self.kind
    }

    /// The error after `attempts` attempts.
    pub(super) fn after(mut self, attempts: u32) -> Self {
        if attempts > 1 {
            self.message = format!("{} ({attempts} attempts)", self.message);
        }
        self
    }

    /// The error of the generator contract; `context_tokens` is the known limit.
    pub(super) fn for_generator(self, model: &str, context_tokens: usize) -> GenerateError {
        let (model, reason) = (model.to_owned(), self.message);
        match self.kind {
            EndpointErrorKind::ContextTooLong {
                found: Some(found),
                limit,
            } => GenerateError::ContextOverflow {
                model,
                found,
                limit: limit.unwrap_or(context_tokens),
            },
            EndpointErrorKind::ContextTooLong { .. } | EndpointErrorKind::Request => {
                GenerateError::Request { model, reason }
            }
            EndpointErrorKind::Unfinished { tokens } => GenerateError::Unfinished { model, tokens },
            _ => GenerateError::Failed { model, reason },
        }
    }
}

/// Why an attempt at a reply failed.
pub(super) struct Failure {
    pub(super) error: EndpointError,
    /// The status and the body with which the server refused, perhaps because of a field.
    pub(super) refusal: Option<(u16, String)>,
    /// The pause that the server asks for.
    pub(super) retry_after: Option<Duration>,
}

impl From<EndpointError> for Failure {
    fn from(error: EndpointError) -> Self {
        Self {
            error,
            refusal: None,
            retry_after: None,
        }
    }
}
