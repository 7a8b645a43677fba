//! Options of an endpoint: its address, its key, time limits and retries.

use std::time::Duration;

use ureq::http::Uri;

use super::error::{EndpointError, Kind};

/// Path of requests for replies.
const CHAT: &str = "/chat/completions";
/// Paths that users paste after the base address.
const TAILS: [&str; 3] = ["/v1/completions", "/v1/models", "/v1"];
/// Names of query fields that hold secrets; messages show addresses.
const SECRETS: [&str; 5] = ["key", "token", "secret", "password", "signature"];

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
    /// Time between two pieces of a streamed reply.
    pub piece_timeout: Duration,
    /// Total time of one attempt: the server loads the model, reads the prompt and writes.
    pub total_timeout: Duration,
    /// Attempts before giving up, at least 1.
    pub attempts_max: u32,
    /// Pause before the second attempt; doubled before each further one, a minute at most. A pause
    /// given by the server is used instead, up to a minute.
    pub pause: Duration,
}

impl EndpointOptions {
    /// Options for a server and a model: key from `OPENAI_API_KEY`, half a minute between pieces,
    /// ten minutes in total, three attempts.
    #[must_use]
    pub fn new(url: &str, model: &str) -> Self {
        Self {
            url: url.to_owned(),
            model: model.to_owned(),
            key_variable: "OPENAI_API_KEY".to_owned(),
            piece_timeout: Duration::from_secs(30),
            total_timeout: Duration::from_secs(600),
            attempts_max: 3,
            pause: Duration::from_secs(1),
        }
    }
}

/// A model on a server.
#[derive(Debug)]
pub(super) struct Server {
    /// The address without the last part of the path and without a query, for messages too.
    pub(super) base: String,
    query: String,
    pub(super) model: String,
    pub(super) key_variable: String,
    pub(super) key: Key,
}

impl Server {
    /// Parses the address and reads the key. An address that ends in `/chat/completions` is used
    /// unchanged; `/v1/chat/completions` is appended to any other. A query is kept.
    pub(super) fn new(options: &EndpointOptions) -> Result<Self, EndpointError> {
        let given = options.url.trim();
        let (place, query) = given.split_at(given.find('?').unwrap_or(given.len()));
        let place = place.trim_end_matches('/');
        if let Some(reason) = flaw(place, query) {
            // without a name, a password or a query, which may be secret
            let shown = place.rsplit_once('@').map_or(place, |(_, host)| host);
            let shown = shown.chars().filter(|c| !c.is_control()).take(200);
            let message = format!(
                "endpoint `{}`: {reason}; an address begins with http:// or https://, as in \
                 http://localhost:8000/v1",
                shown.collect::<String>()
            );
            return Err(Kind::Final.error(message));
        }
        let base = match place.strip_suffix(CHAT) {
            Some(base) => base.to_owned(),
            None => {
                let tail = TAILS.iter().find_map(|tail| place.strip_suffix(tail));
                format!("{}/v1", tail.unwrap_or(place).trim_end_matches('/'))
            }
        };
        Ok(Self {
            base,
            query: query.to_owned(),
            model: options.model.clone(),
            key_variable: options.key_variable.clone(),
            key: Key::from_env(&options.key_variable)?,
        })
    }

    /// The URL of replies.
    pub(super) fn chat_url(&self) -> String {
        format!("{}{CHAT}{}", self.base, self.query)
    }

    /// The URL of the list of models.
    pub(super) fn models_url(&self) -> String {
        format!("{}/models{}", self.base, self.query)
    }
}

/// Why `place` followed by `query` is not the address of a server.
fn flaw(place: &str, query: &str) -> Option<&'static str> {
    let lower = place.to_ascii_lowercase();
    if !lower.starts_with("http://") && !lower.starts_with("https://") {
        return Some("it does not begin with http:// or https://");
    }
    let names = query.trim_start_matches('?').split('&');
    let mut names = names.map(|field| field.split('=').next().unwrap_or(field).to_lowercase());
    let has_key = names.any(|name| SECRETS.iter().any(|secret| name.contains(secret)));
    if has_key || place.contains('@') {
        return Some("a key has no place in it: the key comes from an environment variable");
    }
    let uri = format!("{place}{query}").parse::<Uri>().ok();
    let is_server = uri.as_ref().and_then(Uri::authority).is_some_and(|server| {
        let port = server.as_str().strip_prefix(server.host());
        let number = port.and_then(|port| port.strip_prefix(':'));
        !server.host().is_empty()
            && (port == Some("") || number.is_some_and(|n| n.parse::<u16>().is_ok_and(|n| n > 0)))
    });
    let has_fragment = place.contains('#') || query.contains('#');
    (!is_server || has_fragment)
        .then_some("it names no host, or holds characters or a port that no address has")
}

