//! A client for servers with OpenAI's API (`/v1/chat/completions`, `/v1/models`): llama.cpp, vLLM,
//! Ollama and others.
//!
//! Client crates (async-openai, genai) need an async runtime and a second HTTP stack; here is one
//! POST over the `ureq` that fetches weights too.
//!
//! A request runs on its own thread while the caller waits. So the listener can stop while the
//! server is silent, time limits always hold, and ending a reply closes its connection. Servers
//! accept different fields; a field that a server refuses is left out from then on.
//!
//! Invariants: the key is in no message and on no disk, and goes only to the configured host; no
//! buffer exceeds its bound, however much a server sends; no request is repeated after a piece of
//! its reply was passed on.

mod client;
mod error;
mod exchange;
mod models;
mod options;
mod refusal;
mod reply;
mod request;
#[cfg(test)]
mod tests;

pub use client::{Endpoint, EndpointGenerator};
pub use error::{EndpointError, EndpointErrorKind};
pub use models::Checked;
pub use options::EndpointOptions;
