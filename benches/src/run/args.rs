//! Options of `weir-bench run`.

use super::plan::{CONTEXT_TOKENS, TIME_LIMIT};
use super::record::StreamStamp;
use super::{Plan, measure, read_streams};
use crate::budget::Budget;
use crate::files::name;
use crate::method::registry;
use crate::options::{EncoderArgs, StreamArgs, TrainedArgs};
use crate::stream::Stream;
use anyhow::{Result, ensure};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Options of `run`.
#[derive(clap::Args)]
pub(crate) struct RunArgs {
    #[command(flatten)]
    streams: StreamArgs,
    /// Methods by name, or `all`, `baselines`, `variants`
    #[arg(long, value_delimiter = ',', default_value = "all")]
    methods: Vec<String>,
    /// Token budgets; `none` is unlimited, `own` is 8192 for Weir and none for the others; each is
    /// run
    #[arg(long, value_delimiter = ',', default_value = "8192,none")]
    budgets: Vec<Budget>,
    /// Folders of sentence encoders, or `words`; each is run
    #[arg(long, value_delimiter = ',', default_value = "words")]
    encoders: Vec<PathBuf>,
    /// Tokens of a context
    #[arg(long, default_value_t = CONTEXT_TOKENS)]
    context_tokens: usize,
    #[command(flatten)]
    trained: TrainedArgs,
    /// Streams processed in parallel [default: number of processors]
    #[arg(long)]
    threads: Option<usize>,
    /// Time limit of one method on one stream in seconds
    #[arg(long, default_value_t = TIME_LIMIT.as_secs())]
    time_limit_s: u64,
    /// Also write each question's context, for `weir-bench read`
    #[arg(long)]
    keep_contexts: bool,
    /// Folder for the results, with one subfolder per encoder if there are several; an interrupted
    /// run is resumed there
    #[arg(long)]
    out: PathBuf,
}

/// Runs every encoder and writes the results.
pub(crate) fn main(args: &RunArgs) -> Result<()> {
    args.trained.install()?;
    let streams = read_streams(&args.streams.streams)?;
    let probes: usize = streams.iter().map(|(_, stamp)| stamp.probes).sum();
    ensure!(probes > 0, "the streams hold no probe: nothing is asked");
    for encoder in &args.encoders {
        let plan = plan(args, encoder, &streams)?;
        measure(&plan)?;
        let table = plan.out.join("table.md");
        writeln!(std::io::stderr(), "done; see {}", table.display())?;
    }
    Ok(())
}

fn plan(args: &RunArgs, encoder: &Path, streams: &[(Stream, StreamStamp)]) -> Result<Plan> {
    let out = match args.encoders.len() {
        1 => args.out.clone(),
        _ => args.out.join(name(encoder)),
    };
    let named = EncoderArgs {
        encoder: encoder.to_owned(),
    };
    let all = Plan::of(streams.to_vec(), named.remembered()?, out);
    Ok(Plan {
        methods: registry::named(&args.methods)?,
        budgets: args.budgets.clone(),
        context_tokens: args.context_tokens,
        threads: args.threads.unwrap_or(all.threads),
        time_limit: Duration::from_secs(args.time_limit_s),
        keep_contexts: args.keep_contexts,
        ..all
    })
}
