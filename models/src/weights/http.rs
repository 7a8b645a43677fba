//! One GET with a range; redirects are followed by hand.
//!
//! By hand, because the hub gives the checksum of a large file in the redirect response, not in the
//! last one, and because the token must not go to another host.
//!
//! Invariant: the token is sent only over https, or to this machine.

use std::io::Read;
use std::time::Duration;

use ureq::http::Response;
use ureq::{Agent, Body, Timeout};

use super::manifest::is_lower_hex;
use super::options::{StoreOptions, Token};
use crate::net::{config_for, is_private, retry_after};

/// The hub needs at most two redirects; more are a loop.
const REDIRECTS_MAX: usize = 6;

/// A client of the hub.
pub(super) struct Http {
    agent: Agent,
    token: Option<Token>,
}

/// A response whose head has been read.
pub(super) struct Answer {
    pub(super) status: u16,
    /// Offset of the body in the file.
    pub(super) starts_at: u64,
    /// The size of the whole file, if the server gives it.
    pub(super) total: Option<u64>,
    /// The file's SHA-256, if the server gives it.
    pub(super) sha256: Option<String>,
    /// The `Link` header with the next page of a list.
    pub(super) link: Option<String>,
    /// The pause that the server asks for.
    pub(super) retry_after: Option<Duration>,
    pub(super) body: Box<dyn Read>,
}

/// Why a request or its body failed.
#[derive(Debug)]
pub(super) enum HttpError {
    /// No connection.
    Unreachable(String),
    /// No data arrives on the connection.
    Stalled,
    /// The connection broke.
    Broken(String),
    /// The response is invalid.
    Protocol(String),
}

impl Http {
    pub(super) fn new(options: &StoreOptions) -> Self {
        let stall = Some(options.stall_timeout);
        let config = config_for(&options.hub_url)
            .timeout_connect(stall)
            .timeout_recv_response(stall)
            .timeout_per_read(stall);
        Self {
            agent: config.build().into(),
            token: options.hub_token.clone(),
        }
    }

    /// Requests `url` from byte `from` on.
    pub(super) fn get(&self, url: &str, from: u64) -> Result<Answer, HttpError> {
        let first_origin = origin(url).ok_or_else(|| not_a_url(url))?.to_owned();
        let mut url = url.to_owned();
        let mut sha256 = None;
        for _ in 0..REDIRECTS_MAX {
            let response = self.ask(&url, from, origin(&url) == Some(&first_origin))?;
            sha256 = sha256.or_else(|| linked_sha256(&response));
            let status = response.status().as_u16();
            if !matches!(status, 301 | 302 | 303 | 307 | 308) {
                return Ok(answer(response, status, sha256));
            }
            let to = header(&response, "location").ok_or_else(|| {
                HttpError::Protocol(format!("{url} redirects (answer {status}) to nowhere"))
            })?;
            url = join(&url, to)?;
        }
        Err(HttpError::Protocol(format!(
            "more than {REDIRECTS_MAX} redirects, the last to {url}"
        )))
    }

    /// The token for a request to `url`, if it `is_meant` for that host. It is not sent unencrypted
    /// over a network.
    fn token_for(&self, url: &str, is_meant: bool) -> Option<&Token> {
        let is_sent = is_meant && is_private(url);
        self.token.as_ref().filter(|_| is_sent)
    }

    fn ask(&self, url: &str, from: u64, with_token: bool) -> Result<Response<Body>, HttpError> {
        let mut request = self.agent.get(url).header("accept-encoding", "identity");
        if from > 0 {
            request = request.header("range", format!("bytes={from}-"));
        }
        if let Some(token) = self.token_for(url, with_token) {
            request = request.header("authorization", format!("Bearer {}", token.reveal()));
        }
        request.call().map_err(classify)
    }
}

/// Groups the client's errors by what the caller can do.
fn classify(error: ureq::Error) -> HttpError {
    match error {
        ureq::Error::Timeout(Timeout::Resolve | Timeout::Connect) => {
            HttpError::Unreachable("no answer in time".to_owned())
        }
        ureq::Error::Timeout(_) => HttpError::Stalled,
        ureq::Error::HostNotFound | ureq::Error::ConnectionFailed => {
            HttpError::Unreachable(error.to_string())
        }
        ureq::Error::Io(error) if is_before_connection(&error) => {
            HttpError::Unreachable(error.to_string())
        }
        // rustls reports certificate errors and servers that speak plain HTTP this way
        ureq::Error::Io(error) if error.kind() == std::io::ErrorKind::InvalidData => {
            insecure(&error)
        }
        ureq::Error::Io(_) => HttpError::Broken(error.to_string()),
        ureq::Error::Rustls(_) | ureq::Error::Tls(_) | ureq::Error::Pem(_) => insecure(&error),
        other => HttpError::Protocol(other.to_string()),
    }
}

fn insecure(error: &dyn std::error::Error) -> HttpError {
    let hint = "set SSL_CERT_FILE if this network has a certificate of its own";
    HttpError::Unreachable(format!("no secure connection: {error}; {hint}"))
}

fn is_before_connection(error: &std::io::Error) -> bool {
    use std::io::ErrorKind::{
        AddrNotAvailable, ConnectionRefused, HostUnreachable, NetworkDown, NetworkUnreachable,
    };
    let kinds = [
        AddrNotAvailable, ConnectionRefused, HostUnreachable, NetworkDown, NetworkUnreachable,
    ];
    // The standard library has no error kind for an unknown host name.
    kinds.contains(&error.kind()) || error.to_string().starts_with("failed to lookup address")
}

