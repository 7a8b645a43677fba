//! One GET with a range, and when it is tried again.
//!
//! Redirects are followed by hand, because ureq would send the token to another port of the host.
//!
//! Invariant: the token goes to the hub alone, and only over https or to this machine.

use std::io::{self, Read};
use std::thread;
use std::time::Duration;

use ureq::http::Response;
use ureq::{Agent, Body};

use super::options::StoreOptions;
use super::report::Step;
use crate::net::{Fault, config_for, retry_after};

/// The hub needs at most two redirects; more are a loop.
const REDIRECTS_MAX: usize = 6;
/// Largest factor of the first pause.
const BACKOFF_FACTOR_MAX: u32 = 32;

/// A client of the hub.
pub(super) struct Http<'a> {
    agent: Agent,
    pub(super) options: &'a StoreOptions,
}

/// A response with status 200, 206 or 416, whose head has been read.
pub(super) struct Answer {
    pub(super) status: u16,
    /// Offset of the body in the file.
    pub(super) starts_at: u64,
    /// The size of the whole file, if the server gives it.
    pub(super) total: Option<u64>,
    /// The `Link` header with the next page of a list.
    pub(super) link: Option<String>,
    pub(super) body: Box<dyn Read>,
}

/// Why a request, or the reading of its response, failed.
#[derive(Debug, thiserror::Error)]
pub(super) enum Failure {
    /// No connection.
    #[error("{0}")]
    Unreachable(String),
    /// No data arrives on the connection.
    #[error("no data arrives")]
    Stalled,
    /// The connection broke.
    #[error("{0}")]
    Broken(String),
    /// The response is invalid.
    #[error("{0}")]
    Protocol(String),
    /// The server answers with another status.
    #[error("the server answers {status}{}", again(*.retry_after))]
    Status {
        status: u16,
        /// The pause that the server asks for.
        retry_after: Option<Duration>,
    },
}

impl From<Fault> for Failure {
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::Refused => Self::Unreachable("connection refused".to_owned()),
            Fault::Unreachable(reason) => Self::Unreachable(reason),
            Fault::NoConnection => Self::Unreachable("no answer in time".to_owned()),
            Fault::Silent => Self::Stalled,
            Fault::Broken(reason) => Self::Broken(reason),
            Fault::Protocol(reason) => Self::Protocol(reason),
        }
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        match Fault::from(ureq::Error::from(error)) {
            Fault::Silent => Self::Stalled,
            // the connection was there
            Fault::Unreachable(reason) | Fault::Protocol(reason) => Self::Broken(reason),
            other => other.into(),
        }
    }
}

impl Failure {
    /// Whether another attempt may help. A host that was never reached is not asked again.
    fn may_pass(&self, was_reached: bool) -> bool {
        match self {
            Self::Stalled | Self::Broken(_) => true,
            Self::Status { status, .. } => matches!(status, 408 | 429 | 500..=599),
            Self::Unreachable(_) => was_reached,
            Self::Protocol(_) => false,
        }
    }
}

/// The attempts at one file or list.
pub(super) struct Attempts {
    failures: u32,
    was_reached: bool,
}

impl Attempts {
    pub(super) fn new() -> Self {
        Self {
            failures: 0,
            was_reached: false,
        }
    }

    /// The attempt brought data that no other one had brought: failures count from here.
    pub(super) fn progress(&mut self) {
        (self.failures, self.was_reached) = (0, true);
    }

    /// Waits before the next attempt; gives the failure back if there is none.
    pub(super) fn again(
        &mut self,
        failure: Failure,
        options: &StoreOptions,
        report: &mut dyn FnMut(Step<'_>),
    ) -> Result<(), Failure> {
        self.failures += 1;
        if !failure.may_pass(self.was_reached) || self.failures > options.retries_max {
            return Err(failure);
        }
        report(Step::Retrying {
            attempt: self.failures + 1,
            reason: &failure.to_string(),
        });
        let factor = 2_u32
            .saturating_pow(self.failures - 1)
            .min(BACKOFF_FACTOR_MAX);
        thread::sleep(match failure {
            Failure::Status {
                retry_after: Some(pause),
                ..
            } => pause,
            _ => options.backoff * factor,
        });
        Ok(())
    }
}

impl<'a> Http<'a> {
    pub(super) fn new(options: &'a StoreOptions) -> Self {
        let stall = Some(options.stall_timeout);
        let config = config_for(&options.hub_url)
            .timeout_connect(stall)
            .timeout_recv_response(stall)
            .timeout_per_read(stall);
        Self {
            agent: config.build().into(),
            options,
        }
    }

