//! Reads the messages of servers: which error a response means, and what of it may be quoted.

use std::time::Duration;

use serde_json::Value;

use super::error::{EndpointError, Failure, Kind};
use super::options::Server;
use crate::net::Fault;

/// Characters of a server's message that an error quotes.
const QUOTED_CHARS_MAX: usize = 300;

impl Server {
    /// An error whose message begins with the address.
    pub(super) fn error(&self, kind: Kind, what: impl std::fmt::Display) -> EndpointError {
        kind.error(format!("{} {what}", self.base))
    }

    pub(super) fn malformed(&self, what: impl std::fmt::Display) -> EndpointError {
        self.error(
            Kind::Final,
            format!("sent {what}; is this an OpenAI-compatible API?"),
        )
    }

    /// The error for a reply without an end.
    pub(super) fn broken(&self, reason: &str) -> EndpointError {
        let what = format!("broke off the reply: {reason}; the server's log may tell why");
        self.error(Kind::Broken, what)
    }

    pub(super) fn too_large(&self, bytes_max: u64) -> EndpointError {
        let what =
            format!("sent more than {bytes_max} bytes, the limit of a reply; it was cut off");
        self.error(Kind::Final, what)
    }

    pub(super) fn late(&self, missing: &str, limit: Duration) -> EndpointError {
        let what = format!(
            "did not answer in time: {missing} did not come within {limit:?}; the server may be \
             busy or loading, or needs a longer limit"
        );
        self.error(Kind::Passing, what)
    }

    /// The error of a connection; `limit` is the one that it had.
    pub(super) fn fault(&self, fault: impl Into<Fault>, limit: Duration) -> EndpointError {
        match fault.into() {
            Fault::Unreachable(reason) => {
                let what = format!(
                    "cannot be reached: {reason}; is the server running? check the address and \
                     the network"
                );
                self.error(Kind::Passing, what)
            }
            Fault::Silent => self.late("the whole reply", limit),
            Fault::Broken(reason) => self.broken(&reason),
            Fault::Protocol(reason) => self.malformed(format!("what is not HTTP ({reason})")),
        }
    }

    /// The JSON of a response.
    pub(super) fn json(&self, text: &str) -> Result<Value, EndpointError> {
        serde_json::from_str(text).map_err(|error| {
            let said = self.quoted(&message(text));
            self.malformed(format!("what is not JSON ({error}): {said}"))
        })
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

    /// The failure that a response other than a reply means.
    pub(super) fn refused(&self, status: u16, body: String) -> Failure {
        let error = self.refusal(status, &body);
        // any other kind says that no field was refused
        let is_open = matches!(error.kind, Kind::Rejected | Kind::Server);
        Failure {
            error,
            refusal: is_open.then_some((status, body)),
            retry_after: None,
        }
    }

    fn refusal(&self, status: u16, body: &str) -> EndpointError {
        let (said, lower) = (self.quoted(&message(body)), body.to_lowercase());
        let (model, variable) = (&self.model, &self.key_variable);
        let missing = [
            "not found", "not exist", "no such model", "unknown model", "not_found",
        ];
        let is_model_missing = lower.contains("model")
            && (status == 404 || lower.contains(&model.to_lowercase()))
            && missing.iter().any(|words| lower.contains(words));
        let (kind, what) = match status {
            _ if is_too_long(status, &lower) => (
                token_counts(body),
                format!("says that the request is longer than `{model}` reads; ask with less"),
            ),
            401 | 403 => {
                let refused = match self.key.header() {
                    Some(_) => "the key",
                    None => "to answer without a key",
                };
                let what = format!("refused {refused}; environment variable {variable} holds it");
                (Kind::Final, what)
            }
            400 | 404 | 422 if is_model_missing => return self.model_missing(&said),
            404 | 405 => (
                Kind::NotFound,
                format!(
                    "has no OpenAI-compatible API, or no model `{model}`; an address looks like \
                     http://localhost:8000/v1"
                ),
            ),
            429 | 503 => (
                Kind::Passing,
                "accepts no more requests now; try later".to_owned(),
            ),
            408 | 500 | 502.. => (Kind::Server, "failed; its log may tell why".to_owned()),
            _ => (Kind::Rejected, "refused the request".to_owned()),
        };
        self.error(kind, format!("{what} (status {status}: {said})"))
    }

    /// The error for a model that the server lacks.
    pub(super) fn model_missing(&self, said: &str) -> EndpointError {
        let model = &self.model;
        let what =
            format!("has no model `{model}` ({said}): name one that it has, or load it there");
        self.error(Kind::Final, what)
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
        "context length",
        "context size",
        "context window",
        "maximum context",
        // vLLM, if the prompt alone fills the context
        "max tokens must be at least 1, got -",
    ];
    let likely = ["too long", "too many tokens", "prompt length"];
    // in codes the words stand between underscores
    let spaced = lower.replace('_', " ");
    let any = |words: &[&str]| words.iter().any(|words| spaced.contains(words));
    match status {
        413 => true,
        400 | 422 => any(&sure) || any(&likely),
        500 => any(&sure),
        _ => false,
    }
}

/// Tokens of the request and tokens that fit, from fields or from the message: the first number
/// after the word `context` is the limit, and the largest number is what exceeds it.
fn token_counts(body: &str) -> Kind {
    let whole: Value = serde_json::from_str(body.trim()).unwrap_or_default();
    let field = |name: &str| {
        let number = whole["error"][name].as_u64().or(whole[name].as_u64())?;
        usize::try_from(number).ok()
    };
    let said = message(body).to_lowercase();
    let numbers = |text: &str| -> Vec<usize> {
        let digits = text.split(|c: char| !c.is_ascii_digit());
        digits.filter_map(|digits| digits.parse().ok()).collect()
    };
    let after = said.split_once("context").map(|(_, rest)| numbers(rest));
    let limit = field("n_ctx").or(after.and_then(|numbers| numbers.first().copied()));
    let most = numbers(&said).into_iter().max();
    let most = most.filter(|most| limit.is_some_and(|limit| *most > limit));
    Kind::ContextTooLong {
        found: field("n_prompt_tokens").or(most),
        limit,
    }
}
