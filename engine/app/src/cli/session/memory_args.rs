//! The command line of `weir memory`.

use crate::cli::session::size_args::transcript_bytes;
use crate::cli::session_name::session_folder;
use clap::{Args, Subcommand, ValueEnum};
use std::path::PathBuf;
use weir_api::EntityKind;

pub(crate) const EXAMPLES: &str = "\
Examples:
  weir memory tree --session notes
  weir memory show n12.0 --session notes
  weir memory entities --session notes            people, places, organisations, things
  weir memory entities Maria --session notes      what is said of one
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
    /// Show memory like meeting minutes: scenes, events and, in a small one, who said what; node
    /// names at line ends. Below them stands what was heard and is in no event yet
    Tree {
        /// List the statements below their events
        #[arg(long)]
        statements: bool,
        /// List them with questions, greetings, thanks and short replies
        #[arg(long)]
        all: bool,
        #[command(flatten)]
        view: ViewArgs,
    },
    /// Show everything known about one node
    Show {
        /// Name of the node, e.g. n12.0 (see `weir memory tree`)
        id: String,
        #[command(flatten)]
        view: ViewArgs,
    },
    /// Show whom and what the statements name, and how these stand to each other
    Entities(EntitiesArgs),
    /// Show how much memory holds, and its limits
    Stats(ViewArgs),
    /// Keep a unit, whatever its value, until it is unpinned
    Pin {
        /// Names of units, e.g. n12.0 (see `weir memory tree`)
        #[arg(required = true, value_name = "ID")]
        ids: Vec<String>,
        #[command(flatten)]
        place: SessionArg,
    },
    /// Let pinned units be forgotten again
    Unpin {
        /// Names of units
        #[arg(required = true, value_name = "ID")]
        ids: Vec<String>,
        #[command(flatten)]
        place: SessionArg,
    },
    /// Correct the words of a unit; its evidence keeps the words as heard
    Edit {
        /// Name of the unit
        id: String,
        /// The new words
        text: String,
        #[command(flatten)]
        place: SessionArg,
    },
    /// Erase statements from memory, journal and recorded audio, and print a receipt
    Delete(DeleteArgs),
    /// Set the memory limits and enforce them now
    Budget {
        /// Tokens of all scenes, events and units together
        #[arg(long, value_name = "N")]
        tokens: Option<usize>,
        /// Bytes of nodes, evidence, vectors and words
        #[arg(long, value_name = "N")]
        bytes: Option<usize>,
        /// Nodes: scenes, events and units
        #[arg(long, value_name = "N")]
        nodes: Option<usize>,
        /// Bytes of the transcript on disk; 0 keeps none from now on
        #[arg(long, value_name = "N", value_parser = transcript_bytes)]
        transcript_bytes: Option<u64>,
        #[command(flatten)]
        place: SessionArg,
    },
    /// Write the session as JSON Lines to standard output or a file
    Export {
        /// File to write; an existing file is replaced [default: standard output]
        #[arg(value_name = "FILE")]
        to: Option<PathBuf>,
        #[command(flatten)]
        place: SessionArg,
    },
    /// Create a session from an exported file, edited or not
    Import {
        /// File to read; `-` is standard input
        #[arg(value_name = "FILE")]
        from: PathBuf,
        #[command(flatten)]
        place: SessionArg,
    },
    /// Recompute the vectors with another encoder and use that encoder from then on
    Reencode {
        #[command(flatten)]
        place: SessionArg,
        /// The new encoder [default: the best one installed]
        #[arg(long, value_name = "NAME|DIR|words")]
        encoder: Option<String>,
    },
}

impl MemoryCommand {
    /// Whether the command loads a model.
    pub(crate) fn computes(&self) -> bool {
        matches!(
            self,
            Self::Edit { .. } | Self::Delete(_) | Self::Reencode { .. }
        )
    }
}

/// `weir memory entities`.
#[derive(Debug, Clone, Args)]
pub(crate) struct EntitiesArgs {
    /// One of them, by name: its relations, what is named with it, and the statements
    pub(crate) name: Option<String>,
    /// List only these
    #[arg(long, conflicts_with = "name")]
    pub(crate) kind: Option<KindArg>,
    #[command(flatten)]
    pub(crate) view: ViewArgs,
}

/// What is named.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum KindArg {
    /// People, and animals with a name
    Person,
    /// Where one can go
    Place,
    /// Companies, schools, teams
    Organisation,
    /// Anything else
    Thing,
}

impl From<KindArg> for EntityKind {
    fn from(kind: KindArg) -> Self {
        match kind {
            KindArg::Person => Self::Person,
            KindArg::Place => Self::Place,
            KindArg::Organisation => Self::Organisation,
            KindArg::Thing => Self::Thing,
        }
    }
}

/// `weir memory delete`.
#[derive(Debug, Clone, Args)]
#[command(group(clap::ArgGroup::new("what").required(true).multiple(true)
    .args(["ids", "utterances", "speakers"])))]
pub(crate) struct DeleteArgs {
    /// Names of nodes, beliefs (b12) or facts (f3); all utterances that are their evidence are
    /// erased too
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
    /// Everything that this speaker said
    #[arg(long = "speaker", value_name = "NAME")]
    pub(crate) speakers: Vec<String>,
    #[command(flatten)]
    pub(crate) erase: EraseArgs,
}

/// Where to erase, and how.
#[derive(Debug, Clone, Args)]
pub(crate) struct EraseArgs {
    /// Erase; without this flag the command only lists what it would erase
    #[arg(long)]
    pub(crate) yes: bool,
    /// Print the receipt as JSON
    #[arg(long, requires = "yes")]
    pub(crate) json: bool,
    /// Directory of the session
    #[arg(long, value_name = "DIR", value_parser = session_folder())]
    pub(crate) session: PathBuf,
}

/// The session to change.
#[derive(Debug, Clone, Args)]
pub(crate) struct SessionArg {
    /// Directory of the session
    #[arg(long, value_name = "DIR", value_parser = session_folder())]
    pub(crate) session: PathBuf,
}

/// The session to show, and the output format.
#[derive(Debug, Clone, Args)]
pub(crate) struct ViewArgs {
    /// Directory of the session
    #[arg(long, value_name = "DIR", value_parser = session_folder())]
    pub(crate) session: PathBuf,
    /// Print JSON instead of lines
    #[arg(long)]
    pub(crate) json: bool,
}
