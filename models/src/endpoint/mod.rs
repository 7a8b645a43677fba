//! A client for servers with OpenAI's API (`/v1/chat/completions`, `/v1/models`): llama.cpp, vLLM,
//! Ollama and others.
//!
//! A request runs on its own thread while the caller waits. So the listener can stop while the
//! server is silent, time limits always hold, and ending a reply closes its
//! connection. Servers accept different fields; a field that a server refuses is left out from then
//! on.
//!
//! Invariants: the key is in no message and on no disk, and goes only to the configured host; no
//! buffer exceeds its bound, however much a server sends; no request is repeated after a piece of
//! its reply was passed on.

mod address;
mod agents;
mod attempt;
mod capabilities;
mod check;
mod client;
mod error;
mod exchange;
mod generator;
mod key;
mod options;
mod refusal;
mod reply;
mod sse;
#[cfg(test)]
mod tests;
mod timeouts;

pub use check::{Checked, ServedModel};
pub use client::Endpoint;
pub use error::EndpointError;
pub use generator::EndpointGenerator;
pub use options::EndpointOptions;
