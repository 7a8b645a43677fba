//! A client of servers with the interface of OpenAI (`/v1/chat/completions`, `/v1/models`):
//! llama.cpp, vLLM, Ollama and whatever else speaks it.
//!
//! A request runs on a thread of its own, and whoever asked waits beside it: so a listener is
//! heard while the server is silent, every limit of time is kept whatever the server does, and
//! ending a reply closes its connection. Servers differ in what they take; a field that one
//! refuses is left out from then on.
//!
//! Invariants: the key is in no message and on no disk, and goes to the one host that was named;
//! no buffer grows beyond its bound, however much a server sends; nothing is asked again once a
//! piece of the reply was given on.

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
