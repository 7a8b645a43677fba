//! GETs from the hub: the one place for time limits, redirects and retries.
//!
//! Redirects are followed by hand, because ureq would send the token to another port of the host.
//!
//! Invariant: the token goes to the hub alone, and only over https or to this machine.

use std::io::{self, Read};
use std::thread;
use std::time::Duration;

use ureq::Agent;
use ureq::http::{HeaderMap, Uri};

use super::error::WeightsError;
use super::options::StoreOptions;
use super::report::{Reporter, Step};
use crate::net::{Fault, config_for, retry_after};

/// The hub needs at most two redirects; more are a loop.
const REDIRECTS_MAX: usize = 6;
/// Largest factor of the first pause.
const BACKOFF_FACTOR_MAX: u32 = 32;

/// A client of the hub.
pub(super) struct Http<'a> {
    agent: Agent,
    pub(super) options: &'a StoreOptions,
    pub(super) reporter: &'a Reporter<'a>,
}

/// Takes a response.
pub(super) type Take<'a, T> = &'a mut dyn FnMut(Answer) -> Result<T, Failure>;

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
    /// The connection, or what came over it.
    #[error(transparent)]
    Net(#[from] Fault),
    /// The server answers with another status.
    #[error("the server answers {status}{}", again(*.retry_after))]
    Status {
        status: u16,
        /// The pause that the server asks for.
        retry_after: Option<Duration>,
    },
    /// Something else failed, which another attempt does not mend.
    #[error(transparent)]
    Other(#[from] WeightsError),
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Net(error.into())
    }
}

impl Failure {
    pub(super) fn closed() -> Self {
        Self::Net(Fault::Broken("the connection was closed".to_owned()))
    }

    /// Whether another attempt may help. A host that was never reached is not asked again.
    fn may_pass(&self, was_reached: bool) -> bool {
        match self {
            Self::Net(Fault::Broken(_) | Fault::Silent) => true,
            Self::Net(Fault::Unreachable(_)) => was_reached,
            Self::Status { status, .. } => matches!(status, 408 | 429 | 500..=599),
            Self::Net(Fault::Protocol(_)) | Self::Other(_) => false,
        }
    }
}

impl<'a> Http<'a> {
    pub(super) fn new(options: &'a StoreOptions, reporter: &'a Reporter<'a>) -> Self {
        let stall = Some(options.stall_timeout);
        let config = config_for(&options.hub_url)
            .timeout_connect(stall)
            .timeout_recv_response(stall)
            .timeout_per_read(stall);
        Self {
            agent: config.build().into(),
            options,
            reporter,
        }
    }

    /// The result of `take` on the response at a URL from byte `done()` on. Tried again after a
    /// pause where that may help; failures are counted since the last attempt that brought more
    /// bytes than any before.
    pub(super) fn get<T>(
        &self,
        url: &str,
        done: &dyn Fn() -> u64,
        take: Take<'_, T>,
    ) -> Result<T, Failure> {
        let (mut failures, mut was_reached, mut most) = (0, false, done());
        loop {
            let failure = match self.ask(url, done()).and_then(&mut *take) {
                Ok(taken) => return Ok(taken),
                Err(failure) => failure,
            };
            if done() > most {
                (failures, was_reached, most) = (0, true, done());
            }
            failures += 1;
            if !failure.may_pass(was_reached) || failures > self.options.retries_max {
                return Err(failure);
            }
            let (attempt, reason) = (failures + 1, &failure.to_string());
            self.reporter
                .tell(done(), Step::Retrying { attempt, reason });
            let factor = 2_u32.saturating_pow(failures - 1).min(BACKOFF_FACTOR_MAX);
            let asked = match failure {
                Failure::Status { retry_after, .. } => retry_after,
                _ => None,
            };
            thread::sleep(asked.unwrap_or(self.options.backoff * factor));
        }
    }

    fn ask(&self, url: &str, from: u64) -> Result<Answer, Failure> {
        let home = origin(url);
        let mut url = url.to_owned();
        for _ in 0..REDIRECTS_MAX {
            let mut request = self.agent.get(&url).header("accept-encoding", "identity");
            if from > 0 {
                request = request.header("range", format!("bytes={from}-"));
            }
            let token = self.options.token_for(&url);
            if let Some(token) = token.filter(|_| origin(&url) == home) {
                request = request.header("authorization", format!("Bearer {}", token.reveal()));
            }
            let (head, body) = request.call().map_err(Fault::from)?.into_parts();
            match head.status.as_u16() {
                status @ (200 | 206 | 416) => {
                    let body = Box::new(body.into_reader());
                    return Ok(answer(status, &head.headers, body));
                }
                301 | 302 | 303 | 307 | 308 => {
                    url = redirected(&url, header(&head.headers, "location").unwrap_or_default())?;
                }
                status => {
                    let retry_after = retry_after(&head.headers);
                    return Err(Failure::Status {
                        status,
                        retry_after,
                    });
                }
            }
        }
        let reason = format!("more than {REDIRECTS_MAX} redirects, the last to {url}");
        Err(Fault::Protocol(reason).into())
    }
}

fn answer(status: u16, headers: &HeaderMap, body: Box<dyn Read>) -> Answer {
    let length = header(headers, "content-length").and_then(|text| text.parse().ok());
    let range = header(headers, "content-range").and_then(parse_range);
    let (starts_at, total) = match (status, range) {
        (206 | 416, Some((start, total))) => (start, total),
        _ => (0, length),
    };
    let link = header(headers, "link").map(str::to_owned);
    Answer {
        status,
        starts_at,
        total,
        link,
        body,
    }
}

/// Parses `bytes 100-199/2000` or `bytes */2000`: the start, and the total size.
fn parse_range(text: &str) -> Option<(u64, Option<u64>)> {
    let (span, total) = text.strip_prefix("bytes ")?.split_once('/')?;
    let start = span.split('-').next()?.parse().unwrap_or(0);
    Some((start, total.parse().ok()))
}

fn header<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name)?.to_str().ok()
}

/// Scheme, host and port of an address.
fn origin(url: &str) -> Option<String> {
    let uri: Uri = url.parse().ok()?;
    let scheme = uri
        .scheme_str()
        .filter(|it| matches!(*it, "http" | "https"))?;
    Some(format!("{scheme}://{}", uri.authority()?))
}

/// The target of a redirect: an absolute address, or a path on the same host.
fn redirected(base: &str, to: &str) -> Result<String, Fault> {
    let reason = match origin(base) {
        _ if base.starts_with("https://") && to.starts_with("http://") => "leads out of TLS",
        _ if origin(to).is_some() => return Ok(to.to_owned()),
        Some(home) if to.starts_with('/') && !to.starts_with("//") => return Ok(home + to),
        _ => "is no http address",
    };
    Err(Fault::Protocol(format!(
        "it redirects to {to:?}, which {reason}"
    )))
}

/// The addition to a message if a server asks for a pause.
fn again(retry_after: Option<Duration>) -> String {
    let told = |pause| format!(" and is asked again in {pause:?}");
    retry_after.map(told).unwrap_or_default()
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
