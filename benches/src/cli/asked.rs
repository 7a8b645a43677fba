//! Options of `weir-bench weigh` and `weir-bench natural`.

use crate::corpus::questions;
use crate::encoder::EncoderArgs;
use crate::method::MethodContext;
use crate::run::read_streams;
use crate::stream::Stream;
use crate::trained::TrainedArgs;
use crate::{asked, changes};
use anyhow::Result;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

/// Options of `weigh`.
#[derive(clap::Args)]
pub(crate) struct WeighArgs {
    /// Stream files with probes, or folders of them
    #[arg(long, required = true, num_args = 1..)]
    streams: Vec<PathBuf>,
    #[command(flatten)]
    encoder: EncoderArgs,
    #[command(flatten)]
    trained: TrainedArgs,
}

/// Options of `natural`.
#[derive(clap::Args)]
pub(crate) struct NaturalArgs {
    /// Stream files of the questions, or folders of them
    #[arg(long, required = true, num_args = 1..)]
    streams: Vec<PathBuf>,
    /// File of questions
    #[arg(long, default_value = "benches/questions/natural.jsonl")]
    questions: PathBuf,
    /// Ask only the questions of this half: development, test
    #[arg(long)]
    half: Option<String>,
    /// Tokens the memory may hold [default: no limit]
    #[arg(long)]
    budget_tokens: Option<usize>,
    #[command(flatten)]
    encoder: EncoderArgs,
    #[command(flatten)]
    trained: TrainedArgs,
}

/// Options of `changes`.
#[derive(clap::Args)]
pub(crate) struct ChangesArgs {
    /// File of dialogues
    #[arg(long, default_value = "benches/questions/changes.jsonl")]
    talks: PathBuf,
    /// Use only dialogues of this half: development, test
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

/// Runs dialogues in which facts change.
pub(crate) fn changes(args: &ChangesArgs) -> Result<()> {
    let mut cases = changes::read(&args.talks)?;
    cases.retain(|case| args.half.as_ref().is_none_or(|half| *half == case.half));
    let mut out = BufWriter::new(std::io::stdout().lock());
    changes::run(&cases, &kit(&args.encoder)?, &mut out)?;
    Ok(out.flush()?)
}

/// Writes the ranker features.
pub(crate) fn weigh(args: &WeighArgs) -> Result<()> {
    args.trained.install()?;
    let (streams, kit) = opened(&args.streams, &args.encoder)?;
    let mut out = BufWriter::new(std::io::stdout().lock());
    asked::weigh(&streams, &kit, &mut out)?;
    Ok(out.flush()?)
}

/// Asks natural questions.
pub(crate) fn natural(args: &NaturalArgs) -> Result<()> {
    args.trained.install()?;
    let mut asked = questions::read(Path::new(&args.questions))?;
    asked.retain(|one| args.half.as_ref().is_none_or(|half| *half == one.half));
    let (streams, kit) = opened(&args.streams, &args.encoder)?;
    let mut out = BufWriter::new(std::io::stdout().lock());
    asked::natural(&streams, &asked, &kit, args.budget_tokens, &mut out)?;
    Ok(out.flush()?)
}
