//! The command line of `weir memory`.

use clap::{Args, Subcommand};
use std::path::PathBuf;

pub(crate) const EXAMPLES: &str = "\
Examples:
  weir memory tree --session notes
  weir memory show n12.0 --session notes
  weir memory stats --session notes --json
  weir memory pin n12.0 --session notes           never forget this
  weir memory edit n12.0 \"My sister lives in Lisbon.\" --session notes
  weir memory delete n12.0 --session notes --yes  and leave no trace of it
  weir memory budget --tokens 4096 --session notes
  weir memory export notes.jsonl --session notes
  weir memory import notes.jsonl --session copy
  weir memory reencode --session notes --encoder all-MiniLM-L6-v2";

/// `weir memory`.
#[derive(Debug, Subcommand)]
pub(crate) enum MemoryCommand {
    /// What is held, as minutes: scenes, their events, who said what; names of nodes at the end
    Tree {
        /// Greetings, thanks and short replies, too
        #[arg(long)]
        all: bool,
        #[command(flatten)]
        view: ViewArgs,
    },
    /// One node with everything known about it
    Show {
        /// Its name, e.g. n12.0 (see `weir memory tree`)
        id: String,
        #[command(flatten)]
        view: ViewArgs,
    },
    /// What memory holds, and of how much it may
    Stats(ViewArgs),
    /// Keep a unit whatever it is worth, until it is unpinned
    Pin {
        /// Names of units, e.g. n12.0 (see `weir memory tree`)
        #[arg(required = true, value_name = "ID")]
        ids: Vec<String>,
        #[command(flatten)]
        place: SessionArg,
    },
    /// Let pinned units be forgotten again like any other
    Unpin {
        /// Names of units
        #[arg(required = true, value_name = "ID")]
        ids: Vec<String>,
        #[command(flatten)]
        place: SessionArg,
    },
    /// Set the words of a unit right; its proof still says what was heard
    Edit {
        /// Its name
        id: String,
        /// Its words from now on
        text: String,
        #[command(flatten)]
        place: SessionArg,
    },
    /// Erase what was said, from memory, journal and recorded audio, and print a receipt
    Delete(DeleteArgs),
    /// Set how much memory may hold, and fit it to that now
    Budget {
        /// Tokens of all scenes, events and units together
        #[arg(long, value_name = "N")]
        tokens: Option<usize>,
        /// Bytes of nodes, proofs, vectors and words
        #[arg(long, value_name = "N")]
        bytes: Option<usize>,
        /// Nodes: scenes, events and units
        #[arg(long, value_name = "N")]
        nodes: Option<usize>,
        /// Bytes of the transcript on disk; 0 keeps none from now on
        #[arg(long, value_name = "N", value_parser = super::transcript_args::transcript_bytes)]
        transcript_bytes: Option<u64>,
        #[command(flatten)]
        place: SessionArg,
    },
    /// Write the session as JSON Lines, to standard output or a file
    Export {
        /// File to write; one that is there is replaced [default: standard output]
        #[arg(value_name = "FILE")]
        to: Option<PathBuf>,
        #[command(flatten)]
        place: SessionArg,
    },
    /// Make a session of what `export` wrote, changed by hand or not
    Import {
        /// File to read; `-` is standard input
        #[arg(value_name = "FILE")]
        from: PathBuf,
        #[command(flatten)]
        place: SessionArg,
    },
    /// Make the vectors anew with another encoder, so that it can be used from then on
    Reencode {
        /// Directory of the session
        #[arg(long, value_name = "DIR")]
        session: PathBuf,
        /// The encoder to use from now on [default: the best at hand]
        #[arg(long, value_name = "NAME|DIR|words")]
        encoder: Option<String>,
    },
}

impl MemoryCommand {
    /// Whether it loads a model.
    pub(crate) fn computes(&self) -> bool {
        matches!(
            self,
            Self::Edit { .. } | Self::Delete(_) | Self::Reencode { .. }
        )
    }
}

/// `weir memory delete`.
#[derive(Debug, Clone, Args)]
#[command(group(clap::ArgGroup::new("what").required(true).multiple(true)
    .args(["ids", "utterances", "speakers"])))]
pub(crate) struct DeleteArgs {
    /// Names of nodes; every utterance that they rest on goes with them
    #[arg(value_name = "ID")]
    pub(crate) ids: Vec<String>,
    /// One utterance by stream and id, as `weir memory show` prints them
    #[arg(
        long = "utterance",
        value_names = ["STREAM", "ID"],
        num_args = 2,
        action = clap::ArgAction::Append
    )]
    pub(crate) utterances: Vec<String>,
    /// Everything that somebody said
    #[arg(long = "speaker", value_name = "NAME")]
    pub(crate) speakers: Vec<String>,
    /// Do it; without this the command only says what would go
    #[arg(long)]
    pub(crate) yes: bool,
    /// The receipt as JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) place: SessionArg,
}

/// Which session to change.
#[derive(Debug, Clone, Args)]
pub(crate) struct SessionArg {
    /// Directory of the session
    #[arg(long, value_name = "DIR")]
    pub(crate) session: PathBuf,
}

/// Which session to look into, and how to print it.
#[derive(Debug, Clone, Args)]
pub(crate) struct ViewArgs {
    /// Directory of the session
    #[arg(long, value_name = "DIR")]
    pub(crate) session: PathBuf,
    /// JSON instead of lines
    #[arg(long)]
    pub(crate) json: bool,
}
