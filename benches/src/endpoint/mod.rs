//! A blocking client of servers that speak OpenAI's `/v1/chat/completions`.
//!
//! What was answered once is kept in a folder by a digest of the request, so a run that is resumed
//! comes to the same result and a measurement can be repeated without the server. The key comes
//! from an environment variable; it is neither stored nor part of any message.

mod remembered;
#[cfg(test)]
pub(crate) mod server;
#[cfg(test)]
mod tests;
mod writer;

use anyhow::{Result, anyhow, bail, ensure};
use remembered::Remembered;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::time::Duration;
use ureq::Agent;
use ureq::http::Response;

pub use writer::EndpointWriter;

/// Bytes of a reply that are read.
const REPLY_BYTES_MAX: u64 = 4 << 20;
/// Characters of a server's own words that an error quotes.
const QUOTED_CHARS_MAX: usize = 300;
/// The longest pause that a server may ask for.
const PAUSE_MAX: Duration = Duration::from_secs(60);

/// Where to ask, and how patiently.
#[derive(Debug, Clone)]
pub struct EndpointOptions {
    /// `http://localhost:8000/v1` or the like; `/v1` may be left out.
    pub url: String,
    /// Name of the model, as the server knows it.
    pub model: String,
    /// Environment variable that holds the key; an unset one sends no key.
    pub key_variable: String,
    /// Time for one request, in all.
    pub timeout: Duration,
    /// Requests before giving up, at least 1.
    pub attempts_max: u32,
    /// Pause before the second attempt; doubled before each further one.
    pub pause: Duration,
    /// Folder where replies are kept.
    pub remember: Option<PathBuf>,
}

impl EndpointOptions {
    /// Options for a server and a model: key from `OPENAI_API_KEY`, two minutes a request, five
    /// attempts, nothing remembered.
    #[must_use]
    pub fn new(url: &str, model: &str) -> Self {
        Self {
            url: url.to_owned(),
            model: model.to_owned(),
            key_variable: "OPENAI_API_KEY".to_owned(),
            timeout: Duration::from_secs(120),
            attempts_max: 5,
            pause: Duration::from_secs(1),
            remember: None,
        }
    }
}

/// A client of one model of one server; threads may share it.
pub struct Endpoint {
    options: EndpointOptions,
    url: String,
    key: Option<String>,
    agent: Agent,
    remembered: Option<Remembered>,
}

/// Why an attempt failed, and whether another may succeed.
struct Failure {
    reason: String,
    again: bool,
    pause: Option<Duration>,
}

impl Endpoint {
    /// A client; nothing is asked yet.
    ///
    /// # Errors
    /// When the address is not HTTP, or the folder of replies cannot be made.
    pub fn new(options: EndpointOptions) -> Result<Self> {
        let base = options.url.trim_end_matches('/');
        ensure!(
            base.starts_with("http://") || base.starts_with("https://"),
            "endpoint `{}`: an address begins with http:// or https://, as in \
             http://localhost:8000/v1",
            options.url
        );
        let base = base.strip_suffix("/chat/completions").unwrap_or(base);
        let base = base.strip_suffix("/v1").unwrap_or(base);
        let url = format!("{base}/v1/chat/completions");
        let mut config = Agent::config_builder()
            .http_status_as_error(false)
            // the key must not follow to another host
            .max_redirects(0)
            .user_agent(concat!("weir/", env!("CARGO_PKG_VERSION")))
            .timeout_global(Some(options.timeout));
        if is_loopback(base) {
            // a proxy could not reach this machine's loopback
            config = config.proxy(None);
        }
        let key = std::env::var(&options.key_variable).ok();
        let remembered = options
            .remember
            .as_deref()
            .map(Remembered::new)
            .transpose()?;
        Ok(Self {
            url,
            key: key.filter(|key| !key.is_empty()),
            agent: config.build().into(),
            remembered,
            options,
        })
    }

    /// Name of the model.
    #[must_use]
    pub fn model(&self) -> &str {
        &self.options.model
    }

    /// The model's reply to one message, at temperature 0. What a model thinks aloud before it
    /// (`<think>...</think>`) is left out.
    ///
    /// # Errors
    /// One sentence that says what the server refused, or that it cannot be reached.
    pub fn chat(&self, system: Option<&str>, user: &str, tokens_max: usize) -> Result<String> {
        let mut messages = Vec::new();
        if let Some(system) = system {
            messages.push(json!({"role": "system", "content": system}));
        }
        messages.push(json!({"role": "user", "content": user}));
        let request = json!({
            "model": self.options.model,
            "messages": messages,
            "temperature": 0,
            "max_tokens": tokens_max,
        });
        if let Some(known) = self
            .remembered
            .as_ref()
            .and_then(|r| r.get(&self.url, &request))
        {
            return Ok(known);
        }
        let reply = self.ask_patiently(&request)?;
        if let Some(remembered) = &self.remembered {
            remembered.keep(&self.url, &request, &reply)?;
        }
        Ok(reply)
    }

