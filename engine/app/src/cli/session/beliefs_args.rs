//! The command line of `weir beliefs`.

use crate::cli::session_name::session_folder;
use clap::Args;
use std::path::PathBuf;

pub(crate) const EXAMPLES: &str = "\
Examples:
  weir beliefs --session notes
  weir beliefs --session notes --of Ana --about coffee
  weir beliefs --session notes --about \"new office\" --plot office.svg
  weir memory delete b12 --session notes --yes      erase a belief and the remarks behind it

A line is [+ positive, . neutral, - negative], what it adds up to, and whose it is: \"positive\" is
certain, \"mostly positive\" is not, \"mildly positive\" is little of a feeling, \"mixed\" is both.
--json has the profile, weight and entropy of DAM-LLM 3.4, with a limit on the weight of old
remarks, so that an opinion can change.";

/// `weir beliefs`.
#[derive(Debug, Clone, Args)]
pub(crate) struct BeliefsArgs {
    /// Directory of the session
    #[arg(long, value_name = "DIR", value_parser = session_folder())]
    pub(crate) session: PathBuf,
    /// Only beliefs about this: a thing, a side of it, or both
    #[arg(long, value_name = "WORDS")]
    pub(crate) about: Option<String>,
    /// Only beliefs of this speaker
    #[arg(long, value_name = "SPEAKER")]
    pub(crate) of: Option<String>,
    /// Also list what rests on one weak remark
    #[arg(long)]
    pub(crate) all: bool,
    /// List the remarks that do not count: hypothetical, reported, past, perhaps sarcastic
    #[arg(long)]
    pub(crate) doubted: bool,
    /// Draw how the first of the beliefs moved over time
    #[arg(long, value_name = "FILE.svg")]
    pub(crate) plot: Option<PathBuf>,
    /// Print JSON instead of lines, with the history of each belief
    #[arg(long)]
    pub(crate) json: bool,
}
