//! A model behind a server as a generator.

use std::sync::Arc;

use super::EndpointError;
use super::client::Endpoint;
use super::options::{CONTEXT_TOKENS_DEFAULT, EndpointOptions};
use crate::{Flow, Generate, GenerateError, Generated, Request};

/// Writes by asking a model behind a server.
///
/// The contract's pieces are kept but for one: a reply of JSON comes as one piece at its end, with
/// empty ones before it. [`Generated::reused_tokens`] are those that the server says it had cached.
#[derive(Debug, Clone)]
pub struct EndpointGenerator {
    endpoint: Arc<Endpoint>,
    context_tokens: usize,
}

impl EndpointGenerator {
    /// A generator whose server was asked whether it is there and has the model.
    ///
    /// # Errors
    /// [`Endpoint::new`] and [`Endpoint::check`] tell.
    pub fn open(options: EndpointOptions) -> Result<Self, EndpointError> {
        let endpoint = Endpoint::new(options)?;
        let context_tokens = endpoint.check()?.context_tokens;
        Ok(Self {
            endpoint: Arc::new(endpoint),
            context_tokens,
        })
    }

    /// A generator over a client; nothing is asked. The context is what the options say, else 4096
    /// tokens.
    #[must_use]
    pub fn new(endpoint: Arc<Endpoint>) -> Self {
        let told = endpoint.options().context_tokens;
        Self {
            endpoint,
            context_tokens: told.unwrap_or(CONTEXT_TOKENS_DEFAULT),
        }
    }

    /// The client it asks.
    #[must_use]
    pub fn endpoint(&self) -> &Arc<Endpoint> {
        &self.endpoint
    }
}

impl Generate for EndpointGenerator {
    fn name(&self) -> &str {
        self.endpoint.model()
    }

    fn context_tokens(&self) -> usize {
        self.context_tokens
    }

    fn generate(
        &mut self,
        request: &Request,
        on_piece: &mut dyn FnMut(&str) -> Flow,
    ) -> Result<Generated, GenerateError> {
        self.endpoint
            .ask(request, on_piece)
            .map_err(|error| error.for_generator(self.endpoint.model(), self.context_tokens))
    }
}
