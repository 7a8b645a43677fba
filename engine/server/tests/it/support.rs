//! A server on a free port with its folder, and a client.

use serde_json::{Value, json};
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;
use tempfile::TempDir;
use ureq::Agent;
use ureq::http::Response;
use weir_engine::pipeline::Stop;
use weir_loading::{Loader, ModelPool, Selection, WORDS};
use weir_models::DeviceChoice;
use weir_models::weights::StoreOptions;
use weir_server::{ServeError, ServerConfig, SessionMaker, serve};

/// A running server.
pub(crate) struct Served {
    pub(crate) address: SocketAddr,
    stop: Stop,
    ended: Option<JoinHandle<Result<(), ServeError>>>,
}

/// A maker of sessions that loads no file.
fn maker() -> SessionMaker {
    let pool = Arc::new(ModelPool::new(u64::MAX));
    let loader = Loader::new(StoreOptions::default(), DeviceChoice::default(), pool);
    SessionMaker::new(loader, Selection::default(), Some(WORDS.to_owned()))
}

impl Served {
    /// Serves the sessions of a folder, with these changes of the usual settings.
    pub(crate) fn with(data: &Path, change: impl FnOnce(&mut ServerConfig)) -> Self {
        let mut config = ServerConfig::local(data.to_path_buf());
        config.bind.set_port(0);
        change(&mut config);
        let (stop, (told, address)) = (Stop::default(), std::sync::mpsc::channel());
        let ends = stop.clone();
        let ended = std::thread::spawn(move || {
            serve(config, maker(), &ends, |address| {
                told.send(address).expect("the test waits");
            })
        });
        let address = address
            .recv_timeout(Duration::from_secs(60))
            .expect("it starts");
        Self {
            address,
            stop,
            ended: Some(ended),
        }
    }

    /// The usual server.
    pub(crate) fn of(data: &Path) -> Self {
        Self::with(data, |_| ())
    }

    /// Stops it in order.
    pub(crate) fn end(mut self) {
        self.stop.set();
        let ended = self
            .ended
            .take()
            .expect("it runs")
            .join()
            .expect("no panic");
        ended.expect("it ends in order");
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    pub(crate) fn get(&self, path: &str) -> (u16, Value) {
        answer(agent().get(self.url(path)).call())
    }

    pub(crate) fn post(&self, path: &str, body: &Value) -> (u16, Value) {
        send(agent().post(self.url(path)), body)
    }

    pub(crate) fn put(&self, path: &str, body: &Value) -> (u16, Value) {
        send(agent().put(self.url(path)), body)
    }

    pub(crate) fn delete(&self, path: &str) -> (u16, Value) {
        answer(agent().delete(self.url(path)).call())
    }

    /// Hears what a speaker says.
    pub(crate) fn hear(&self, session: &str, speaker: &str, text: &str) -> Value {
        let body = json!({"utterances": [{"speaker": speaker, "text": text}]});
        let (status, heard) = self.post(&format!("/v1/sessions/{session}/utterances"), &body);
        assert_eq!(status, 200, "{heard}");
        heard
    }

    /// The answer to a question.
    pub(crate) fn ask(&self, session: &str, question: &str) -> Value {
        let body = json!({"question": question});
        let (status, answer) = self.post(&format!("/v1/sessions/{session}/ask"), &body);
        assert_eq!(status, 200, "{answer}");
        answer
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        self.stop.interrupt();
        if let Some(ended) = self.ended.take() {
            let _ = ended.join();
        }
    }
}

/// A client that takes every status.
pub(crate) fn agent() -> Agent {
    Agent::config_builder()
        .http_status_as_error(false)
        .timeout_global(Some(Duration::from_secs(60)))
        .build()
        .into()
}

/// The status and the body as JSON.
pub(crate) fn answer(reply: Result<Response<ureq::Body>, ureq::Error>) -> (u16, Value) {
    let mut reply = reply.expect("the server replies");
    let status = reply.status().as_u16();
    let text = reply.body_mut().read_to_string().expect("it is text");
    let json = serde_json::from_str(&text).unwrap_or(Value::String(text));
    (status, json)
}

/// The reply to a body of JSON.
pub(crate) fn send(
    request: ureq::RequestBuilder<ureq::typestate::WithBody>,
    body: &Value,
) -> (u16, Value) {
    answer(
        request
            .header("content-type", "application/json")
            .send(body.to_string()),
    )
}

pub(crate) fn folder() -> TempDir {
    tempfile::tempdir().expect("a folder")
}
