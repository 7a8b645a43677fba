//! Options that name an instruction model: a local one, or one on a server.

use anyhow::Result;
use std::path::PathBuf;
use std::time::Duration;
use weir_models::endpoint::EndpointOptions;
use weir_models::{Generator, GeneratorOptions};

/// Attempts before a long run fails.
const ATTEMPTS_MAX: u32 = 5;

/// A local model.
#[derive(clap::Args)]
pub(crate) struct LocalModelArgs {
    /// The model: a .gguf file or a folder
    #[arg(long, value_name = "PATH")]
    generator: Option<PathBuf>,
    /// Threads of the generator [default: one per core, at most 8]
    #[arg(long, requires = "generator")]
    generator_threads: Option<usize>,
}

impl LocalModelArgs {
    /// The model, if one is given.
    pub(crate) fn load(&self) -> Result<Option<Generator>> {
        let options = GeneratorOptions {
            threads: self.generator_threads.unwrap_or(0),
            ..GeneratorOptions::default()
        };
        let generator = self.generator.as_ref();
        Ok(generator
            .map(|path| Generator::load(path, options))
            .transpose()?)
    }
}

/// A server with OpenAI's API.
#[derive(clap::Args)]
pub(crate) struct ServerModelArgs {
    /// Server with OpenAI's API, e.g. http://localhost:11434/v1
    #[arg(long, value_name = "URL", requires = "model")]
    endpoint: Option<String>,
    /// Name of the model on the server
    #[arg(long, requires = "endpoint")]
    model: Option<String>,
    /// Environment variable with the key, if the server needs one
    #[arg(long, value_name = "NAME", default_value = "OPENAI_API_KEY")]
    key_variable: String,
    /// Time limit of a request in seconds
    #[arg(long, default_value_t = 600)]
    endpoint_timeout_s: u64,
}

impl ServerModelArgs {
    /// The options of the endpoint, if one is given.
    pub(crate) fn options(&self) -> Option<EndpointOptions> {
        let (url, model) = self.endpoint.as_ref().zip(self.model.as_ref())?;
        let timeout = Duration::from_secs(self.endpoint_timeout_s);
        Some(EndpointOptions {
            key_variable: self.key_variable.clone(),
            first_piece_timeout: timeout,
            piece_timeout: timeout,
            total_timeout: timeout,
            attempts_max: ATTEMPTS_MAX,
            ..EndpointOptions::new(url, model)
        })
    }
}