    /// Requests `url` from byte `from` on.
    pub(super) fn get(&self, url: &str, from: u64) -> Result<Answer, Failure> {
        let home = origin(url);
        let mut url = url.to_owned();
        for _ in 0..REDIRECTS_MAX {
            let response = self.ask(&url, from, origin(&url) == home)?;
            match response.status().as_u16() {
                status @ (200 | 206 | 416) => return Ok(answer(response, status)),
                301 | 302 | 303 | 307 | 308 => {
                    url = redirected(&url, header(&response, "location").unwrap_or_default())?;
                }
                status => {
                    return Err(Failure::Status {
                        status,
                        retry_after: retry_after(response.headers()),
                    });
                }
            }
        }
        let reason = format!("more than {REDIRECTS_MAX} redirects, the last to {url}");
        Err(Failure::Protocol(reason))
    }

    fn ask(&self, url: &str, from: u64, is_hub: bool) -> Result<Response<Body>, Failure> {
        let mut request = self.agent.get(url).header("accept-encoding", "identity");
        if from > 0 {
            request = request.header("range", format!("bytes={from}-"));
        }
        if let Some(token) = self.options.token_for(url).filter(|_| is_hub) {
            request = request.header("authorization", format!("Bearer {}", token.reveal()));
        }
        request.call().map_err(|error| Fault::from(error).into())
    }
}

fn answer(response: Response<Body>, status: u16) -> Answer {
    let length = header(&response, "content-length").and_then(|text| text.parse().ok());
    let range = header(&response, "content-range").and_then(parse_range);
    let (starts_at, total) = match (status, range) {
        (206 | 416, Some((start, total))) => (start, total),
        _ => (0, length),
    };
    Answer {
        status,
        starts_at,
        total,
        link: header(&response, "link").map(str::to_owned),
        body: Box::new(response.into_body().into_reader()),
    }
}

/// Parses `bytes 100-199/2000` or `bytes */2000`: the start, and the total size.
fn parse_range(text: &str) -> Option<(u64, Option<u64>)> {
    let (span, total) = text.strip_prefix("bytes ")?.split_once('/')?;
    let start = span.split('-').next()?.parse().unwrap_or(0);
    Some((start, total.parse().ok()))
}

fn header<'a>(response: &'a Response<Body>, name: &str) -> Option<&'a str> {
    response.headers().get(name)?.to_str().ok()
}

/// `https://host:port` of an address.
fn origin(url: &str) -> Option<&str> {
    let rest = url
        .strip_prefix("https://")
        .or_else(|| url.strip_prefix("http://"))?;
    let host = rest
        .split(['/', '?', '#'])
        .next()
        .filter(|host| !host.is_empty())?;
    url.get(..url.len() - rest.len() + host.len())
}

/// The target of a redirect: an absolute address, or a path on the same host.
fn redirected(base: &str, to: &str) -> Result<String, Failure> {
    if base.starts_with("https://") && to.starts_with("http://") {
        return Err(Failure::Protocol(format!(
            "it redirects out of TLS, to {to}"
        )));
    }
    match origin(base) {
        _ if origin(to).is_some() => Ok(to.to_owned()),
        Some(origin) if to.starts_with('/') && !to.starts_with("//") => Ok(format!("{origin}{to}")),
        _ => Err(Failure::Protocol(format!(
            "it redirects to {to:?}, which is no http address"
        ))),
    }
}

/// The addition to a message if a server asks for a pause.
fn again(retry_after: Option<Duration>) -> String {
    retry_after.map_or_else(String::new, |pause| {
        format!(" and is asked again in {pause:?}")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn redirects_stay_on_the_host_or_name_another() {
        let base = "https://hub.example:8443/a/b?c";
        for (to, expected) in [
            ("/x?y=1", Some("https://hub.example:8443/x?y=1")),
            ("https://cdn.example/x", Some("https://cdn.example/x")),
            ("http://cdn.example/x", None),
            ("x", None),
            ("//cdn.example/x", None),
            ("ftp://cdn.example/x", None),
            ("http:///x", None),
            ("", None),
        ] {
            assert_eq!(redirected(base, to).ok().as_deref(), expected, "{to:?}");
        }
    }

    #[test]
    fn ranges_are_read() {
        assert_eq!(parse_range("bytes 100-199/2000"), Some((100, Some(2000))));
        assert_eq!(parse_range("bytes */2000"), Some((0, Some(2000))));
        assert_eq!(parse_range("bytes 5-9/*"), Some((5, None)));
        assert_eq!(parse_range("items 1-2/3"), None);
    }
}