/// Groups an error that occurred while the body was read.
pub(super) fn classify_read(error: std::io::Error) -> HttpError {
    match ureq::Error::from(error) {
        ureq::Error::Timeout(_) => HttpError::Stalled,
        other => HttpError::Broken(other.to_string()),
    }
}

fn answer(response: Response<Body>, status: u16, sha256: Option<String>) -> Answer {
    let length = header(&response, "content-length").and_then(|text| text.parse().ok());
    let range = header(&response, "content-range").and_then(parse_content_range);
    let (starts_at, total) = match (status, range) {
        (206 | 416, Some((start, total))) => (start, total),
        _ => (0, length),
    };
    let link = header(&response, "link").map(str::to_owned);
    let retry_after = retry_after(response.headers());
    let body = Box::new(response.into_body().into_reader());
    Answer {
        status,
        starts_at,
        total,
        sha256,
        link,
        retry_after,
        body,
    }
}

/// Parses `bytes 100-199/2000` or `bytes */2000`: the start, and the total size.
fn parse_content_range(text: &str) -> Option<(u64, Option<u64>)> {
    let (span, total) = text.strip_prefix("bytes ")?.split_once('/')?;
    let start = span.split('-').next()?.parse().unwrap_or(0);
    Some((start, total.parse().ok()))
}

fn header<'a>(response: &'a Response<Body>, name: &str) -> Option<&'a str> {
    response.headers().get(name)?.to_str().ok()
}

/// The checksum that the hub gives for a file in its large-file storage.
fn linked_sha256(response: &Response<Body>) -> Option<String> {
    let tag = header(response, "x-linked-etag")?
        .trim_start_matches("W/")
        .trim_matches('"');
    let is_sha256 = tag.len() == 64 && tag.bytes().all(is_lower_hex);
    is_sha256.then(|| tag.to_owned())
}

/// `https://host:port` of an address.
fn origin(url: &str) -> Option<&str> {
    let after_scheme = url
        .strip_prefix("https://")
        .or_else(|| url.strip_prefix("http://"))?;
    let host = after_scheme
        .find(['/', '?', '#'])
        .unwrap_or(after_scheme.len());
    (host > 0).then(|| &url[..url.len() - after_scheme.len() + host])
}

/// The target of a redirect: an absolute address, or a path on the same host.
fn join(base: &str, to: &str) -> Result<String, HttpError> {
    if base.starts_with("https://") && to.starts_with("http://") {
        return Err(HttpError::Protocol(format!(
            "it redirects out of TLS, to {to}"
        )));
    }
    if origin(to).is_some() {
        return Ok(to.to_owned());
    }
    match origin(base) {
        Some(origin) if to.starts_with('/') && !to.starts_with("//") => Ok(format!("{origin}{to}")),
        _ => Err(not_a_url(to)),
    }
}

fn not_a_url(text: &str) -> HttpError {
    HttpError::Protocol(format!("{text:?} is not an http or https address"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn redirects_stay_on_the_host_or_name_another() {
        let base = "https://hub.example:8443/a/b?c";
        assert_eq!(
            join(base, "/x?y=1").unwrap(),
            "https://hub.example:8443/x?y=1"
        );
        assert_eq!(
            join(base, "https://cdn.example/x").unwrap(),
            "https://cdn.example/x"
        );
        for bad in [
            "http://cdn.example/x", "x", "//cdn.example/x", "ftp://cdn.example/x", "",
        ] {
            assert!(join(base, bad).is_err(), "{bad:?} was followed");
        }
        assert_eq!(origin("http://h"), Some("http://h"));
        assert_eq!(origin("http:///x"), None);
    }

    #[test]
    fn the_token_goes_over_https_or_to_this_machine() {
        let http = Http::new(&StoreOptions {
            hub_token: Some(Token::new("secret")),
            ..StoreOptions::default()
        });
        for url in ["https://hub.example/a", "http://localhost:80/a"] {
            assert!(http.token_for(url, true).is_some(), "{url}");
            assert!(http.token_for(url, false).is_none(), "{url}");
        }
        for url in ["http://hub.example:81/a", "http://10.0.0.1/a"] {
            assert!(http.token_for(url, true).is_none(), "{url}");
        }
    }

    #[test]
    fn ranges_are_read() {
        assert_eq!(
            parse_content_range("bytes 100-199/2000"),
            Some((100, Some(2000)))
        );
        assert_eq!(parse_content_range("bytes */2000"), Some((0, Some(2000))));
        assert_eq!(parse_content_range("bytes 5-9/*"), Some((5, None)));
        assert_eq!(parse_content_range("items 1-2/3"), None);
    }

    #[test]
    fn a_certificate_that_is_not_trusted_is_told_with_what_helps() {
        let certificate = "invalid peer certificate: UnknownIssuer";
        let io = std::io::Error::new(std::io::ErrorKind::InvalidData, certificate);
        let HttpError::Unreachable(reason) = classify(ureq::Error::Io(io)) else {
            panic!("another attempt would not help");
        };
        assert!(
            reason.contains("UnknownIssuer") && reason.contains("SSL_CERT_FILE"),
            "{reason}"
        );
        let io = std::io::Error::from(std::io::ErrorKind::ConnectionReset);
        assert!(matches!(
            classify(ureq::Error::Io(io)),
            HttpError::Broken(_)
        ));
    }
}
