//! What a store needs to know of its surroundings, with the environment as its default.

use std::env;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use crate::net::is_private;

/// The hub that is asked unless `HF_ENDPOINT` names another.
const HUB_URL: &str = "https://huggingface.co";

/// Silence on the line after which a download counts as stalled. Long enough for a mobile network
/// to change cells, short enough for a person who watches a progress bar.
const STALL_TIMEOUT: Duration = Duration::from_secs(30);

/// Attempts without a single new byte before a download is given up.
const RETRIES_MAX: u32 = 5;

/// Pause before the first retry; it doubles with each (0.5, 1, 2, 4, 8 s).
const BACKOFF: Duration = Duration::from_millis(500);

/// The surroundings of a [`Store`](super::Store).
#[derive(Debug, Clone)]
pub struct StoreOptions {
    /// The user's own folder of models (`--models`, `WEIR_MODELS`): looked in first, and pulled
    /// into when it is set.
    pub models_dir: Option<PathBuf>,
    /// The folder that holds the cache (`XDG_CACHE_HOME`, `~/.cache`); models lie in
    /// `weir/models` below it.
    pub cache_dir: Option<PathBuf>,
    /// When true, nothing is ever fetched (`--offline`, `WEIR_OFFLINE`).
    pub offline: bool,
    /// The hub's address, without a slash at its end (`HF_ENDPOINT`).
    pub hub_url: String,
    /// What the hub asks for where a repository is not public (`HF_TOKEN`); sent over https, or to
    /// this machine itself.
    pub hub_token: Option<Token>,
    /// The Python that fetches packages.
    pub python: OsString,
    /// Silence on the line after which a download counts as stalled.
    pub stall_timeout: Duration,
    /// Attempts without a single new byte before a download is given up.
    pub retries_max: u32,
    /// Pause before the first retry; it doubles with each.
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
    /// The options that the environment asks for: `WEIR_MODELS`, `XDG_CACHE_HOME` or `HOME`,
    /// `WEIR_OFFLINE` (anything but empty and `0`), `HF_ENDPOINT`, `HF_TOKEN`.
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
}

impl StoreOptions {
    /// Whether there is a token that is not sent to this hub: others could read it on its way.
    pub(super) fn withholds_token(&self) -> bool {
        self.hub_token.is_some() && !is_private(&self.hub_url)
    }
}

/// A secret that does not show itself in logs.
#[derive(Clone, PartialEq, Eq)]
pub struct Token(String);

impl Token {
    /// Wraps a token; blanks around it are dropped.
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
