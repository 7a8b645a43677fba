//! Maps responses other than 200 to errors.

use serde_json::Value;

use super::EndpointError;
use super::key::Key;

/// Characters of a server's message that an error quotes.
const QUOTED_CHARS_MAX: usize = 300;

/// The target of the request.
#[derive(Debug, Clone, Copy)]
pub(super) struct Asked<'a> {
    pub(super) url: &'a str,
    pub(super) model: &'a str,
    pub(super) key_variable: &'a str,
    pub(super) key: &'a Key,
}

impl Asked<'_> {
    /// The message in the body of a response, cut for an error message.
    pub(super) fn said(&self, body: &str) -> String {
        quoted(&self.key.redacted(&told(body)))
    }

    /// The start of foreign text, without the key.
    pub(super) fn quoted(&self, text: &str) -> String {
        quoted(&self.key.redacted(text))
    }

    /// A malformed response.
    pub(super) fn malformed(&self, reason: String) -> EndpointError {
        EndpointError::Malformed {
            url: self.url.to_owned(),
            reason,
        }
    }

    /// The error for a redirect.
    pub(super) fn redirect(&self, status: u16, to: Option<&str>) -> EndpointError {
        EndpointError::Redirect {
            url: self.url.to_owned(),
            status,
            to: self.quoted(to.unwrap_or("nowhere")),
        }
    }

    /// The error for a response.
    pub(super) fn refusal(&self, status: u16, body: &str) -> EndpointError {
        let (url, model) = (self.url.to_owned(), self.model.to_owned());
        let said = self.said(body);
        let lower = body.to_lowercase();
        if is_too_long(status, &lower) {
            let (found, limit) = token_counts(body, &lower);
            return EndpointError::ContextTooLong {
                url,
                model,
                status,
                found,
                limit,
                said,
            };
        }
        let is_model_missing = lower.contains("model")
            && (status == 404 || lower.contains(&self.model.to_lowercase()))
            && [
                "not found", "not exist", "no such model", "unknown model", "not_found",
            ]
            .iter()
            .any(|words| lower.contains(words));
        match status {
            401 | 403 => EndpointError::Key {
                url,
                status,
                variable: self.key_variable.to_owned(),
                is_set: self.key.is_set(),
                said,
            },
            400 | 404 | 422 if is_model_missing => EndpointError::ModelMissing {
                url,
                model,
                names: Vec::new(),
                said,
            },
            404 | 405 => EndpointError::NotFound {
                url,
                status,
                model,
                said,
            },
            429 | 503 => EndpointError::Busy { url, status, said },
            500.. => EndpointError::Server { url, status, said },
            _ => EndpointError::Rejected { url, status, said },
        }
    }
}

/// The text of a response's body: its error message, or the title of a web page.
fn told(body: &str) -> String {
    let body = body.trim();
    if let Ok(whole) = serde_json::from_str::<Value>(body) {
        let places = ["/error/message", "/error", "/message", "/detail"];
        let told = places.iter().find_map(|at| whole.pointer(at)?.as_str());
        return told.unwrap_or(body).to_owned();
    }
    if !body.starts_with('<') {
        return body.to_owned();
    }
    let lower = body.to_ascii_lowercase();
    let title = lower.find("<title>").map(|at| at + "<title>".len());
    match title.and_then(|at| body.get(at..)?.split('<').next()) {
        Some(title) if !title.trim().is_empty() => format!("a web page, \"{title}\""),
        _ => "a web page".to_owned(),
    }
}

/// The start of foreign text, in one line and without terminal control characters.
fn quoted(text: &str) -> String {
    let mut out = String::new();
    for word in text.split(|c: char| c.is_whitespace() || c.is_control()) {
        if !word.is_empty() && !out.is_empty() {
            out.push(' ');
        }
        out.push_str(word);
        if let Some((end, _)) = out.char_indices().nth(QUOTED_CHARS_MAX) {
            out.truncate(end);
            out.push('…');
            break;
        }
    }
    out
}

/// Whether a server's message means that prompt and reply exceed the context.
fn is_too_long(status: u16, lower: &str) -> bool {
    if status == 413 {
        return true;
    }
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
        400 | 422 => any(&sure) || any(&likely),
        500 => any(&sure),
        _ => false,
    }
}

