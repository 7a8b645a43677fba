//! Why a server gave no reply: where, what was said, and what to do.

use std::time::Duration;

use crate::GenerateError;

/// Why a server gave no reply.
///
/// What a server said is quoted in part, without control characters and without the key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EndpointError {
    /// Not the address of a server.
    #[error(
        "endpoint `{given}`: {reason}; an address begins with http:// or https://, as in \
         http://localhost:8000/v1"
    )]
    Address {
        /// As it was given, what stands before an `@` left out.
        given: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The key is none.
    #[error(
        "environment variable {variable} holds a key with blanks or characters that no key has; \
         set it anew"
    )]
    KeyUnusable {
        /// The variable.
        variable: String,
    },
    /// Nothing listens there.
    #[error("{url} refuses connections: is the server running?")]
    Refused {
        /// What was asked.
        url: String,
    },
    /// No connection for another reason.
    #[error("{url} cannot be reached: {reason}; check the address and the network")]
    Unreachable {
        /// What was asked.
        url: String,
        /// What the system said.
        reason: String,
    },
    /// Nothing, or too little, came.
    #[error(
        "{url} did not answer in time: {missing} did not come within {limit:?}; the server may be \
         busy or loading, or needs a longer limit"
    )]
    Timeout {
        /// What was asked.
        url: String,
        /// What was waited for.
        missing: &'static str,
        /// How long.
        limit: Duration,
    },
    /// No key, or not a good one.
    #[error(
        "{url} refused {} (answer {status}); environment variable {variable} holds it: {said}",
        if *is_set { "the key" } else { "to answer without a key" }
    )]
    Key {
        /// What was asked.
        url: String,
        /// 401 or 403.
        status: u16,
        /// The environment variable of the key.
        variable: String,
        /// Whether a key was sent.
        is_set: bool,
        /// What the server said.
        said: String,
    },
    /// The server is there, the model is not.
    #[error(
        "{url} has no model `{model}`{}: name one that it has, or load it there",
        listed(names, said)
    )]
    ModelMissing {
        /// What was asked.
        url: String,
        /// The model.
        model: String,
        /// The models it has, where it was asked for them.
        names: Vec<String>,
        /// What the server said.
        said: String,
    },
    /// Something listens there that is not such a server.
    #[error(
        "{url} is not there (answer {status}: {said}), nor would model `{model}` be; an address \
         looks like http://localhost:8000/v1"
    )]
    NotFound {
        /// What was asked.
        url: String,
        /// 404 or 405.
        status: u16,
        /// The model that was asked for.
        model: String,
        /// What the server said.
        said: String,
    },
    /// Prompt and reply do not fit.
    #[error(
        "{url} says that the request is longer than `{model}` reads (answer {status}); ask with a \
         smaller context: {said}"
    )]
    ContextTooLong {
        /// What was asked.
        url: String,
        /// The model.
        model: String,
        /// The answer's status.
        status: u16,
        /// Tokens of the request, where the server says.
        found: Option<usize>,
        /// Tokens that fit, where the server says.
        limit: Option<usize>,
        /// What the server said.
        said: String,
    },
    /// Too many requests, or still loading.
    #[error("{url} takes no more requests for now (answer {status}); try later: {said}")]
    Busy {
        /// What was asked.
        url: String,
        /// 429 or 503.
        status: u16,
        /// What the server said.
        said: String,
    },
    /// The server failed.
    #[error("{url} failed (answer {status}); its log may tell why: {said}")]
    Server {
        /// What was asked.
        url: String,
        /// The answer's status.
        status: u16,
        /// What the server said.
        said: String,
    },
    /// The server does not take the request for a reason of its own.
    #[error("{url} refused the request (answer {status}): {said}")]
    Rejected {
        /// What was asked.
        url: String,
        /// The answer's status.
        status: u16,
        /// What the server said.
        said: String,
    },
    /// The server sends elsewhere; it is not followed.
    #[error(
        "{url} sends on to {to} (answer {status}), where the key does not follow; give that \
         address if it is right"
    )]
    Redirect {
        /// What was asked.
        url: String,
        /// The answer's status.
        status: u16,
        /// Where it sends.
        to: String,
    },
    /// The connection broke, or the reply ended before its end.
    #[error("{url} broke off: {reason}; the server's log may tell why")]
    Broken {
        /// What was asked.
        url: String,
        /// How.
        reason: String,
    },
    /// An answer that makes no sense.
    #[error("{url} sent {reason}; is this a server with the interface of OpenAI?")]
    Malformed {
        /// What was asked.
        url: String,
        /// What it sent.
        reason: String,
    },
    /// More than is read.
    #[error("{url} sent over {bytes_max} bytes, which no reply has; it was cut off")]
    TooLarge {
        /// What was asked.
        url: String,
        /// Bytes that are read.
        bytes_max: usize,
    },
    /// The request asks for what cannot be.
    #[error("{model} cannot be asked this: {reason}")]
    Request {
        /// The model.
        model: String,
        /// What is wrong.
        reason: String,
    },
    /// The tokens ran out before the shape was complete.
    #[error("the reply of {model} had no end after {tokens} tokens; allow more")]
    Unfinished {
        /// The model.
        model: String,
        /// Tokens of reply.
        tokens: usize,
    },
    /// A reply that has not the shape asked for.
    #[error(
        "{model} replied in another shape than was asked for: {reason}; a server that binds \
         replies to a schema, or a larger model, helps; it said: {said}"
    )]
    Misfit {
        /// The model.
        model: String,
        /// What does not fit, and where.
        reason: String,
        /// The reply.
        said: String,
    },
    /// The server withheld the reply.
    #[error("{url} withheld the reply of {model}: its content filter found fault; ask otherwise")]
    Filtered {
        /// What was asked.
        url: String,
        /// The model.
        model: String,
    },
    /// Every attempt failed.
    #[error("{last} ({attempts} attempts)")]
    GaveUp {
        /// How many were made.
        attempts: u32,
        /// Why the last one failed.
        last: Box<EndpointError>,
    },
}

impl EndpointError {
    /// The error itself, where several attempts ended in it.
    #[must_use]
    pub fn cause(&self) -> &Self {
        match self {
            Self::GaveUp { last, .. } => last.cause(),
            other => other,
        }
    }

    /// As the contract of generators tells it; `context_tokens` is what is known to fit.
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

/// What a message lists of the models that a server has.
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
