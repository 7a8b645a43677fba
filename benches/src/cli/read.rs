//! Options of `weir-bench read`.

use crate::reader::{Plan, read, runs};
use crate::run::read_streams;
use anyhow::{Context, Result};
use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;
use weir_models::endpoint::{EndpointGenerator, EndpointOptions};
use weir_models::{Generate, Generator, GeneratorOptions};

/// Attempts before a reading of hours is given up.
const ATTEMPTS_MAX: u32 = 5;

/// What `read` is told.
#[derive(clap::Args)]
pub(crate) struct ReadArgs {
    /// Stream files with probes, or folders of them
    #[arg(long, required = true, num_args = 1..)]
    streams: Vec<PathBuf>,
    /// Folders of results, each `DIR` or `NAME=DIR`: of `weir replay --results`, one file
    /// STREAM.results.jsonl for each stream, or of `weir-bench run --keep-contexts`
    #[arg(long, required = true, value_delimiter = ',', value_name = "DIR")]
    results: Vec<String>,
    /// Of the runs found there, only these by name; all without it
    #[arg(long, value_delimiter = ',', value_name = "NAME")]
    runs: Vec<String>,
    /// Name of the run that the others are compared with
    #[arg(long, value_name = "NAME")]
    against: Option<String>,
    /// Answerable questions at most, spread over streams and categories by a fixed hash; all
    /// without it
    #[arg(long)]
    questions: Option<usize>,
    /// Adversarial questions at most, on top of the others; as many as there are without it
    #[arg(long)]
    adversarial: Option<usize>,
    /// Leaves out the ceiling (gold utterances as the context) and the floor (an empty context)
    #[arg(long)]
    no_bounds: bool,
    /// The model that reads: a .gguf file or a folder
    #[arg(
        long,
        value_name = "PATH",
        required_unless_present = "endpoint",
        conflicts_with = "endpoint"
    )]
    generator: Option<PathBuf>,
    /// Threads of the generator [default: one a core, at most 8]
    #[arg(long, requires = "generator")]
    generator_threads: Option<usize>,
    /// The model that reads is behind this server with the interface of OpenAI
    #[arg(long, value_name = "URL", requires = "model")]
    endpoint: Option<String>,
    /// Name of the model there
    #[arg(long, requires = "endpoint")]
    model: Option<String>,
    /// Environment variable with the key, where the server wants one
    #[arg(long, value_name = "NAME", default_value = "OPENAI_API_KEY")]
    key_variable: String,
    /// Longest time of a request to the server in seconds
    #[arg(long, default_value_t = 600)]
    endpoint_timeout_s: u64,
    /// Folder of answers, summary and table; a reading that was interrupted goes on there
    #[arg(long)]
    out: PathBuf,
}

/// Reads and tells where the table is.
pub(crate) fn main(args: &ReadArgs) -> Result<()> {
    let streams = read_streams(&args.streams)?;
    let mut runs = runs(&args.results)?;
    if let Some(missing) = args
        .runs
        .iter()
        .find(|name| runs.iter().all(|run| run.name != **name))
    {
        let known: Vec<&str> = runs.iter().map(|run| run.name.as_str()).collect();
        anyhow::bail!("no run is called {missing}; there are {}", known.join(", "));
    }
    runs.retain(|run| args.runs.is_empty() || args.runs.contains(&run.name));
    let plan = Plan {
        streams: streams.into_iter().map(|(stream, _)| stream).collect(),
        runs,
        against: args.against.clone(),
        questions: args.questions.unwrap_or(usize::MAX),
        adversarial: args.adversarial.unwrap_or(usize::MAX),
        bounds: !args.no_bounds,
        out: args.out.clone(),
    };
    plan.check()?;
    let mut generator = args.generator()?;
    let table = read(&plan, &mut *generator)?;
    let mut err = std::io::stderr();
    writeln!(
        err,
        "\n{table}\ndone; table.md, summary.jsonl and answers.jsonl are in {}",
        args.out.display()
    )?;
    Ok(())
}

impl ReadArgs {
    fn generator(&self) -> Result<Box<dyn Generate>> {
        if let Some(path) = &self.generator {
            let options = GeneratorOptions {
                threads: self.generator_threads.unwrap_or(0),
                ..GeneratorOptions::default()
            };
            return Ok(Box::new(Generator::load(path, options)?));
        }
        let (url, model) = (self.endpoint.as_ref(), self.model.as_ref());
        let url = url.context("give --generator, or --endpoint and --model")?;
        let timeout = Duration::from_secs(self.endpoint_timeout_s);
        let options = EndpointOptions {
            key_variable: self.key_variable.clone(),
            first_piece_timeout: timeout,
            piece_timeout: timeout,
            total_timeout: timeout,
            attempts_max: ATTEMPTS_MAX,
            ..EndpointOptions::new(url, model.context("give --model")?)
        };
        Ok(Box::new(EndpointGenerator::open(options)?))
    }
}
