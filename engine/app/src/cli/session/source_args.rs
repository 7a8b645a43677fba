//! The command line of `weir source`.

use crate::cli::session::memory_args::{SessionArg, ViewArgs};
use clap::{Args, Subcommand};
use std::path::PathBuf;
use weir_core::limits;

pub(crate) const EXAMPLES: &str = "\
Examples:
  weir source add house-rules.md --as house --session notes
  weir source add season1/*.srt --as series --weight 0.8 --session notes
  weir source list --session notes
  weir source remove house --session notes          no word of it is left; prints a receipt

A source is text, Markdown or subtitles (.srt, .vtt) in UTF-8. It is cut into passages, which answer
questions beside what was heard and are cited by file and line. All sources together may use a
quarter of the memory's tokens; one that does not fit is refused whole, and none is forgotten.";

/// `weir source`.
#[derive(Debug, Clone, Subcommand)]
pub(crate) enum SourceCommand {
    /// Read files into a source of the session
    Add(AddArgs),
    /// List the sources with their files and sizes
    List(ViewArgs),
    /// Erase a source from every file of the session, and print a receipt
    Remove {
        /// Name of the source
        name: String,
        #[command(flatten)]
        place: SessionArg,
        /// Print the receipt as JSON
        #[arg(long)]
        json: bool,
    },
}

/// `weir source add`.
#[derive(Debug, Clone, Args)]
pub(crate) struct AddArgs {
    /// Text files; they are read once, later changes of a file change nothing
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// Name of the source, which citations give
    #[arg(long = "as", value_name = "NAME")]
    pub(crate) name: String,
    /// Factor on the scores of its passages: above 1 they precede what was heard more often
    #[arg(long, value_name = "W", value_parser = weight,
          default_value_t = limits::SOURCE_WEIGHT_DEFAULT)]
    pub(crate) weight: f32,
    #[command(flatten)]
    pub(crate) place: SessionArg,
}

fn weight(text: &str) -> Result<f32, String> {
    let max = limits::SOURCE_WEIGHT_MAX;
    match text.parse::<f32>() {
        Ok(weight) if weight > 0.0 && weight <= max => Ok(weight),
        _ => Err(format!("give a number above 0 and at most {max}")),
    }
}

impl SourceCommand {
    /// Whether the command loads a model.
    pub(crate) fn computes(&self) -> bool {
        matches!(self, Self::Add(_))
    }
}
