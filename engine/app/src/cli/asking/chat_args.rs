//! Arguments of `weir chat`.

use crate::cli::loading::model_args::{AnswerArgs, CharacterArgs};
use crate::cli::session_name::session_folder;
use clap::Args;
use std::path::PathBuf;

/// Examples below the help.
pub(crate) const EXAMPLES: &str = "\
Each line is a turn. What it tells is stored, what it asks is answered:
  weir chat --session home --asked-by Ana
  > My sister Carla moved to Porto in May.
  > Where does she live?
  > Remember that the locker code is 4711.
  > Forget that Carla moved.           (asks for a yes, then erases it from every file)
  weir chat --session home --as ben.toml       a character answers; see weir ask --help
  weir chat --session home --check             is each claim of an answer proven?
Ctrl-D ends. Lines of a pipe are turns too; --json prints one object for each:
  printf 'Where does Carla live?\\n' | weir chat --session home --json";

/// `weir chat`.
#[derive(Debug, Clone, Args)]
pub(crate) struct ChatArgs {
    /// Directory of the session; created if there is none
    #[arg(long, value_name = "DIR", value_parser = session_folder())]
    pub(crate) session: PathBuf,
    /// Your name: whom "I" and "my" refer to
    #[arg(long, value_name = "NAME", default_value = "User")]
    pub(crate) asked_by: String,
    #[command(flatten)]
    pub(crate) character: CharacterArgs,
    /// Print one JSON object a turn instead of lines
    #[arg(long)]
    pub(crate) json: bool,
    /// The encoder of a new session, or the session's own if it is not in the usual folders
    #[arg(long, value_name = "NAME|DIR|words")]
    pub(crate) encoder: Option<String>,
    #[command(flatten)]
    pub(crate) answer: AnswerArgs,
}
