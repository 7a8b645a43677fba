//! Why a server gave no reply: the address, the server's message, and advice.

use std::time::Duration;

use crate::GenerateError;

/// Why a server gave no reply.
///
/// The message quotes the server in part, without control characters and without the key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct EndpointError {
    pub(super) kind: Kind,
    message: String,
}

/// What can be done about an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Another attempt may help: no connection, a time-out, too many requests.
    Passing,
    /// The server failed: another attempt may help, or a field was too much for it.
    Server,
    /// The connection broke, or the reply has no end: another attempt may help.
    Broken,
    /// The server refused the request, perhaps because of a field.
    Rejected,
    /// There is nothing at the address, or something else than this API.
    NotFound,
    /// Prompt and reply together exceed the context.
    ContextTooLong {
        /// Tokens of the request, if the server gives them.
        found: Option<usize>,
        /// Tokens that fit, if the server gives them.
        limit: Option<usize>,
    },
    /// The token limit was reached before the shape was complete.
    Unfinished {
        /// Tokens of the reply.
        tokens: usize,
    },
    /// The request is invalid; nothing was sent.
    Request,
    /// Anything else, which no other attempt mends.
    Final,
}

impl Kind {
    /// An error of this kind.
    pub(super) fn error(self, message: String) -> EndpointError {
        let kind = self;
        EndpointError { kind, message }
    }

    /// Whether another attempt may help.
    pub(super) fn may_pass(self) -> bool {
        matches!(self, Self::Passing | Self::Server | Self::Broken)
    }
}

impl EndpointError {
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
            Kind::ContextTooLong {
                found: Some(found),
                limit,
            } => GenerateError::ContextOverflow {
                model,
                found,
                limit: limit.unwrap_or(context_tokens),
            },
            Kind::ContextTooLong { .. } | Kind::Request => GenerateError::Request { model, reason },
            Kind::Unfinished { tokens } => GenerateError::Unfinished { model, tokens },
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
