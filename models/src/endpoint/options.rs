//! Options of an endpoint: address, time limits and retries.

use std::time::Duration;

/// Context in tokens if neither the server nor the options give it.
pub(super) const CONTEXT_TOKENS_DEFAULT: usize = 4096;

/// Address, time limits and retries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EndpointOptions {
    /// `http://localhost:8000/v1` or similar; `/v1` may be left out. An address that ends in
    /// `/chat/completions` is used unchanged, and a query such as `?api-version=...` is kept.
    pub url: String,
    /// Name of the model on the server.
    pub model: String,
    /// Environment variable with the key; no key is sent if it is unset or empty.
    pub key_variable: String,
    /// Time to resolve the host and connect.
    pub connect_timeout: Duration,
    /// Time from the request to the first words: the server loads the model and reads the prompt.
    pub first_piece_timeout: Duration,
    /// Time between two pieces of a streamed reply.
    pub piece_timeout: Duration,
    /// Total time of one attempt; a day at most.
    pub total_timeout: Duration,
    /// Attempts before giving up, at least 1.
    pub attempts_max: u32,
    /// Pause before the second attempt; doubled before each further one, a minute at most. A pause
    /// given by the server is used instead, up to a minute.
    pub pause: Duration,
    /// Tokens of prompt and reply that fit; `None` uses the server's value, else 4096. Ollama gives
    /// no value and silently truncates longer prompts: set this to its `num_ctx`.
    pub context_tokens: Option<usize>,
    /// Whether replies are streamed. Otherwise only the connection and total time limits apply.
    pub streams: bool,
}

impl EndpointOptions {
    /// Options for a server and a model: key from `OPENAI_API_KEY`, ten seconds to connect, two
    /// minutes to the first words, half a minute between pieces, ten minutes in total, three
    /// attempts, streamed replies.
    #[must_use]
    pub fn new(url: &str, model: &str) -> Self {
        Self {
            url: url.to_owned(),
            model: model.to_owned(),
            key_variable: "OPENAI_API_KEY".to_owned(),
            connect_timeout: Duration::from_secs(10),
            first_piece_timeout: Duration::from_secs(120),
            piece_timeout: Duration::from_secs(30),
            total_timeout: Duration::from_secs(600),
            attempts_max: 3,
            pause: Duration::from_secs(1),
            context_tokens: None,
            streams: true,
        }
    }
}
