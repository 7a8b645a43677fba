//! Reads the messages of servers: which error a response means, and what of it may be quoted.

use serde_json::Value;

use super::error::{EndpointError, EndpointErrorKind as Kind};
use super::options::Key;

/// Characters of a server's message that an error quotes.
const QUOTED_CHARS_MAX: usize = 300;

/// The target of a request, for error messages.
#[derive(Debug, Clone, Copy)]
pub(super) struct Target<'a> {
    pub(super) url: &'a str,
    pub(super) model: &'a str,
    pub(super) key_variable: &'a str,
    pub(super) key: &'a Key,
}

impl Target<'_> {
    /// An error whose message begins with the address.
    pub(super) fn error(&self, kind: Kind, what: impl std::fmt::Display) -> EndpointError {
        EndpointError::new(kind, format!("{} {what}", self.url))
    }

    pub(super) fn malformed(&self, what: impl std::fmt::Display) -> EndpointError {
        let what = format!("sent {what}; is this an OpenAI-compatible API?");
        self.error(Kind::Malformed, what)
    }

    pub(super) fn too_large(&self, bytes_max: usize) -> EndpointError {
        let what =
            format!("sent more than {bytes_max} bytes, the limit of a reply; it was cut off");
        self.error(Kind::TooLarge, what)
    }

    /// The JSON of a response.
    pub(super) fn json(&self, text: &str) -> Result<Value, EndpointError> {
        serde_json::from_str(text).map_err(|error| {
            self.malformed(format!("what is not JSON ({error}): {}", self.said(text)))
        })
    }

    /// The message in the body of a response, cut for an error message.
    pub(super) fn said(&self, body: &str) -> String {
        self.quoted(&message(body))
    }

    /// The start of foreign text, in one line, without control characters and without the key.
    pub(super) fn quoted(&self, text: &str) -> String {
        let text = self.key.redacted(text);
        let words = text.split(|c: char| c.is_whitespace() || c.is_control());
        let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
        let line = words.join(" ");
        match line.char_indices().nth(QUOTED_CHARS_MAX) {
            Some((end, _)) => format!("{}…", &line[..end]),
            None => line,
        }
    }

    /// The error that a response other than a reply means.
    pub(super) fn refusal(&self, status: u16, body: &str) -> EndpointError {
        let (said, lower) = (self.said(body), body.to_lowercase());
        let model = self.model;
        if is_too_long(status, &lower) {
            let what = format!(
                "says that the request is longer than `{model}` reads (status {status}); ask with \
                 a smaller context: {said}"
            );
            return self.error(token_counts(body, &lower), what);
        }
        let missing = [
            "not found", "not exist", "no such model", "unknown model", "not_found",
        ];
        let is_model_missing = lower.contains("model")
            && (status == 404 || lower.contains(&model.to_lowercase()))
            && missing.iter().any(|words| lower.contains(words));
        match status {
            401 | 403 => {
                let refused = match self.key.header() {
                    Some(_) => "the key",
                    None => "to answer without a key",
                };
                let variable = self.key_variable;
                let what = format!(
                    "refused {refused} (status {status}); environment variable {variable} holds \
                     it: {said}"
                );
                self.error(Kind::Key, what)
            }
            400 | 404 | 422 if is_model_missing => self.model_missing(&said),
            404 | 405 => {
                let what = format!(
                    "returned status {status} ({said}): no OpenAI-compatible API there, or no \
                     model `{model}`; an address looks like http://localhost:8000/v1"
                );
                self.error(Kind::NotFound, what)
            }
            429 | 503 => {
                let what =
                    format!("accepts no more requests now (status {status}); try later: {said}");
                self.error(Kind::Busy, what)
            }
            408 | 500 | 502.. => {
                let what = format!("failed (status {status}); its log may tell why: {said}");
                self.error(Kind::Server, what)
            }
            _ => {
                let what = format!("refused the request (status {status}): {said}");
                self.error(Kind::Rejected, what)
            }
        }
    }

    /// The error for a model that the server lacks.
    pub(super) fn model_missing(&self, said: &str) -> EndpointError {
        let model = self.model;
        let what =
            format!("has no model `{model}` ({said}): name one that it has, or load it there");
        self.error(Kind::ModelMissing, what)
    }
}

/// The text of a response's body: its error message, or the title of a web page.
fn message(body: &str) -> String {
    let body = body.trim();
    if let Ok(whole) = serde_json::from_str::<Value>(body) {
        let places = ["/error/message", "/error", "/message", "/detail"];
        let told = places.iter().find_map(|at| whole.pointer(at)?.as_str());
        return told.unwrap_or(body).to_owned();
    }
    if !body.starts_with('<') {
        return body.to_owned();
    }
    let title = body.to_ascii_lowercase().find("<title>");
    match title.and_then(|at| body.get(at + "<title>".len()..)?.split('<').next()) {
        Some(title) if !title.trim().is_empty() => format!("a web page, \"{title}\""),
        _ => "a web page".to_owned(),
    }
}

/// Whether a server's message means that prompt and reply exceed the context.
fn is_too_long(status: u16, lower: &str) -> bool {
    let sure = [
        "exceed_context_size",
        "context_length_exceeded",
        "context length",
        "context size",
        "context window",
        "maximum context",
        // vLLM, if the prompt alone fills the context
        "max_tokens must be at least 1, got -",
    ];
    let likely = [
        "context_length", "too long", "too many tokens", "prompt length",
    ];
    let any = |words: &[&str]| words.iter().any(|word| lower.contains(word));
    match status {
        413 => true,
        400 | 422 => any(&sure) || any(&likely),
        500 => any(&sure),
        _ => false,
    }
}

/// Tokens of the request and tokens that fit, from fields or from the message.
fn token_counts(body: &str, lower: &str) -> Kind {
    let whole: Value = serde_json::from_str(body.trim()).unwrap_or_default();
    let field = |name: &str| {
        let number = whole["error"][name].as_u64().or(whole[name].as_u64())?;
        usize::try_from(number).ok()
    };
    let after = |marks: &[&str]| {
        marks.iter().find_map(|mark| {
            let (_, rest) = lower.split_once(mark)?;
            let digits = rest.split(|c: char| !c.is_ascii_digit()).next()?;
            digits.parse().ok()
        })
    };
    let found = [
        "you requested ", "requested tokens (", "resulted in ", "request has ",
        "contains at least ", "request (",
    ];
    let limit = [
        "context length is only ",
        "context length is ",
        "context length of only ",
        "context length of ",
        "context window of ",
        "context size (",
    ];
    Kind::ContextTooLong {
        found: field("n_prompt_tokens").or_else(|| after(&found)),
        limit: field("n_ctx").or_else(|| after(&limit)),
    }
}
