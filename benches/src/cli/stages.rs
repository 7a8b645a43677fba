//! Options of `weir-bench stages`.

use crate::encoder::EncoderArgs;
use crate::method::Kit;
use crate::method::extractive::ExtractiveWriter;
use crate::run::read_streams;
use crate::stages::{Plan, run};
use crate::stream::Stream;
use anyhow::Result;
use std::path::PathBuf;
use std::sync::Arc;
use weir_models::{CountTokens, WordPieceCounter};

/// What `stages` is told.
#[derive(clap::Args)]
pub(crate) struct StagesArgs {
    /// Stream files with probes, or folders of them
    #[arg(long, required = true, num_args = 1..)]
    streams: Vec<PathBuf>,
    /// Folder of a sentence encoder, or `words`; it remembers nothing, so its whole cost shows
    #[arg(long, default_value = "words")]
    encoder: PathBuf,
    /// Tokens the memory may hold
    #[arg(long, default_value_t = 8_192)]
    budget_tokens: usize,
    /// Tokens of a context
    #[arg(long, default_value_t = 1_300)]
    context_tokens: usize,
    /// Turns between two rows
    #[arg(long, default_value_t = 200, value_parser = clap::value_parser!(u64).range(1..))]
    every_turns: u64,
}

/// Measures and prints.
pub(crate) fn main(args: &StagesArgs) -> Result<()> {
    let streams = read_streams(&args.streams)?;
    let streams: Vec<Stream> = streams.into_iter().map(|(stream, _)| stream).collect();
    let encoder = EncoderArgs {
        encoder: args.encoder.clone(),
        vectors: None,
    }
    .open()?;
    let counter: Arc<dyn CountTokens> = Arc::new(WordPieceCounter::shared());
    let writer = Arc::new(ExtractiveWriter::new(Arc::clone(&counter)));
    let plan = Plan {
        kit: Kit::new(encoder, counter, writer, None),
        budget_tokens: args.budget_tokens,
        context_tokens: args.context_tokens,
        every_turns: args.every_turns as usize,
    };
    run(&plan, &streams)
}
