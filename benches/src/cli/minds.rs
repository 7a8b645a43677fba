//! Options of `weir-bench minds`.

use super::models::{LocalModelArgs, ServerModelArgs};
use crate::encoder::EncoderArgs;
use crate::method::MethodContext;
use crate::metric::Scorer;
use crate::minds::{MakeDistiller, Plan, run};
use crate::run::read_streams;
use crate::stream::Stream;
use anyhow::{Context, Result, bail};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use weir_core::answer::{Answerer, Quote, Written};
use weir_core::distil::{Distil, Extractive, Instructed, Neural};
use weir_models::endpoint::EndpointGenerator;
use weir_models::{Generate, Gliner, T5Summariser, TimeLimit};

/// Options of `minds`.
#[derive(clap::Args)]
pub(crate) struct MindsArgs {
    /// Stream files with probes, or folders of them
    #[arg(long, required = true, num_args = 1..)]
    streams: Vec<PathBuf>,
    /// Distillers, one after the other: extractive, neural, llm, endpoint
    #[arg(long, value_delimiter = ',', default_value = "extractive")]
    distillers: Vec<String>,
    /// Answerers for each probe: quote, local, endpoint
    #[arg(long, value_delimiter = ',', default_value = "quote")]
    answers: Vec<String>,
    #[command(flatten)]
    local: LocalModelArgs,
    /// Summariser of `neural`: a T5
    #[arg(long, value_name = "PATH")]
    summariser: Option<PathBuf>,
    /// Extractor of `neural`: a GLiNER
    #[arg(long, value_name = "DIR")]
    extractor: Option<PathBuf>,
    #[command(flatten)]
    server: ServerModelArgs,
    #[command(flatten)]
    encoder: EncoderArgs,
    /// Tokens the memory may hold
    #[arg(long, default_value_t = 8_192)]
    budget_tokens: usize,
    /// Tokens of a context
    #[arg(long, default_value_t = 1_300)]
    context_tokens: usize,
    /// Turns of each stream to process; later probes are not asked
    #[arg(long)]
    turns_max: Option<usize>,
    /// Probes of each stream to answer; the others are only recalled
    #[arg(long)]
    answers_max: Option<usize>,
    /// Time limit for a block or an answer, in milliseconds
    #[arg(long, default_value_t = 60_000)]
    limit_ms: u64,
}

/// Measures and prints.
pub(crate) fn main(args: &MindsArgs) -> Result<()> {
    let streams = read_streams(&args.streams)?;
    let streams: Vec<Stream> = streams.into_iter().map(|(stream, _)| stream).collect();
    let encoder = args.encoder.open()?;
    let answerers = args.answers.iter().map(|name| args.answerer(name));
    let distillers = args.distillers.iter().map(|name| args.make(name));
    let mut plan = Plan {
        scorer: Scorer::new(Arc::clone(&encoder), None),
        kit: MethodContext::plain(encoder, None),
        budget_tokens: args.budget_tokens,
        context_tokens: args.context_tokens,
        distillers: distillers.collect::<Result<_>>()?,
        answerers: answerers.collect::<Result<_>>()?,
        turns_max: args.turns_max.unwrap_or(usize::MAX),
        answers_max: args.answers_max.unwrap_or(usize::MAX),
    };
    run(&mut plan, &streams)
}

impl MindsArgs {
    fn make(&self, name: &str) -> Result<Box<MakeDistiller<'_>>> {
        let instructed = |generator: Box<dyn Generate>| -> Box<dyn Distil> {
            Box::new(Instructed::new(generator))
        };
        Ok(match name {
            "extractive" => Box::new(|| Ok(Box::new(Extractive) as Box<dyn Distil>)),
            "llm" => Box::new(move || Ok(instructed(self.local()?))),
            "endpoint" => Box::new(move || Ok(instructed(self.remote()?))),
            "neural" => Box::new(|| {
                let summariser = self.summariser.as_ref().context("give --summariser")?;
                let extractor = self.extractor.as_ref().context("give --extractor")?;
                let summariser = Box::new(T5Summariser::load(summariser)?);
                Ok(Box::new(Neural::new(
                    summariser,
                    Box::new(Gliner::load(extractor)?),
                    None,
                )))
            }),
            _ => bail!("no distiller is called `{name}`: extractive, neural, llm, endpoint"),
        })
    }

    fn answerer(&self, name: &str) -> Result<Box<dyn Answerer>> {
        Ok(match name {
            "quote" => Box::new(Quote),
            "local" => Box::new(Written::new(self.local()?)),
            "endpoint" => Box::new(Written::new(self.remote()?)),
            _ => bail!("no answerer is called `{name}`: quote, local, endpoint"),
        })
    }

    fn local(&self) -> Result<Box<dyn Generate>> {
        let generator = self.local.load()?.context("give --generator")?;
        Ok(self.limited(generator))
    }

    fn remote(&self) -> Result<Box<dyn Generate>> {
        let options = self.server.options();
        let options = options.context("give --endpoint and --model")?;
        Ok(self.limited(EndpointGenerator::open(options)?))
    }

    fn limited(&self, generator: impl Generate + 'static) -> Box<dyn Generate> {
        Box::new(TimeLimit::new(
            generator,
            Duration::from_millis(self.limit_ms),
        ))
    }
}
