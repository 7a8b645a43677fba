//! Options of `weir-bench run`.

use super::endpoints::EndpointArgs;
use crate::budget::Budget;
use crate::encoder::EncoderArgs;
use crate::method::registry;
use crate::metric::Scorer;
use crate::metric::bert::BertScorer;
use crate::report;
use crate::run::record::StreamStamp;
use crate::run::{Plan, read_streams, references, run};
use crate::stream::Stream;
use crate::trained::TrainedArgs;
use anyhow::{Result, ensure};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use weir_models::{CountTokens, WordPieceCounter};

/// Options of `run`.
#[derive(clap::Args)]
pub(crate) struct RunArgs {
    /// Stream files, or folders of them
    #[arg(long, required = true, num_args = 1..)]
    streams: Vec<PathBuf>,
    /// The same streams with their true words, if `--streams` are recognised ones: scores then use
    /// the true words
    #[arg(long, num_args = 1..)]
    references: Vec<PathBuf>,
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
    /// Folder that caches vectors between runs
    #[arg(long)]
    vectors: Option<PathBuf>,
    /// Tokens of a context
    #[arg(long, default_value_t = 1_300)]
    context_tokens: usize,
    #[command(flatten)]
    endpoint: EndpointArgs,
    #[command(flatten)]
    trained: TrainedArgs,
    /// Streams processed in parallel [default: number of processors]
    #[arg(long)]
    threads: Option<usize>,
    /// Time limit of one method on one stream in seconds
    #[arg(long, default_value_t = 900)]
    time_limit_s: u64,
    /// Also write each question's context, in the format of `weir replay --results`, to
    /// `contexts/METHOD-BUDGET` below the results, for `weir-bench read`
    #[arg(long)]
    keep_contexts: bool,
    /// Folder for the results, with one subfolder per encoder if there are several; an interrupted
    /// run is resumed there
    #[arg(long)]
    out: PathBuf,
}

type Streams = Vec<(Stream, StreamStamp)>;

/// Runs every encoder and writes the results.
pub(crate) fn main(args: &RunArgs) -> Result<()> {
    args.trained.install()?;
    let streams = read_streams(&args.streams)?;
    let probes: usize = streams.iter().map(|(_, stamp)| stamp.probes).sum();
    ensure!(probes > 0, "the streams hold no probe: nothing is asked");
    let spoken = match args.references.as_slice() {
        [] => Vec::new(),
        paths => read_streams(paths)?,
    };
    let mut failed = 0;
    for encoder in &args.encoders {
        let plan = plan(args, encoder, &streams, &spoken)?;
        failed += run(&plan)?;
        report_of(&plan, &args.streams)?;
    }
    let mut err = std::io::stderr();
    if failed > 0 {
        writeln!(
            err,
            "{failed} jobs failed; their lines in results.jsonl say why"
        )?;
    }
    Ok(())
}

/// The run of one encoder.
fn plan(args: &RunArgs, encoder: &Path, streams: &Streams, spoken: &Streams) -> Result<Plan> {
    let out = match args.encoders.len() {
        1 => args.out.clone(),
        _ => args
            .out
            .join(encoder.file_name().unwrap_or(encoder.as_os_str())),
    };
    let named = EncoderArgs {
        encoder: encoder.to_owned(),
        vectors: args.vectors.clone(),
    };
    let (encoder, sentences) = named.opened(true)?;
    let counter: Arc<dyn CountTokens> = Arc::new(WordPieceCounter::shared());
    let (writer, answerer, judge) = args.endpoint.hands(&encoder, &counter)?;
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    Ok(Plan {
        streams: streams.clone(),
        references: references(spoken),
        methods: registry::named(&args.methods, writer.name())?,
        build: registry::build,
        budgets: args.budgets.clone(),
        scorer: Scorer::new(Arc::clone(&encoder), sentences.map(BertScorer::new)),
        answerer,
        encoder,
        counter,
        writer,
        judge,
        context_tokens: args.context_tokens,
        threads: args.threads.unwrap_or(cores),
        time_limit: Duration::from_secs(args.time_limit_s),
        device: "cpu".to_owned(),
        keep_contexts: args.keep_contexts,
        out,
    })
}

/// Page and table beside the results.
fn report_of(plan: &Plan, streams: &[PathBuf]) -> Result<()> {
    let written = ["results.jsonl", "report.html", "table.md"].map(|name| plan.out.join(name));
    let [results, page, table] = &written;
    report::write(std::slice::from_ref(results), streams, page, Some(table))?;
    let page = page.display();
    let mut err = std::io::stderr();
    writeln!(
        err,
        "done; open {page}, or see table.md and summary.jsonl there"
    )?;
    Ok(())
}
