//! What answers a chat that has a memory.

use std::io::{self, Read};
use std::time::Duration;
use ureq::Agent;

/// Time to reach the server.
const CONNECT: Duration = Duration::from_secs(10);
/// Time until a model begins to answer, and between two pieces of what it writes.
const WAIT: Duration = Duration::from_secs(300);
/// Longest reply in bytes.
const REPLY_BYTES_MAX: u64 = 64 << 20;

/// What answers a chat that has a memory.
#[derive(Debug, Clone)]
pub enum ChatModel {
    /// The generator of this machine that the selection of models names.
    Local,
    /// The model of another server, to which the talk is sent.
    Server(Upstream),
}

/// A server with the OpenAI API.
#[derive(Debug, Clone)]
pub struct Upstream {
    /// Its address, up to and with `/v1`.
    pub url: String,
    /// Environment variable with its key.
    pub key_variable: String,
}

/// The beginning of a reply, and the rest to read.
pub(crate) struct Answering {
    pub(crate) status: u16,
    pub(crate) kind: String,
    pub(crate) body: Box<dyn Read + Send>,
}

impl Upstream {
    fn agent() -> Agent {
        let config = Agent::config_builder()
            .timeout_connect(Some(CONNECT))
            .timeout_recv_response(Some(WAIT))
            .http_status_as_error(false)
            .max_redirects(0)
            .build();
        config.into()
    }

    fn key(&self) -> Option<String> {
        let key = std::env::var(&self.key_variable).ok();
        key.filter(|key| !key.is_empty())
            .map(|key| format!("Bearer {key}"))
    }

    fn url(&self, path: &str) -> String {
        format!("{}/{path}", self.url.trim_end_matches('/'))
    }

    /// Sends a body. Blocks.
    pub(crate) fn post(&self, path: &str, body: &[u8]) -> io::Result<Answering> {
        let mut request = Self::agent()
            .post(self.url(path))
            .header("content-type", "application/json");
        if let Some(key) = self.key() {
            request = request.header("authorization", key);
        }
        request
            .send(body)
            .map(answering)
            .map_err(ureq::Error::into_io)
    }

    /// Reads a path. Blocks.
    pub(crate) fn get(&self, path: &str) -> io::Result<Answering> {
        let mut request = Self::agent().get(self.url(path));
        if let Some(key) = self.key() {
            request = request.header("authorization", key);
        }
        request.call().map(answering).map_err(ureq::Error::into_io)
    }
}

fn answering(response: ureq::http::Response<ureq::Body>) -> Answering {
    let status = response.status().as_u16();
    let kind = response
        .headers()
        .get("content-type")
        .and_then(|it| it.to_str().ok());
    let kind = kind.unwrap_or("application/json").to_owned();
    let body = response.into_body().into_reader().take(REPLY_BYTES_MAX);
    Answering {
        status,
        kind,
        body: Box::new(body),
    }
}
