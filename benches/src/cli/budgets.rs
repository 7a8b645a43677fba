//! Options of `weir-bench budgets`.

use super::EncoderArgs;
use std::path::PathBuf;
use weir_engine::limits::{BUDGET_TOKENS_MAX, BUDGET_TOKENS_MIN};

/// What `budgets` is told.
#[derive(clap::Args)]
pub(crate) struct BudgetsArgs {
    /// Tokens that the memory may hold; each is measured
    #[arg(
        long,
        value_delimiter = ',',
        value_parser = budget,
        default_value = "8192,16384,32768,65536,131072,262144,524288,1048576"
    )]
    pub(crate) budgets: Vec<usize>,
    /// Length of the stream in budgets
    #[arg(long, default_value_t = 10.0)]
    pub(crate) times: f64,
    /// Seconds of filling after which what is there is measured; the row says how much was heard
    #[arg(long, default_value_t = 1_800)]
    pub(crate) fill_limit_s: u64,
    /// Seconds after which a budget is given up
    #[arg(long, default_value_t = 3_600)]
    pub(crate) time_limit_s: u64,
    /// Tokens of a context
    #[arg(long, default_value_t = 1_300)]
    pub(crate) context_tokens: usize,
    /// LoCoMo's JSON, whose turns the talk is made of; made-up talk without it
    #[arg(long)]
    pub(crate) corpus: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) encoder: EncoderArgs,
    /// Where to write the table: a Markdown file
    #[arg(long)]
    pub(crate) table: Option<PathBuf>,
    /// Where to draw the results: an SVG file
    #[arg(long)]
    pub(crate) plot: Option<PathBuf>,
    /// Measures one budget in this process
    #[arg(long, hide = true)]
    pub(crate) child: bool,
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
