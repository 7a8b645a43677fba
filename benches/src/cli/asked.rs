//! Options of `weir-bench weigh` and `weir-bench natural`.

use crate::corpus::questions;
use crate::encoder::EncoderArgs;
use crate::method::MethodContext;
use crate::run::read_streams;
use crate::stream::Stream;
use crate::{asked, changes};
use anyhow::Result;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

/// What `weigh` is told.
#[derive(clap::Args)]
pub(crate) struct WeighArgs {
    /// Stream files with probes, or folders of them
    #[arg(long, required = true, num_args = 1..)]
    streams: Vec<PathBuf>,
    #[command(flatten)]
    encoder: EncoderArgs,
}

/// What `natural` is told.
#[derive(clap::Args)]
pub(crate) struct NaturalArgs {
    /// Stream files that the questions are about, or folders of them
    #[arg(long, required = true, num_args = 1..)]
    streams: Vec<PathBuf>,
    /// The questions
    #[arg(long, default_value = "benches/questions/natural.jsonl")]
    questions: PathBuf,
    /// Ask only those of this half: development, test
    #[arg(long)]
    half: Option<String>,
    /// Tokens the memory may hold; without it nothing is forgotten
    #[arg(long)]
    budget_tokens: Option<usize>,
    #[command(flatten)]
    encoder: EncoderArgs,
}

/// What `changes` is told.
#[derive(clap::Args)]
pub(crate) struct ChangesArgs {
    /// The talks
    #[arg(long, default_value = "benches/questions/changes.jsonl")]
    talks: PathBuf,
    /// Only those of this half: development, test
    #[arg(long)]
    half: Option<String>,
    #[command(flatten)]
    encoder: EncoderArgs,
}

fn opened(streams: &[PathBuf], encoder: &EncoderArgs) -> Result<(Vec<Stream>, MethodContext)> {
    let streams = read_streams(streams)?.into_iter();
    Ok((streams.map(|(stream, _)| stream).collect(), kit(encoder)?))
}

fn kit(encoder: &EncoderArgs) -> Result<MethodContext> {
    Ok(MethodContext::plain(encoder.open()?, None))
}

/// Tells talks in which facts change.
pub(crate) fn changes(args: &ChangesArgs) -> Result<()> {
    let mut cases = changes::read(&args.talks)?;
    cases.retain(|case| args.half.as_ref().is_none_or(|half| *half == case.half));
    let mut out = BufWriter::new(std::io::stdout().lock());
    changes::run(&cases, &kit(&args.encoder)?, &mut out)?;
    Ok(out.flush()?)
}

/// Writes what the ranker looks at.
pub(crate) fn weigh(args: &WeighArgs) -> Result<()> {
    let (streams, kit) = opened(&args.streams, &args.encoder)?;
    let mut out = BufWriter::new(std::io::stdout().lock());
    asked::weigh(&streams, &kit, &mut out)?;
    Ok(out.flush()?)
}

/// Asks natural questions.
pub(crate) fn natural(args: &NaturalArgs) -> Result<()> {
    let mut asked = questions::read(Path::new(&args.questions))?;
    asked.retain(|one| args.half.as_ref().is_none_or(|half| *half == one.half));
    let (streams, kit) = opened(&args.streams, &args.encoder)?;
    let mut out = BufWriter::new(std::io::stdout().lock());
    asked::natural(&streams, &asked, &kit, args.budget_tokens, &mut out)?;
    Ok(out.flush()?)
}
