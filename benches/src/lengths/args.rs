//! Options of `weir-bench lengths`.

use crate::budget::Budget;
use crate::simulate::TalkArgs;
use std::path::PathBuf;

/// Options of `lengths`.
#[derive(clap::Args)]
pub(crate) struct LengthsArgs {
    /// Methods by name, or `all`, `baselines`, `variants`
    #[arg(long, value_delimiter = ',', default_value = "all")]
    pub(crate) methods: Vec<String>,
    /// Turns to reach
    #[arg(long, default_value_t = 100_000)]
    pub(crate) turns: usize,
    /// Token budget: a number, `none`, or `own`: 8192 for Weir, none for the others
    #[arg(long, default_value = "own")]
    pub(crate) budget: Budget,
    #[command(flatten)]
    pub(crate) talk: TalkArgs,
    /// Time limit of one method in seconds
    #[arg(long, default_value_t = 1_800)]
    pub(crate) time_limit_s: u64,
    /// Plot the results to this SVG file
    #[arg(long)]
    pub(crate) plot: Option<PathBuf>,
    /// Measure one method in this process
    #[arg(long, hide = true)]
    pub(crate) child: bool,
}
