//! The command line of `weir profile`.

use crate::cli::session::memory_args::{EraseArgs, SessionArg};
use crate::cli::session_name::session_folder;
use clap::{Args, Subcommand};
use std::path::PathBuf;

pub(crate) const EXAMPLES: &str = "\
Examples:
  weir profile --session notes
  weir profile Ana --session notes --past
  weir profile edit f3 \"I live in Lisbon.\" --session notes   set right what was misheard
  weir profile pin f3 --session notes               talk neither changes nor forgets it
  weir profile delete f3 --session notes --yes      and every utterance that says it
  weir profile export Ana --session notes --tokens 300   as sentences for a prompt

Statements stand word for word under headings, the newest first; `edit` and `delete` set right
what is wrong. --past shows facts that an earlier build of Weir ended.";

/// `weir profile`.
#[derive(Debug, Clone, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(crate) struct ProfileArgs {
    #[command(subcommand)]
    pub(crate) command: Option<ProfileCommand>,
    #[command(flatten)]
    pub(crate) list: Option<ListArgs>,
}

/// `weir profile [SPEAKER]`.
#[derive(Debug, Clone, Args)]
pub(crate) struct ListArgs {
    /// Whose profile [default: everybody's]
    pub(crate) speaker: Option<String>,
    /// Directory of the session
    #[arg(long, value_name = "DIR", value_parser = session_folder())]
    pub(crate) session: PathBuf,
    /// Show facts that an earlier build ended too
    #[arg(long)]
    pub(crate) past: bool,
    /// Print JSON instead of lines
    #[arg(long)]
    pub(crate) json: bool,
}

/// The changes.
#[derive(Debug, Clone, Subcommand)]
pub(crate) enum ProfileCommand {
    /// Give a fact other words
    Edit {
        /// Name of the fact, e.g. f3 (see `weir profile`)
        fact: String,
        /// The words
        value: String,
        #[command(flatten)]
        place: SessionArg,
    },
    /// Keep a fact whatever is said, or let it go again with --off
    Pin {
        /// Names of facts
        #[arg(required = true, value_name = "FACT")]
        facts: Vec<String>,
        /// Unpin
        #[arg(long)]
        off: bool,
        #[command(flatten)]
        place: SessionArg,
    },
    /// Erase facts and every utterance that says them, and print a receipt
    Delete {
        /// Names of facts
        #[arg(required = true, value_name = "FACT")]
        facts: Vec<String>,
        #[command(flatten)]
        args: EraseArgs,
    },
    /// Print the statements of a profile, for a prompt
    Export {
        /// Whose profile [default: everybody's]
        speaker: Option<String>,
        /// Tokens at most
        #[arg(long, value_name = "N", default_value_t = 300)]
        tokens: usize,
        #[command(flatten)]
        place: SessionArg,
    },
}

impl ProfileArgs {
    /// Whether the command loads a model.
    pub(crate) fn computes(&self) -> bool {
        use ProfileCommand::{Delete, Edit};
        matches!(self.command, Some(Edit { .. } | Delete { .. }))
    }
}
