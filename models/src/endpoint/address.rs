//! The address of a server, completed or refused.

use super::EndpointError;

/// What people paste after the address proper.
const TAILS: [&str; 4] = ["/chat/completions", "/v1/completions", "/v1/models", "/v1"];

/// A server: `http://host:port` and the path before `/v1`, without a slash at the end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Address(String);

impl Address {
    pub(super) fn parse(given: &str) -> Result<Self, EndpointError> {
        let refused = |reason: &str| EndpointError::Address {
            given: shown(given),
            reason: reason.to_owned(),
        };
        let trimmed = given.trim().trim_end_matches('/');
        let Some((scheme, rest)) = trimmed.split_once("://") else {
            return Err(refused("it does not begin with http:// or https://"));
        };
        if !matches!(scheme.to_ascii_lowercase().as_str(), "http" | "https") {
            return Err(refused("it does not begin with http:// or https://"));
        }
        if rest.contains(['?', '#']) {
            return Err(refused("a query or fragment has no place in it"));
        }
        if rest.contains('@') {
            return Err(refused(
                "a name or password has no place in it: the key comes from an environment variable",
            ));
        }
        if rest.is_empty() || rest.starts_with(['/', ':']) {
            return Err(refused("it names no host"));
        }
        let host = rest.split('/').next().unwrap_or_default();
        let port = host
            .rsplit_once(':')
            .filter(|(_, port)| !port.ends_with(']'));
        let is_port = port.is_none_or(|(_, port)| port.parse::<u16>().is_ok_and(|port| port > 0));
        if !is_port || trimmed.parse::<ureq::http::Uri>().is_err() {
            return Err(refused("it holds characters or a port that no address has"));
        }
        let mut base = trimmed;
        for tail in TAILS {
            base = base.strip_suffix(tail).unwrap_or(base);
        }
        Ok(Self(base.trim_end_matches('/').to_owned()))
    }

    pub(super) fn chat(&self) -> String {
        format!("{}/v1/chat/completions", self.0)
    }

    pub(super) fn models(&self) -> String {
        format!("{}/v1/models", self.0)
    }
}

/// An address as a message may show it: without what stands before an `@`.
fn shown(given: &str) -> String {
    let shown = given.rsplit_once('@').map_or(given, |(_, host)| host);
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
    fn what_is_no_address_is_told() {
        for given in [
            "localhost:8000",
            "",
            "ftp://h",
            "http://",
            "http:///v1",
            "http://:80",
            "http://h:99999999/v1",
            "http://h:/v1",
            "http://h:0",
            "http://a b/v1",
            "http://h/v1?key=1",
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