    fn ask_patiently(&self, request: &Value) -> Result<String> {
        let mut pause = self.options.pause;
        let attempts = self.options.attempts_max.max(1);
        for attempt in 1..=attempts {
            let failure = match self.ask(request) {
                Ok(reply) => return Ok(reply),
                Err(failure) => failure,
            };
            if !failure.again {
                return Err(self.error(&failure.reason));
            }
            if attempt == attempts {
                let reason = format!("{} ({attempts} attempts)", failure.reason);
                return Err(self.error(&reason));
            }
            std::thread::sleep(failure.pause.unwrap_or(pause).min(PAUSE_MAX));
            pause = pause.saturating_mul(2);
        }
        bail!("nothing was asked of {}", self.url)
    }

    fn ask(&self, request: &Value) -> Result<String, Failure> {
        let mut post = self
            .agent
            .post(&self.url)
            .header("content-type", "application/json");
        if let Some(key) = &self.key {
            post = post.header("authorization", format!("Bearer {key}"));
        }
        let response = post
            .send(request.to_string())
            .map_err(|error| unanswered(&error))?;
        let status = response.status().as_u16();
        let pause = retry_after(&response);
        let body = response
            .into_body()
            .into_with_config()
            .limit(REPLY_BYTES_MAX)
            .read_to_string();
        let body = body.map_err(|error| unanswered(&error))?;
        if status == 200 {
            return reply(&body).map_err(Failure::last);
        }
        let again = status == 429 || status >= 500;
        Err(Failure {
            reason: self.refusal(status, &body),
            again,
            pause,
        })
    }

    /// What an answer other than 200 means, and what to do.
    fn refusal(&self, status: u16, body: &str) -> String {
        let said: String = body.trim().chars().take(QUOTED_CHARS_MAX).collect();
        let (model, variable) = (&self.options.model, &self.options.key_variable);
        let lower = body.to_lowercase();
        let too_long = [
            "context length",
            "context_length",
            "maximum context",
            "too long",
        ];
        match status {
            401 | 403 => format!(
                "refused the key (answer {status}); environment variable {variable} holds it"
            ),
            404 => {
                format!("has no model `{model}`, or nothing at this address (answer 404): {said}")
            }
            400 | 413 if status == 413 || too_long.iter().any(|words| lower.contains(words)) => {
                format!(
                    "says that the request is longer than `{model}` reads (answer {status}); \
                     ask with a smaller context: {said}"
                )
            }
            429 => format!("takes no more requests for now (answer 429): {said}"),
            500.. => format!("failed (answer {status}): {said}"),
            _ => format!("refused the request (answer {status}): {said}"),
        }
    }

    /// An error about this endpoint; a key that the server repeated is taken out.
    fn error(&self, reason: &str) -> anyhow::Error {
        let message = format!("{} {reason}", self.url);
        match &self.key {
            Some(key) => anyhow!("{}", message.replace(key.as_str(), "[key]")),
            None => anyhow!("{message}"),
        }
    }
}

impl Failure {
    fn last(reason: String) -> Self {
        Self {
            reason,
            again: false,
            pause: None,
        }
    }
}

fn unanswered(error: &ureq::Error) -> Failure {
    let (reason, again) = match error {
        ureq::Error::Timeout(_) => ("did not answer in time".to_owned(), true),
        ureq::Error::Io(io) if io.kind() == std::io::ErrorKind::ConnectionRefused => (
            "refuses connections: is the server running?".to_owned(),
            true,
        ),
        ureq::Error::Io(_) | ureq::Error::HostNotFound | ureq::Error::ConnectionFailed => {
            (format!("cannot be reached: {error}"), true)
        }
        ureq::Error::BodyExceedsLimit(bytes) => (format!("sent over {bytes} bytes"), false),
        _ => (format!("cannot be asked: {error}"), false),
    };
    Failure {
        reason,
        again,
        pause: None,
    }
}

fn retry_after<B>(response: &Response<B>) -> Option<Duration> {
    let seconds = response.headers().get("retry-after")?.to_str().ok()?;
    seconds.trim().parse().ok().map(Duration::from_secs)
}

/// The text of the first choice.
fn reply(body: &str) -> Result<String, String> {
    let quoted: String = body.chars().take(QUOTED_CHARS_MAX).collect();
    let whole: Value = serde_json::from_str(body)
        .map_err(|error| format!("sent what is not JSON ({error}): {quoted}"))?;
    let text = whole["choices"][0]["message"]["content"].as_str();
    let text = text.ok_or_else(|| format!("sent no choices[0].message.content: {quoted}"))?;
    let spoken = match text.split_once("</think>") {
        Some((_, after)) => after,
        None => text,
    };
    Ok(spoken.trim().to_owned())
}

fn is_loopback(url: &str) -> bool {
    let host = url.split_once("//").map_or(url, |(_, rest)| rest);
    ["localhost", "127.", "[::1]"]
        .iter()
        .any(|name| host.starts_with(name))
}
