//! Completes and checks the address of a server.

use super::EndpointError;

/// Path of requests for replies.
const CHAT: &str = "/chat/completions";
/// Paths that users paste after the base address.
const TAILS: [&str; 3] = ["/v1/completions", "/v1/models", "/v1"];
/// Names of query fields that hold secrets; messages show addresses.
const SECRETS: [&str; 5] = ["key", "token", "secret", "password", "signature"];

/// A server: the URL for replies and the URL of its list of models.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Address {
    chat: String,
    models: String,
}

impl Address {
    /// Parses an address. One that ends in `/chat/completions` is used unchanged;
    /// `/v1/chat/completions` is appended to any other. A query is kept.
    pub(super) fn parse(given: &str) -> Result<Self, EndpointError> {
        let refused = |reason: &str| EndpointError::Address {
            given: shown(given),
            reason: reason.to_owned(),
        };
        let (place, query) = match given.trim().split_once('?') {
            Some((place, query)) => (place, format!("?{query}")),
            None => (given.trim(), String::new()),
        };
        let place = place.trim_end_matches('/');
        if given.contains('#') {
            return Err(refused("a fragment has no place in it"));
        }
        if has_secret(&query) {
            return Err(refused(
                "a key has no place in its query: the key comes from an environment variable",
            ));
        }
        check(place, &query).map_err(refused)?;
        let base = match place.strip_suffix(CHAT) {
            Some(base) => base.to_owned(),
            None => {
                let tail = TAILS.iter().find_map(|tail| place.strip_suffix(tail));
                format!("{}/v1", tail.unwrap_or(place).trim_end_matches('/'))
            }
        };
        Ok(Self {
            chat: format!("{base}{CHAT}{query}"),
            models: format!("{base}/models{query}"),
        })
    }

    pub(super) fn chat(&self) -> String {
        self.chat.clone()
    }

    pub(super) fn models(&self) -> String {
        self.models.clone()
    }
}

/// Checks that `place` followed by `query` is a valid address; the error gives the reason.
fn check(place: &str, query: &str) -> Result<(), &'static str> {
    let no_scheme = "it does not begin with http:// or https://";
    let (scheme, rest) = place.split_once("://").ok_or(no_scheme)?;
    if !matches!(scheme.to_ascii_lowercase().as_str(), "http" | "https") {
        return Err(no_scheme);
    }
    if rest.contains('@') {
        return Err(
            "a name or password has no place in it: the key comes from an environment variable",
        );
    }
    if rest.is_empty() || rest.starts_with(['/', ':']) {
        return Err("it names no host");
    }
    let host = rest.split('/').next().unwrap_or_default();
    let port = host
        .rsplit_once(':')
        .filter(|(_, port)| !port.ends_with(']'));
    let is_port = port.is_none_or(|(_, port)| port.parse::<u16>().is_ok_and(|port| port > 0));
    let whole = format!("{place}{query}");
    if !is_port || whole.parse::<ureq::http::Uri>().is_err() {
        return Err("it holds characters or a port that no address has");
    }
    Ok(())
}

/// Whether a query has a field with the name of a secret.
fn has_secret(query: &str) -> bool {
    let names = query.trim_start_matches('?').split('&');
    let names = names.filter_map(|field| field.split('=').next());
    names
        .map(str::to_ascii_lowercase)
        .any(|name| SECRETS.iter().any(|secret| name.contains(secret)))
}

/// An address for a message: without user information before an `@`, and without its query.
fn shown(given: &str) -> String {
    let shown = given.split('?').next().unwrap_or_default();
    let shown = shown.rsplit_once('@').map_or(shown, |(_, host)| host);
    let shown = shown.chars().filter(|c| !c.is_control());
    shown.take(200).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_completed() {
        for (given, chat) in [
            ("http://h:1", "http://h:1/v1/chat/completions"),
            (" http://h:1/ ", "http://h:1/v1/chat/completions"),
            ("http://h:1/v1", "http://h:1/v1/chat/completions"),
            ("http://h:1/v1/", "http://h:1/v1/chat/completions"),
            (
                "http://h:1/v1/chat/completions",
                "http://h:1/v1/chat/completions",
            ),
            (
                "https://h/api/v1/models",
                "https://h/api/v1/chat/completions",
            ),
            ("https://h/models", "https://h/models/v1/chat/completions"),
            (
                "http://[::1]:8000/v1",
                "http://[::1]:8000/v1/chat/completions",
            ),
        ] {
            assert_eq!(Address::parse(given).expect("an address").chat(), chat);
        }
        let address = Address::parse("http://h:1/x").expect("an address");
        assert_eq!(address.models(), "http://h:1/x/v1/models");
    }

    #[test]
    fn a_full_address_is_taken_as_it_is_and_a_query_is_kept() {
        let azure = "https://h/openai/deployments/m/chat/completions?api-version=2024-10-21";
        for (given, chat, models) in [
            (
                azure,
                azure,
                "https://h/openai/deployments/m/models?api-version=2024-10-21",
            ),
            (
                "https://h/api/paas/v4/chat/completions/",
                "https://h/api/paas/v4/chat/completions",
                "https://h/api/paas/v4/models",
            ),
            (
                "http://h:1/v1/?a=b&c=/d",
                "http://h:1/v1/chat/completions?a=b&c=/d",
                "http://h:1/v1/models?a=b&c=/d",
            ),
            (
                "http://h:1?a=1",
                "http://h:1/v1/chat/completions?a=1",
                "http://h:1/v1/models?a=1",
            ),
        ] {
            let address = Address::parse(given).expect("an address");
            assert_eq!(
                (address.chat().as_str(), address.models().as_str()),
                (chat, models)
            );
        }
    }

    #[test]
    fn a_key_in_a_query_is_refused_and_not_repeated() {
        for given in [
            "http://h/v1?key=s3cret",
            "http://h/v1?a=1&api-key=s3cret",
            "http://h/v1?access_token=s3cret",
        ] {
            let told = Address::parse(given).expect_err(given).to_string();
            assert!(!told.contains("s3cret"), "{told}");
            assert!(told.contains("environment variable"), "{told}");
        }
    }

    #[test]
    fn what_is_no_address_is_told() {
        for given in [
            "localhost:8000", "", "ftp://h", "http://", "http:///v1", "http://:80",
            "http://h:99999999/v1", "http://h:/v1", "http://h:0", "http://a b/v1",
            "http://h/v1#top",
        ] {
            let told = Address::parse(given).expect_err(given).to_string();
            assert!(
                told.contains(given) && told.contains("http://localhost:8000/v1"),
                "{told}"
            );
        }
        let told = Address::parse("http://me:word@h/v1")
            .expect_err("refused")
            .to_string();
        assert!(!told.contains("word@") && !told.contains("me:"), "{told}");
    }
}
