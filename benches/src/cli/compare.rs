//! Options of `weir-bench compare`.

use super::endpoints::ServerArgs;
use crate::budget::Budget;
use crate::compare::{Plan, run};
use crate::judge::Pairwise;
use anyhow::{Context, Result, bail};
use std::path::PathBuf;

/// Options of `compare`.
#[derive(clap::Args)]
pub(crate) struct CompareArgs {
    /// `results.jsonl` of `weir-bench run`
    results: PathBuf,
    /// The stream files of the run, or folders of them
    #[arg(long, required = true, num_args = 1..)]
    streams: Vec<PathBuf>,
    /// Two methods by their full names in the results
    #[arg(long, value_delimiter = ',', required = true)]
    methods: Vec<String>,
    /// Token budget of both, as in the run
    #[arg(long, default_value = "own")]
    budget: Budget,
    /// Maximum number of probes, evenly spread
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u64).range(1..))]
    limit: u64,
    #[command(flatten)]
    server: ServerArgs,
}

/// Runs the judge and prints its scores.
pub(crate) fn main(args: &CompareArgs) -> Result<()> {
    let many = args.methods.len();
    let methods = <[String; 2]>::try_from(args.methods.clone());
    let Ok(methods) = methods else {
        bail!("--methods names {many}; two are compared");
    };
    let endpoint = args.server.open()?;
    let endpoint = endpoint.context("give the judge: --endpoint and --model")?;
    let plan = Plan {
        results: args.results.clone(),
        streams: args.streams.clone(),
        budgets_tokens: [0, 1].map(|side| args.budget.tokens(&methods[side])),
        methods,
        limit: args.limit as usize,
        judge: Pairwise::new(endpoint),
    };
    run(&plan, &mut std::io::stdout().lock())
}
