//! Options of a store, by default from the environment.

use std::env;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use crate::net::is_private;

/// The default hub; `HF_ENDPOINT` overrides it.
const HUB_URL: &str = "https://huggingface.co";

/// Time without data after which a download counts as stalled. Long enough for a mobile network to
/// change cells, short enough for a user who watches a progress bar.
const STALL_TIMEOUT: Duration = Duration::from_secs(30);

/// Attempts without progress before a download fails.
const RETRIES_MAX: u32 = 5;

/// Pause before the first retry; it doubles each time (0.5, 1, 2, 4, 8 s).
const BACKOFF: Duration = Duration::from_millis(500);

/// The options of a [`Store`](super::Store).
#[derive(Debug, Clone)]
pub struct StoreOptions {
    /// The user's model folder (`--models`, `WEIR_MODELS`): searched first, and the target of pulls
    /// if set.
    pub models_dir: Option<PathBuf>,
    /// The folder of the cache (`XDG_CACHE_HOME`, `~/.cache`); models are in its `weir/models`.
    pub cache_dir: Option<PathBuf>,
    /// If true, nothing is downloaded (`--offline`, `WEIR_OFFLINE`).
    pub offline: bool,
    /// The hub's URL, without a trailing slash (`HF_ENDPOINT`).
    pub hub_url: String,
    /// The access token for private repositories (`HF_TOKEN`); sent only over https, or to this
    /// machine.
    pub hub_token: Option<Token>,
    /// The Python interpreter that downloads packages.
    pub python: OsString,
    /// Time without data after which a download counts as stalled.
    pub stall_timeout: Duration,
    /// Attempts without progress before a download fails.
    pub retries_max: u32,
    /// Pause before the first retry; it doubles each time.
    pub backoff: Duration,
}

impl Default for StoreOptions {
    /// No folders, the public hub, no token; the environment is not read.
    fn default() -> Self {
        Self {
            models_dir: None,
            cache_dir: None,
            offline: false,
            hub_url: HUB_URL.to_owned(),
            hub_token: None,
            python: "python3".into(),
            stall_timeout: STALL_TIMEOUT,
            retries_max: RETRIES_MAX,
            backoff: BACKOFF,
        }
    }
}

impl StoreOptions {
    /// Options from the environment: `WEIR_MODELS`, `XDG_CACHE_HOME` or `HOME`, `WEIR_OFFLINE`
    /// (anything but empty and `0`), `HF_ENDPOINT`, `HF_TOKEN`.
    pub fn from_env() -> Self {
        let set = |name| env::var_os(name).filter(|value| !value.is_empty());
        let text = |name| set(name).and_then(|value| value.into_string().ok());
        let home_cache = || set("HOME").map(|home| PathBuf::from(home).join(".cache"));
        let hub_url = text("HF_ENDPOINT").unwrap_or_else(|| HUB_URL.to_owned());
        Self {
            models_dir: set("WEIR_MODELS").map(PathBuf::from),
            cache_dir: set("XDG_CACHE_HOME").map(PathBuf::from).or_else(home_cache),
            offline: set("WEIR_OFFLINE").is_some_and(|value| value != "0"),
            hub_url: hub_url.trim_end_matches('/').to_owned(),
            hub_token: text("HF_TOKEN").map(Token::new),
            ..Self::default()
        }
    }

    /// The token for a request to `url`; none where others could read it.
    pub(super) fn token_for(&self, url: &str) -> Option<&Token> {
        self.hub_token.as_ref().filter(|_| is_private(url))
    }
}

/// A secret that is hidden in logs.
#[derive(Clone, PartialEq, Eq)]
pub struct Token(String);

impl Token {
    /// Wraps a token; surrounding spaces are dropped.
    pub fn new(token: impl AsRef<str>) -> Self {
        Self(token.as_ref().trim().to_owned())
    }

    pub(super) fn reveal(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Debug for Token {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("Token(hidden)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_token_goes_over_https_or_to_this_machine() {
        let options = StoreOptions {
            hub_token: Some(Token::new("secret")),
            ..StoreOptions::default()
        };
        for (url, is_sent) in [
            ("https://hub.example/a", true),
            ("http://localhost:80/a", true),
            ("http://hub.example:81/a", false),
            ("http://10.0.0.1/a", false),
        ] {
            assert_eq!(options.token_for(url).is_some(), is_sent, "{url}");
        }
    }
}
