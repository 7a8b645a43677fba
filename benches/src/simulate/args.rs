//! Options of `weir-bench simulate`.

use super::talk::TalkArgs;
use std::path::PathBuf;

/// Options of `simulate`.
#[derive(clap::Args)]
pub(crate) struct SimulateArgs {
    /// Turns to hear
    #[arg(long, default_value_t = 1_000_000)]
    pub(super) turns: u64,
    /// Length of the talk in budgets instead of turns; sentences then hardly repeat
    #[arg(long, value_name = "FACTOR")]
    pub(super) times: Option<f64>,
    /// Tokens the memory may hold
    #[arg(long, default_value_t = 8_192)]
    pub(super) budget_tokens: usize,
    /// Measure a full memory of each of these budgets, in a process of its own
    #[arg(long, value_delimiter = ',', requires = "times")]
    pub(super) budgets: Vec<usize>,
    /// Time limit of one of them in seconds
    #[arg(long, default_value_t = 3_600)]
    pub(super) time_limit_s: u64,
    /// Bytes of a transcript on disk beside memory; 0 for none
    #[arg(long, default_value_t = 0)]
    pub(super) transcript_bytes: u64,
    #[command(flatten)]
    pub(super) talk: TalkArgs,
    /// Write the table to this Markdown file
    #[arg(long)]
    pub(super) table: Option<PathBuf>,
    /// Plot the results to this SVG file
    #[arg(long)]
    pub(super) plot: Option<PathBuf>,
}
