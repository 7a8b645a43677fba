//! Sends a request and takes the response, if it is neither a refusal nor a redirect.

use std::io::Read;
use std::time::Duration;

use ureq::http::response::Parts;
use ureq::{Agent, Body, RequestBuilder};

use super::error::{EndpointError, Failure, Kind};
use super::options::Server;
use crate::net::{config_for, retry_after};

/// Time to resolve the host and connect.
const CONNECT: Duration = Duration::from_secs(10);
/// Bytes of a reply that is not streamed.
const WHOLE_BYTES_MAX: u64 = 4 << 20;
/// Bytes of an error response that are read.
const REFUSAL_BYTES_MAX: u64 = 64 << 10;

/// The list of models, within a time limit.
pub(super) fn list(server: &Server, limit: Duration) -> Result<String, EndpointError> {
    // more would overflow clocks
    let limit = limit.min(Duration::from_secs(24 * 60 * 60));
    let response = send(server, &agent(server, Some(limit)), None, limit);
    let list = response.and_then(|(_, body)| Ok(read_whole(server, body, limit)?));
    list.map_err(|failure| failure.error)
}

pub(super) fn agent(server: &Server, limit: Option<Duration>) -> Agent {
    let config = config_for(&server.base).timeout_global(limit);
    let config = config.timeout_resolve(Some(CONNECT));
    config.timeout_connect(Some(CONNECT)).build().into()
}

/// The response to a request, a GET of the models if there is no body; an error if it is a refusal
/// or a redirect.
pub(super) fn send(
    server: &Server,
    agent: &Agent,
    body: Option<&str>,
    limit: Duration,
) -> Result<(Parts, Body), Failure> {
    let response = match body {
        None => keyed(agent.get(server.models_url()), server).call(),
        Some(body) => {
            let post = agent.post(server.chat_url());
            let post = post.header("content-type", "application/json");
            keyed(post, server).send(body)
        }
    };
    let (head, body) = response
        .map_err(|error| server.fault(error, limit))?
        .into_parts();
    match head.status.as_u16() {
        200..300 => Ok((head, body)),
        status @ 300..400 => {
            let to = server.quoted(header(&head, "location").unwrap_or("nowhere"));
            let what = format!(
                "redirects to {to} (status {status}); the key is not sent there; give that \
                 address if it is right"
            );
            Err(server.error(Kind::Final, what).into())
        }
        status => {
            let mut said = Vec::new();
            // what came until the connection broke tells enough
            let _ = body
                .into_reader()
                .take(REFUSAL_BYTES_MAX)
                .read_to_end(&mut said);
            Err(Failure {
                retry_after: retry_after(&head.headers),
                ..server.refused(status, String::from_utf8_lossy(&said).into_owned())
            })
        }
    }
}

fn keyed<Any>(request: RequestBuilder<Any>, server: &Server) -> RequestBuilder<Any> {
    match server.key.header() {
        Some(key) => request.header("authorization", key),
        None => request,
    }
}

/// The body of a response that is not streamed.
pub(super) fn read_whole(
    server: &Server,
    body: Body,
    limit: Duration,
) -> Result<String, EndpointError> {
    let (mut bytes, mut reader) = (Vec::new(), body.into_reader().take(WHOLE_BYTES_MAX + 1));
    let read = reader.read_to_end(&mut bytes);
    read.map_err(|error| server.fault(error, limit))?;
    match bytes.len() as u64 > WHOLE_BYTES_MAX {
        true => Err(server.too_large(WHOLE_BYTES_MAX)),
        false => Ok(String::from_utf8_lossy(&bytes).into_owned()),
    }
}

/// The value of a header.
pub(super) fn header<'h>(head: &'h Parts, name: &str) -> Option<&'h str> {
    head.headers.get(name)?.to_str().ok().map(str::trim)
}
