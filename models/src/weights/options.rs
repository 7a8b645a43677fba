//! Options of a store, by default from the environment.

use std::env;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use crate::net::is_private;

/// The default hub; `HF_ENDPOINT` overrides it.
const HUB_URL: &str = "https://huggingface.co";

/// The options of a [`Store`](super::Store).
#[derive(Debug, Clone)]
pub struct StoreOptions {
    /// The user's model folder (`WEIR_MODELS`): searched first, and the target of pulls if set.
    pub models_dir: Option<PathBuf>,
    /// The folder of the cache (`XDG_CACHE_HOME`, `~/.cache`); models are in its `weir/models`.
    pub cache_dir: Option<PathBuf>,
    /// If true, nothing is downloaded (`WEIR_OFFLINE`).
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
    /// No folders, the public hub, no token; the environment is not read. A download counts as
    /// stalled after half a minute: long enough for a mobile network to change cells. It is tried
    /// again after 0.5, 1, 2, 4 and 8 s.
    fn default() -> Self {
        Self {
            models_dir: None,
            cache_dir: None,
            offline: false,
            hub_url: HUB_URL.to_owned(),
            hub_token: None,
            python: "python3".into(),
            stall_timeout: Duration::from_secs(30),
            retries_max: 5,
            backoff: Duration::from_millis(500),
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

    /// The folder of models in the cache.
    pub(super) fn cache(&self) -> Option<PathBuf> {
        Some(self.cache_dir.as_ref()?.join("weir/models"))
    }

    /// The folder that models are downloaded into; `None` without a home folder.
    #[must_use]
    pub fn target(&self) -> Option<PathBuf> {
        self.models_dir.clone().or_else(|| self.cache())
    }

    /// Whether the token is kept from the hub, because others could read it on its way there.
    #[must_use]
    pub fn withholds_token(&self) -> bool {
        self.hub_token.is_some() && self.token_for(&self.hub_url).is_none()
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
    fn the_token_goes_over_https_or_to_this_machine_and_is_never_shown() {
        let mut options = StoreOptions::default();
        assert!(!options.withholds_token(), "there is none");
        options.hub_token = Some(Token::new("secret"));
        for (url, is_sent) in [
            ("https://hub.example", true),
            ("http://localhost:80", true),
            ("http://hub.example:81", false),
            ("http://10.0.0.1", false),
        ] {
            url.clone_into(&mut options.hub_url);
            assert_eq!(options.token_for(url).is_some(), is_sent, "{url}");
            assert_eq!(options.withholds_token(), !is_sent, "{url}");
        }
        assert!(!format!("{options:?}").contains("secret"));
    }
}