/// A key, which is sent in one header and shown nowhere; empty if there is none.
#[derive(Clone, Default)]
pub(super) struct Key(String);

impl Key {
    /// The key in an environment variable.
    pub(super) fn from_env(variable: &str) -> Result<Self, EndpointError> {
        let Some(found) = std::env::var_os(variable) else {
            return Ok(Self::default());
        };
        found.to_str().and_then(Self::new).ok_or_else(|| {
            let message = format!(
                "environment variable {variable} holds a key with spaces or invalid characters; \
                 set it again"
            );
            Kind::Final.error(message)
        })
    }

    /// The given key without surrounding spaces; `None` if it is not valid in a header.
    pub(super) fn new(text: &str) -> Option<Self> {
        let text = text.trim();
        let fits = text.bytes().all(|byte| byte.is_ascii_graphic());
        fits.then(|| Self(text.to_owned()))
    }

    /// The header that carries it.
    pub(super) fn header(&self) -> Option<String> {
        (!self.0.is_empty()).then(|| format!("Bearer {}", self.0))
    }

    /// A text with the key removed.
    pub(super) fn redacted(&self, text: &str) -> String {
        match self.0.is_empty() {
            true => text.to_owned(),
            false => text.replace(&self.0, "[key]"),
        }
    }
}

impl std::fmt::Debug for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.header().map_or("[no key]", |_| "[key]"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn server(url: &str) -> Result<Server, EndpointError> {
        Server::new(&EndpointOptions::new(url, "tiny"))
    }

    #[test]
    fn addresses_are_completed_and_queries_are_kept() {
        let azure = "https://h/openai/deployments/m";
        for (given, base, query) in [
            ("http://h:1", "http://h:1/v1", ""),
            (" http://h:1/v1/ ", "http://h:1/v1", ""),
            ("http://h:1/v1/chat/completions", "http://h:1/v1", ""),
            ("https://h/api/v1/models", "https://h/api/v1", ""),
            ("https://h/models", "https://h/models/v1", ""),
            ("HTTP://[::1]:8000/v1", "HTTP://[::1]:8000/v1", ""),
            ("https://h/v4/chat/completions/", "https://h/v4", ""),
            ("http://h:1/v1/?a=b&c=/d", "http://h:1/v1", "?a=b&c=/d"),
            (&format!("{azure}/chat/completions?v=1"), azure, "?v=1"),
        ] {
            let server = server(given).expect(given);
            assert_eq!(server.chat_url(), format!("{base}/chat/completions{query}"));
            assert_eq!(server.models_url(), format!("{base}/models{query}"));
        }
    }

    #[test]
    fn what_is_no_address_is_told_without_its_secrets() {
        for (given, shown) in [
            ("localhost:8000", "`localhost:8000`"),
            ("", "``"),
            ("ftp://h", "`ftp://h`"),
            ("http:///v1", "`http:///v1`"),
            ("http://:80", "names no host"),
            ("http://h:99999999/v1", "a port that no address has"),
            ("http://h:/v1", "a port that no address has"),
            ("http://h:0", "a port that no address has"),
            ("http://a b/v1", "characters"),
            ("http://h/v1#top", "characters"),
            ("http://h/v1?key=s3cret", "environment variable"),
            ("http://h/v1?a=1&api-key=s3cret", "environment variable"),
            ("http://h/v1?access_token=s3cret", "environment variable"),
            ("http://s3cret:s3cret@h/v1", "environment variable"),
        ] {
            let told = server(given).expect_err(given).to_string();
            assert!(
                told.contains(shown) && told.contains("as in http://"),
                "{told}"
            );
            assert!(!told.contains("s3cret"), "{told}");
        }
    }

    #[test]
    fn a_key_shows_in_its_header_only() {
        let key = Key::new(" s3cret\n").expect("a key");
        assert_eq!(key.header().as_deref(), Some("Bearer s3cret"));
        assert_eq!(format!("{key:?}"), "[key]");
        assert_eq!(Key::default().header(), None);
        assert_eq!(Key::default().redacted("as is"), "as is");
        assert!(Key::new("two\nlines").is_none() && Key::new("schlüssel").is_none());
    }
}
