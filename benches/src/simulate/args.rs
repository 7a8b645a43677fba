//! Options of `weir-bench simulate`.

use super::world::{Talk, made_dialogue};
use crate::options::EncoderArgs;
use crate::stream::{Stream, files};
use anyhow::Result;
use std::path::PathBuf;

/// What is simulated.
#[derive(clap::Args, Clone, Default)]
pub(crate) struct Plan {
    /// Turns to hear
    #[arg(long, default_value_t = 1_000_000)]
    pub(crate) turns: u64,
    /// Length of the talk in budgets instead of turns; sentences then hardly repeat
    #[arg(long, value_name = "FACTOR")]
    pub(crate) times: Option<f64>,
    /// Tokens the memory may hold
    #[arg(long, default_value_t = 8_192)]
    pub(crate) budget_tokens: usize,
    /// Bytes of a transcript on disk beside memory; 0 for none
    #[arg(long, default_value_t = 0)]
    pub(crate) transcript_bytes: u64,
    /// Stream files whose turns are the source, or folders of them [default: generated dialogue]
    #[arg(long, num_args = 1..)]
    pub(crate) streams: Vec<PathBuf>,
    /// Tokens of a context
    #[arg(long, default_value_t = 1_300)]
    pub(crate) context_tokens: usize,
}

/// Options of `simulate`.
#[derive(clap::Args)]
pub(crate) struct SimulateArgs {
    #[command(flatten)]
    pub(super) plan: Plan,
    #[command(flatten)]
    pub(super) encoder: EncoderArgs,
    /// Measure a full memory of each of these budgets, in a process of its own
    #[arg(long, value_delimiter = ',', requires = "times")]
    pub(super) budgets: Vec<usize>,
    /// The one of them that is measured in this process
    #[arg(long, hide = true)]
    pub(super) only: Option<usize>,
    /// Write the table to this Markdown file
    #[arg(long)]
    pub(super) table: Option<PathBuf>,
    /// Plot the results to this SVG file
    #[arg(long)]
    pub(super) plot: Option<PathBuf>,
}

impl Plan {
    /// The source dialogues: those of the streams, or a generated one if none is given.
    pub(super) fn dialogues(&self) -> Result<Vec<Talk>> {
        if self.streams.is_empty() {
            return Ok(vec![made_dialogue()]);
        }
        let said = |file: PathBuf| -> Result<Talk> {
            let stream = Stream::read(&file)?;
            let turns = stream.turns();
            Ok(turns
                .map(|turn| (turn.speaker.clone().unwrap_or_default(), turn.text.clone()))
                .collect())
        };
        files(&self.streams)?.into_iter().map(said).collect()
    }
}
