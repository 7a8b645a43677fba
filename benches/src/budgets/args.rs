//! Options of `weir-bench budgets`.

use crate::simulate::TalkArgs;
use std::path::PathBuf;
use weir_core::limits::{BUDGET_TOKENS_MAX, BUDGET_TOKENS_MIN, TRANSCRIPT_BYTES_DEFAULT};

/// Options of `budgets`.
#[derive(clap::Args)]
pub(crate) struct BudgetsArgs {
    /// Token budgets to measure
    #[arg(
        long,
        value_delimiter = ',',
        value_parser = budget,
        default_value = "8192,16384,32768,65536,131072,262144,524288,1048576"
    )]
    pub(crate) budgets: Vec<usize>,
    /// Bytes of a transcript on disk beside memory; 0 for none
    #[arg(long, default_value_t = TRANSCRIPT_BYTES_DEFAULT)]
    pub(crate) transcript_bytes: u64,
    /// Length of the stream in budgets, more than 1
    #[arg(long, value_parser = times, default_value_t = 10.0)]
    pub(crate) times: f64,
    /// Limit of the filling time in seconds; then the current state is measured, and the row gives
    /// the turns heard
    #[arg(long, default_value_t = 1_800)]
    pub(crate) fill_limit_s: u64,
    /// Time limit of one budget in seconds
    #[arg(long, default_value_t = 3_600)]
    pub(crate) time_limit_s: u64,
    #[command(flatten)]
    pub(crate) talk: TalkArgs,
    /// Write the table to this Markdown file
    #[arg(long)]
    pub(crate) table: Option<PathBuf>,
    /// Plot the results to this SVG file
    #[arg(long)]
    pub(crate) plot: Option<PathBuf>,
    /// Measure one budget in this process
    #[arg(long, hide = true)]
    pub(crate) child: bool,
}

fn times(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(times) if times > 1.0 && times <= 1e6 => Ok(times),
        _ => Err("the stream is more than 1 and at most 1000000 budgets long".to_owned()),
    }
}

fn budget(text: &str) -> Result<usize, String> {
    let range = BUDGET_TOKENS_MIN..=BUDGET_TOKENS_MAX;
    match text.parse() {
        Ok(tokens) if range.contains(&tokens) => Ok(tokens),
        _ => Err(format!(
            "a budget has {BUDGET_TOKENS_MIN} to {BUDGET_TOKENS_MAX} tokens"
        )),
    }
}
