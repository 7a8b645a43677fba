//! Where to ask, and how patiently.

use std::time::Duration;

/// Tokens of context where neither the server nor the options say.
pub(super) const CONTEXT_TOKENS_DEFAULT: usize = 4096;

/// Where to ask, and how patiently.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EndpointOptions {
    /// `http://localhost:8000/v1` or the like; `/v1` may be left out. One that ends in
    /// `/chat/completions` is taken as it is, and a query such as `?api-version=...` is kept.
    pub url: String,
    /// Name of the model, as the server knows it.
    pub model: String,
    /// Environment variable that holds the key; an unset or empty one sends no key.
    pub key_variable: String,
    /// Time to find the host and connect to it.
    pub connect_timeout: Duration,
    /// Time from the request to the first words: loading and reading the prompt.
    pub first_piece_timeout: Duration,
    /// Time from one piece of a streamed reply to the next.
    pub piece_timeout: Duration,
    /// Time for one attempt, in all; a day at most.
    pub total_timeout: Duration,
    /// Attempts before giving up, at least 1.
    pub attempts_max: u32,
    /// Pause before the second attempt; doubled before each further one, a minute at most. A
    /// server that says how long to wait is heeded instead, up to a minute.
    pub pause: Duration,
    /// Tokens of prompt and reply that fit; `None` takes what the server says, else 4096. Ollama
    /// neither says nor refuses what is longer, but cuts it: there it is what `num_ctx` is.
    pub context_tokens: Option<usize>,
    /// Whether replies are asked for piece by piece. Without, a reply comes whole, and of the
    /// limits of time those to connect and in all hold.
    pub streams: bool,
}

impl EndpointOptions {
    /// Options for a server and a model: key from `OPENAI_API_KEY`, ten seconds to connect, two
    /// minutes to the first words, half a minute between pieces, ten minutes in all, three
    /// attempts, replies streamed.
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
