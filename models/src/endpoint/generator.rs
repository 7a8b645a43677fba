//! A model on a server as a generator.

use std::sync::Arc;

use super::EndpointError;
use super::client::Endpoint;
use super::options::{CONTEXT_TOKENS_DEFAULT, EndpointOptions};
use crate::{Flow, Generate, GenerateError, Generated, Request};

/// Generates text by requests to a model on a server.
///
/// The contract about pieces holds with one exception: a JSON reply comes as one piece at its end,
/// with empty ones before it. [`Generated::reused_tokens`] are the tokens that the server reports
/// as cached.
#[derive(Debug, Clone)]
pub struct EndpointGenerator {
    endpoint: Arc<Endpoint>,
    context_tokens: usize,
}

impl EndpointGenerator {
    /// A generator; checks that the server responds and has the model.
    ///
    /// # Errors
    /// Those of [`Endpoint::new`] and [`Endpoint::check`].
    pub fn open(options: EndpointOptions) -> Result<Self, EndpointError> {
        let endpoint = Endpoint::new(options)?;
        let context_tokens = endpoint.check()?.context_tokens;
        Ok(Self {
            endpoint: Arc::new(endpoint),
            context_tokens,
        })
    }

    /// A generator over a client; sends no request. The context comes from the options, else 4096
    /// tokens.
    #[must_use]
    pub fn new(endpoint: Arc<Endpoint>) -> Self {
        let told = endpoint.options().context_tokens;
        Self {
            endpoint,
            context_tokens: told.unwrap_or(CONTEXT_TOKENS_DEFAULT),
        }
    }

    /// Its client.
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
