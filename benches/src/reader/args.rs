//! Options of `weir-bench read`.

use super::{MeasureArgs, Plan, read};
use crate::options::{LocalModelArgs, ServerModelArgs, StreamArgs, generator};
use anyhow::Result;
use clap::ArgGroup;
use std::io::Write;
use std::path::PathBuf;

#[derive(clap::Args)]
#[command(group = ArgGroup::new("reader").required(true).args(["generator", "endpoint"]))]
pub(crate) struct ReadArgs {
    #[command(flatten)]
    streams: StreamArgs,
    /// Folders of results, each `DIR` or `NAME=DIR`: from `weir replay --results`, one file
    /// STREAM.results.jsonl for each stream, or from `weir-bench run --keep-contexts`
    #[arg(long, required = true, value_delimiter = ',', value_name = "DIR")]
    results: Vec<String>,
    /// Name of the run to compare the others with
    #[arg(long, value_name = "NAME")]
    against: Option<String>,
    /// Maximum number of answerable questions, spread over streams and categories by a fixed hash
    /// [default: all]
    #[arg(long)]
    questions: Option<usize>,
    /// Maximum number of adversarial questions, in addition to the others [default: all]
    #[arg(long)]
    adversarial: Option<usize>,
    #[command(flatten)]
    local: LocalModelArgs,
    #[command(flatten)]
    server: ServerModelArgs,
    #[command(flatten)]
    measures: MeasureArgs,
    /// Folder for answers, summary and table; an interrupted reading is resumed there
    #[arg(long)]
    out: PathBuf,
}

/// Runs the reader and prints the path of the table.
pub(crate) fn main(args: &ReadArgs) -> Result<()> {
    let mut plan = Plan {
        against: args.against.clone(),
        questions: args.questions.unwrap_or(usize::MAX),
        adversarial: args.adversarial.unwrap_or(usize::MAX),
        ..Plan::of(&args.streams.streams, &args.results, args.out.clone())?
    };
    plan.check()?;
    let mut generator = generator(&args.local, &args.server)?;
    plan.measures = args.measures.open(&args.server)?;
    let table = read(&plan, &mut *generator)?.table;
    writeln!(
        std::io::stderr(),
        "\n{table}\ndone; table.md, summary.jsonl and answers.jsonl are in {}",
        args.out.display()
    )?;
    Ok(())
}
