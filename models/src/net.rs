//! Network settings shared by all HTTP clients.

use std::io::{self, ErrorKind};
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use ureq::Agent;
use ureq::config::ConfigBuilder;
use ureq::http::{HeaderMap, Uri};
use ureq::tls::{PemItem, RootCerts, TlsConfig};
use ureq::typestate::AgentScope;
use ureq::{Error, Timeout};

/// Longest pause accepted from a server (`Retry-After`).
pub(crate) const RETRY_AFTER_MAX: Duration = Duration::from_secs(60);

/// A client's settings for this machine: user agent, no proxy for the loopback, the certificates in
/// `SSL_CERT_FILE`, no automatic redirects, bodies readable for any status.
pub(crate) fn config_for(url: &str) -> ConfigBuilder<AgentScope> {
    let mut config = Agent::config_builder()
        .http_status_as_error(false)
        .max_redirects(0)
        .user_agent(concat!("weir/", env!("CARGO_PKG_VERSION")));
    if is_loopback(url) {
        // A proxy could not reach this machine's loopback.
        config = config.proxy(None);
    }
    if let Some(roots) = roots_from_env() {
        config = config.tls_config(TlsConfig::builder().root_certs(roots).build());
    }
    config
}

/// Why a request, or the reading of its response, failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Fault {
    /// There is no way to the server, or no secure one.
    #[error("{0}")]
    Unreachable(String),
    /// No data came in time.
    #[error("no data arrives")]
    Silent,
    /// The connection broke.
    #[error("{0}")]
    Broken(String),
    /// The response is not HTTP.
    #[error("{0}")]
    Protocol(String),
}

impl From<Error> for Fault {
    fn from(error: Error) -> Self {
        match &error {
            Error::Timeout(Timeout::Resolve | Timeout::Connect) => {
                Self::Unreachable("no answer in time".to_owned())
            }
            Error::Timeout(_) => Self::Silent,
            Error::HostNotFound => Self::Unreachable("no host of this name is known".to_owned()),
            Error::ConnectionFailed => Self::Unreachable(error.to_string()),
            Error::Io(io) => match io.kind() {
                ErrorKind::ConnectionRefused
                | ErrorKind::AddrNotAvailable
                | ErrorKind::HostUnreachable
                | ErrorKind::NetworkDown
                | ErrorKind::NetworkUnreachable => Self::Unreachable(io.to_string()),
                // rustls reports certificate errors and servers that speak plain HTTP this way
                ErrorKind::InvalidData => insecure(io),
                // the standard library has no error kind for an unknown host name
                _ if io.to_string().starts_with("failed to lookup") => {
                    Self::Unreachable(io.to_string())
                }
                _ => Self::Broken(io.to_string()),
            },
            Error::Rustls(_) | Error::Tls(_) | Error::Pem(_) => insecure(&error),
            other => Self::Protocol(other.to_string()),
        }
    }
}

/// Of the reading of a response: the connection was there.
impl From<io::Error> for Fault {
    fn from(error: io::Error) -> Self {
        match Self::from(Error::from(error)) {
            Self::Protocol(reason) | Self::Unreachable(reason) => Self::Broken(reason),
            other => other,
        }
    }
}

fn insecure(error: &dyn std::error::Error) -> Fault {
    Fault::Unreachable(format!(
        "no secure connection: {error}; an http:// address asks for none, and SSL_CERT_FILE names \
         the certificates of a network that has its own"
    ))
}

/// The pause that a server asks for before the next request, at most [`RETRY_AFTER_MAX`]. In
/// seconds; some servers give a fraction. Dates are ignored.
pub(crate) fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let text = headers.get("retry-after")?.to_str().ok()?;
    let seconds: f64 = text.trim().parse().ok()?;
    // a value too large for a duration exceeds any bound
    let asked = match seconds > RETRY_AFTER_MAX.as_secs_f64() {
        true => RETRY_AFTER_MAX,
        false => Duration::try_from_secs_f64(seconds).ok()?,
    };
    Some(asked)
}

/// Whether the host of an address is this machine.
pub(crate) fn is_loopback(url: &str) -> bool {
    let uri: Option<Uri> = url.parse().ok();
    let host = uri.as_ref().and_then(Uri::host).unwrap_or_default();
    let address = host.trim_matches(['[', ']']).parse::<IpAddr>();
    host.eq_ignore_ascii_case("localhost") || address.is_ok_and(|address| address.is_loopback())
}

/// Whether data sent to an address cannot be read in transit: it is https, or this machine.
#[cfg(feature = "weights")]
pub(crate) fn is_private(url: &str) -> bool {
    url.starts_with("https://") || is_loopback(url)
}

/// The certificates in `SSL_CERT_FILE`, the common variable for a network's own certificates.
fn roots_from_env() -> Option<RootCerts> {
    let file = std::env::var_os("SSL_CERT_FILE").filter(|file| !file.is_empty())?;
    let pem = std::fs::read(file).ok()?;
    let certificates = ureq::tls::parse_pem(&pem).filter_map(|item| match item {
        Ok(PemItem::Certificate(certificate)) => Some(certificate),
        _ => None,
    });
    let certificates: Vec<_> = certificates.collect();
    (!certificates.is_empty()).then(|| RootCerts::Specific(Arc::new(certificates)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ureq::http::header::RETRY_AFTER;

    #[test]
    fn a_wait_is_heeded_within_its_bound() {
        let asked = |text: &str| {
            let value = text.parse().expect("a header's value");
            retry_after(&HeaderMap::from_iter([(RETRY_AFTER, value)]))
        };
        assert_eq!(asked("3"), Some(Duration::from_secs(3)));
        assert_eq!(asked(" 0.5 "), Some(Duration::from_millis(500)));
        assert_eq!(asked("86400"), Some(RETRY_AFTER_MAX));
        assert_eq!(asked("1e300"), Some(RETRY_AFTER_MAX));
        for none in ["-1", "NaN", "soon", "Wed, 21 Oct 2015 07:28:00 GMT"] {
            assert_eq!(asked(none), None, "{none}");
        }
        assert_eq!(retry_after(&HeaderMap::new()), None);
    }

    #[test]
    fn a_certificate_that_is_not_trusted_is_told_with_what_helps() {
        let certificate = "invalid peer certificate: UnknownIssuer";
        let io = io::Error::new(ErrorKind::InvalidData, certificate);
        let Fault::Unreachable(reason) = Error::Io(io).into() else {
            panic!("another attempt would not help");
        };
        assert!(
            reason.contains("UnknownIssuer") && reason.contains("SSL_CERT_FILE"),
            "{reason}"
        );
        let reset = io::Error::from(ErrorKind::ConnectionReset);
        assert!(matches!(Error::Io(reset).into(), Fault::Broken(_)));
    }

    #[test]
    fn the_loopback_is_known_by_its_whole_name() {
        for here in [
            "http://localhost",
            "http://LocalHost:80/v1",
            "http://127.0.0.1:8000/v1",
            "https://127.9.9.9",
            "http://[::1]:8000",
        ] {
            assert!(is_loopback(here), "{here}");
        }
        for elsewhere in [
            "http://localhost.example.com",
            "http://127.example.com",
            "http://10.0.0.1",
            "http://[::2]:8000",
            "https://example.com/localhost",
            "http://localhost:80@example.com",
        ] {
            assert!(!is_loopback(elsewhere), "{elsewhere}");
        }
    }
}
