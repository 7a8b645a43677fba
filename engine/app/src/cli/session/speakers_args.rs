//! The command line of `weir speakers`.

use crate::cli::session::memory_args::SessionArg;
use crate::cli::session_name::session_folder;
use clap::Subcommand;
use std::path::PathBuf;

pub(crate) const EXAMPLES: &str = "\
Examples:
  weir speakers list --session notes
  weir speakers clip 1 voice.wav --session notes   the sound of something that Speaker 1 said
  weir speakers name 1 Ana --session notes         Speaker 1 is Ana, also in what was said before
  weir speakers merge 3 Ana --session notes        Speaker 3 is Ana too
  weir speakers enrol Ana --session notes          recognise Ana in other sessions from now on
  weir speakers enrol Bob bob.wav                  the same from a sample of at least 15 s
  weir speakers forget Ana --session notes         her name and her voice; what she said stays

While `weir listen` runs, type `/name 1 Ana` there. A voice is stored only by `enrol`.
To erase what somebody said: weir memory delete --speaker Ana";

/// `weir speakers`.
#[derive(Debug, Subcommand)]
pub(crate) enum SpeakersCommand {
    /// Show everybody heard in a session, and whose voices are enrolled
    List {
        /// Directory of the session
        #[arg(long, value_name = "DIR", value_parser = session_folder())]
        session: Option<PathBuf>,
        /// Print JSON instead of lines
        #[arg(long)]
        json: bool,
    },
    /// Write the sound of something a speaker said, so that you hear who it is
    Clip {
        /// The speaker: a label, its number, or the present name
        speaker: String,
        /// The WAV file to write
        to: PathBuf,
        #[command(flatten)]
        place: SessionArg,
    },
    /// Give a speaker a name, or another one
    Name {
        /// The speaker: a label, its number, or the present name
        speaker: String,
        /// The name
        name: String,
        #[command(flatten)]
        place: SessionArg,
    },
    /// Make two speakers one person; it cannot be undone
    Merge {
        /// The speaker that goes
        speaker: String,
        /// The speaker that stays
        into: String,
        #[command(flatten)]
        place: SessionArg,
    },
    /// Forget a name and an enrolled voice, and rewrite the files that have them
    Forget {
        /// The name
        name: String,
        /// Directory of the session whose name is forgotten; without it only the voice is
        #[arg(long, value_name = "DIR", value_parser = session_folder())]
        session: Option<PathBuf>,
        /// Print the receipt as JSON
        #[arg(long)]
        json: bool,
    },
    /// Store a voice, so that it is recognised in every session from now on
    Enrol {
        /// Whose voice it is
        name: String,
        /// A recording of this person alone, at least 15 s of speech [default: what the person
        /// said in the session]
        #[arg(value_name = "FILE")]
        sample: Option<PathBuf>,
        /// Directory of the session that has recordings of the person
        #[arg(long, value_name = "DIR", value_parser = session_folder())]
        #[arg(required_unless_present = "sample")]
        session: Option<PathBuf>,
    },
}

impl SpeakersCommand {
    /// Whether the command loads a model.
    pub(crate) fn computes(&self) -> bool {
        !matches!(self, Self::List { .. })
    }
}
