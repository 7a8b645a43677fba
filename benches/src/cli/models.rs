//! Options that name an instruction model: one of this machine, or a server's.

use anyhow::Result;
use std::path::PathBuf;
use std::time::Duration;
use weir_models::endpoint::EndpointOptions;
use weir_models::{Generator, GeneratorOptions};

/// Attempts before a run of hours is given up.
const ATTEMPTS_MAX: u32 = 5;

/// A model of this machine.
#[derive(clap::Args)]
pub(crate) struct LocalModelArgs {
    /// The model: a .gguf file or a folder
    #[arg(long, value_name = "PATH")]
    generator: Option<PathBuf>,
    /// Threads of the generator [default: one a core, at most 8]
    #[arg(long, requires = "generator")]
    generator_threads: Option<usize>,
}

impl LocalModelArgs {
    /// The model, where one is named.
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

/// A server with the interface of OpenAI.
#[derive(clap::Args)]
pub(crate) struct ServerModelArgs {
    /// Server with the interface of OpenAI, e.g. http://localhost:11434/v1
    #[arg(long, value_name = "URL", requires = "model")]
    endpoint: Option<String>,
    /// Name of the model there
    #[arg(long, requires = "endpoint")]
    model: Option<String>,
    /// Environment variable with the key, where the server wants one
    #[arg(long, value_name = "NAME", default_value = "OPENAI_API_KEY")]
    key_variable: String,
    /// Longest time of a request in seconds
    #[arg(long, default_value_t = 600)]
    endpoint_timeout_s: u64,
}

impl ServerModelArgs {
    /// How it is asked, where one is named.
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
