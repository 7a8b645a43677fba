//! Options that name an instruction model: a local one, or one on a server.

use anyhow::{Context, Result};
use std::path::PathBuf;
use std::time::Duration;
use weir_models::endpoint::{EndpointGenerator, EndpointOptions};
use weir_models::{Generate, Generator, GeneratorOptions};

/// Attempts before a long run fails.
const ATTEMPTS_MAX: u32 = 5;

/// A local model.
#[derive(clap::Args)]
pub(crate) struct LocalModelArgs {
    /// The model: a .gguf file or a folder
    #[arg(long, value_name = "PATH")]
    generator: Option<PathBuf>,
}

impl LocalModelArgs {
    /// The model, if one is given.
    pub(crate) fn load(&self) -> Result<Option<Generator>> {
        let generator = self.generator.as_ref();
        Ok(generator
            .map(|path| Generator::load(path, GeneratorOptions::default()))
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
    /// The options of the endpoint, if one is given: for a long run, with one time limit for all
    /// and several attempts.
    pub(crate) fn options(&self) -> Option<EndpointOptions> {
        let (url, model) = self.endpoint.as_ref().zip(self.model.as_ref())?;
        let timeout = Duration::from_secs(self.endpoint_timeout_s);
        Some(EndpointOptions {
            key_variable: self.key_variable.clone(),
            piece_timeout: timeout,
            total_timeout: timeout,
            attempts_max: ATTEMPTS_MAX,
            ..EndpointOptions::new(url, model)
        })
    }
}

/// The local model, or that of the server, if one is given.
pub(crate) fn optional(
    local: &LocalModelArgs,
    server: &ServerModelArgs,
) -> Result<Option<Box<dyn Generate>>> {
    if let Some(generator) = local.load()? {
        return Ok(Some(Box::new(generator)));
    }
    Ok(match server.options() {
        Some(options) => Some(Box::new(EndpointGenerator::open(options)?)),
        None => None,
    })
}

/// The local model, or that of the server; an error if neither is given.
pub(crate) fn generator(
    local: &LocalModelArgs,
    server: &ServerModelArgs,
) -> Result<Box<dyn Generate>> {
    optional(local, server)?.context("give --generator, or --endpoint and --model")
}
