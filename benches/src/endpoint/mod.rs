//! The endpoint client of measurements: one message, one whole reply, greedy decoding.
//!
//! Replies are cached in a folder by a digest of the request, so a resumed run gives the same
//! result and a measurement can be repeated without the server. The client is
//! `weir_models::endpoint`'s.

mod remembered;
#[cfg(test)]
#[path = "../../../models/tests/endpoint_server/mod.rs"]
pub(crate) mod server;
#[cfg(test)]
mod tests;
mod writer;

use anyhow::Result;
use remembered::Remembered;
use serde_json::json;
use std::path::Path;
use weir_models::endpoint::Endpoint as Client;
use weir_models::{Flow, Message, Request, Role};

pub use weir_models::endpoint::EndpointOptions;
pub use writer::EndpointWriter;

/// A client of one model of one server; threads may share it.
pub struct Endpoint {
    client: Client,
    remembered: Option<Remembered>,
}

impl Endpoint {
    /// A client for whole replies without a cache; sends no request yet.
    ///
    /// # Errors
    /// The address or the key is invalid.
    pub fn new(options: EndpointOptions) -> Result<Self> {
        let client = Client::new(EndpointOptions {
            streams: false,
            ..options
        })?;
        Ok(Self {
            client,
            remembered: None,
        })
    }

    /// The same client with a cache folder for replies.
    ///
    /// # Errors
    /// The folder cannot be created.
    pub fn remembering(self, folder: &Path) -> Result<Self> {
        Ok(Self {
            remembered: Some(Remembered::new(folder)?),
            ..self
        })
    }

    /// Name of the model.
    #[must_use]
    pub fn model(&self) -> &str {
        self.client.model()
    }

    /// The model's reply to one message, at temperature 0, without surrounding white space.
    ///
    /// # Errors
    /// One sentence with the server's refusal, or that it cannot be reached.
    pub fn chat(&self, system: Option<&str>, user: &str, tokens_max: usize) -> Result<String> {
        let system = system.map(|text| Message::new(Role::System, text));
        let messages = system.into_iter().chain([Message::new(Role::User, user)]);
        let request = Request::new(messages.collect(), tokens_max);
        let Some(remembered) = &self.remembered else {
            return self.ask(&request);
        };
        let messages = request.messages.iter();
        let messages = messages.map(|m| json!({"role": m.role.as_str(), "content": m.content}));
        // the cache key: caches of earlier runs use these fields
        let known_by = json!({
            "model": self.model(),
            "messages": messages.collect::<Vec<_>>(),
            "temperature": 0,
            "max_tokens": tokens_max,
        });
        let url = self.client.url();
        if let Some(known) = remembered.get(&url, &known_by) {
            return Ok(known);
        }
        let reply = self.ask(&request)?;
        remembered.keep(&url, &known_by, &reply)?;
        Ok(reply)
    }

    fn ask(&self, request: &Request) -> Result<String> {
        let reply = self.client.ask(request, &mut |_| Flow::On)?;
        Ok(reply.text.trim().to_owned())
    }
}