/// Tokens of the request and tokens that fit, if the server gives them.
fn token_counts(body: &str, lower: &str) -> (Option<usize>, Option<usize>) {
    let whole: Value = serde_json::from_str(body.trim()).unwrap_or_default();
    let field = |name: &str| {
        let at = [format!("/error/{name}"), format!("/{name}")];
        let number = at.iter().find_map(|at| whole.pointer(at)?.as_u64());
        number.and_then(|number| usize::try_from(number).ok())
    };
    let after = |marks: &[&str]| {
        marks.iter().find_map(|mark| {
            let (_, rest) = lower.split_once(mark)?;
            let digits = rest.split(|c: char| !c.is_ascii_digit()).next()?;
            digits.parse().ok()
        })
    };
    let found = field("n_prompt_tokens").or_else(|| {
        after(&[
            "you requested ", "requested tokens (", "resulted in ", "request has ",
            "contains at least ", "request (",
        ])
    });
    let limit = field("n_ctx").or_else(|| {
        after(&[
            "context length is only ",
            "context length is ",
            "context length of only ",
            "context length of ",
            "context window of ",
            "context size (",
        ])
    });
    (found, limit)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The error of a response to a request with this key.
    fn refusal_with(key: &str, status: u16, body: &str) -> EndpointError {
        let asked = Asked {
            url: "http://h/v1/chat/completions",
            model: "tiny",
            key_variable: "A_KEY",
            key: &Key::new(key).expect("a key"),
        };
        asked.refusal(status, body)
    }

    fn refusal(status: u16, body: &str) -> EndpointError {
        refusal_with("", status, body)
    }

    fn said(body: &str) -> String {
        quoted(&told(body))
    }

    /// (tokens found, tokens that fit) if the response means that the context is too long.
    fn too_long(status: u16, body: &str) -> Option<(Option<usize>, Option<usize>)> {
        match refusal(status, body) {
            EndpointError::ContextTooLong { found, limit, .. } => Some((found, limit)),
            _ => None,
        }
    }

    #[test]
    fn every_server_has_its_words_for_too_long() {
        let both = Some((Some(437), Some(256)));
        for (status, body) in [
            (
                400,
                r#"{"error":{"code":400,"message":"the request exceeds the available context size,
                try increasing it","type":"exceed_context_size_error","n_prompt_tokens":437,
                "n_ctx":256}}"#,
            ),
            (
                400,
                r#"{"object":"error","message":"This model's maximum context length is 256 tokens.
                However, you requested 437 tokens (431 in the messages, 6 in the completion).",
                "type":"BadRequestError","code":400}"#,
            ),
            (
                400,
                r#"{"error":{"message":"This model's maximum context length is 256 tokens. However,
                your messages resulted in 437 tokens.","code":"context_length_exceeded"}}"#,
            ),
            (
                500,
                r#"{"error":{"message":"Requested tokens (437) exceed context window of 256"}}"#,
            ),
        ] {
            assert_eq!(
                too_long(status, &body.replace("\n                ", " ")),
                both,
                "{body}"
            );
        }
        assert_eq!(too_long(413, ""), Some((None, None)));
        assert_eq!(too_long(400, "prompt is too long"), Some((None, None)));
        assert_eq!(too_long(500, "it took too long"), None);
        assert_eq!(too_long(400, "temperature must be positive"), None);
    }

    #[test]
    fn a_missing_model_is_told_from_a_missing_server() {
        for (status, body) in [
            (
                404,
                r#"{"error":{"message":"model 'tiny' not found","type":"not_found_error"}}"#,
            ),
            (
                404,
                r#"{"object":"error","message":"The model `tiny` does not exist.","code":404}"#,
            ),
            (
                404,
                r#"{"error":"model \"tiny\" not found, try pulling it first"}"#,
            ),
            (400, r#"{"error":{"message":"unknown model tiny"}}"#),
        ] {
            let error = refusal(status, body);
            assert!(
                matches!(error, EndpointError::ModelMissing { .. }),
                "{error:?}"
            );
        }
        let error = refusal(
            400,
            r#"{"error":"field `schema` not found in model response"}"#,
        );
        assert!(matches!(error, EndpointError::Rejected { .. }), "{error:?}");
        let error = refusal(404, r#"{"detail":"Not Found"}"#);
        assert!(matches!(error, EndpointError::NotFound { .. }), "{error:?}");
        assert!(error.to_string().contains("Not Found"), "{error}");
    }

    #[test]
    fn a_key_that_is_repeated_is_taken_out_however_it_is_written() {
        let spelled = r#"{"error": "bad key s3cr\u0065t-5309"}"#;
        for body in [
            "bad key s3cret-5309",
            spelled,
            &format!("{}s3cret-5309", "x".repeat(295)),
        ] {
            let told = refusal_with("s3cret-5309", 400, body).to_string();
            assert!(!told.contains("s3c"), "{told}");
        }
    }

    #[test]
    fn foreign_words_are_quoted_in_one_short_line() {
        let page = "<!doctype html>\n<HTML><Title>502 Bad\nGateway</title><body>x</body>";
        assert_eq!(said(page), "a web page, \"502 Bad Gateway\"");
        assert_eq!(said("<p>"), "a web page");
        assert_eq!(
            said(r#"{"error": "\u001b[31mred\r\nalert"}"#),
            "[31mred alert"
        );
        assert_eq!(said(r#"{"detail": [1]}"#), r#"{"detail": [1]}"#);
        assert_eq!(
            said(&"é".repeat(1000)).chars().count(),
            QUOTED_CHARS_MAX + 1
        );
    }
}
