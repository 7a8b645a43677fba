//! Options of `weir-bench run`.

use super::record::StreamStamp;
use super::summary::Summary;
use super::{Plan, read_streams, run};
use crate::budget::Budget;
use crate::method::registry;
use crate::options::{EncoderArgs, StreamArgs, TrainedArgs};
use crate::stream::Stream;
use anyhow::{Result, ensure};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use weir_models::{Encode, WordPieceCounter};

/// Tokens of a context.
const CONTEXT_TOKENS: usize = 1_300;
/// Time of one method on one stream.
const TIME_LIMIT: Duration = Duration::from_secs(900);

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
    let mut failed = 0;
    for encoder in &args.encoders {
        let plan = plan(args, encoder, &streams)?;
        failed += run(&plan)?.1;
        let table = plan.out.join("table.md");
        writeln!(std::io::stderr(), "done; see {}", table.display())?;
    }
    tell_failed(failed)
}

/// A run that another command wants.
pub(crate) struct Wanted<'a> {
    /// Stream files, or folders of them; each folder is a corpus.
    pub(crate) streams: &'a [PathBuf],
    pub(crate) methods: Vec<String>,
    pub(crate) budgets: Vec<Budget>,
    pub(crate) encoder: Arc<dyn Encode>,
    /// Streams processed in parallel; `None` for one each processor.
    pub(crate) threads: Option<usize>,
    pub(crate) keep_contexts: bool,
    pub(crate) out: &'a Path,
}

/// Runs what is missing of it, and returns its summary.
pub(crate) fn measure(wanted: Wanted<'_>) -> Result<Vec<Summary>> {
    let plan = Plan {
        streams: read_streams(wanted.streams)?,
        methods: wanted.methods,
        build: registry::build,
        budgets: wanted.budgets,
        encoder: wanted.encoder,
        counter: Arc::new(WordPieceCounter::shared()),
        context_tokens: CONTEXT_TOKENS,
        threads: threads(wanted.threads),
        time_limit: TIME_LIMIT,
        keep_contexts: wanted.keep_contexts,
        out: wanted.out.to_owned(),
    };
    let (rows, failed) = run(&plan)?;
    tell_failed(failed)?;
    Ok(rows)
}

fn threads(asked: Option<usize>) -> usize {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    asked.unwrap_or(cores)
}

fn tell_failed(jobs: usize) -> Result<()> {
    if jobs > 0 {
        writeln!(
            std::io::stderr(),
            "{jobs} jobs failed; their lines in results.jsonl say why"
        )?;
    }
    Ok(())
}

/// The run of one encoder.
fn plan(args: &RunArgs, encoder: &Path, streams: &[(Stream, StreamStamp)]) -> Result<Plan> {
    let out = match args.encoders.len() {
        1 => args.out.clone(),
        _ => args
            .out
            .join(encoder.file_name().unwrap_or(encoder.as_os_str())),
    };
    let named = EncoderArgs {
        encoder: encoder.to_owned(),
    };
    let encoder = named.remembered()?;
    Ok(Plan {
        streams: streams.to_vec(),
        methods: registry::named(&args.methods)?,
        build: registry::build,
        budgets: args.budgets.clone(),
        encoder,
        counter: Arc::new(WordPieceCounter::shared()),
        context_tokens: args.context_tokens,
        threads: threads(args.threads),
        time_limit: Duration::from_secs(args.time_limit_s),
        keep_contexts: args.keep_contexts,
        out,
    })
}
