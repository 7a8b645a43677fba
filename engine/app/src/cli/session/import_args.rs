//! The command line of `weir import`.

use crate::cli::session_name::session_folder;
use clap::Args;
use jiff::tz::TimeZone;
use std::path::PathBuf;
use weir_engine::import::{Format, Order};

const EXAMPLES: &str = "\
Examples:
  weir import chat.txt --session notes --dry-run          what is in it, and what is left out
  weir import chat.txt --session notes --as \"Mum=Ana\"     ... and into the memory in ./notes
  weir import export.zip --session notes                  ChatGPT, Slack, WhatsApp as they come
  weir import *.srt --session films --json

Formats: SRT, WebVTT, JSON of Whisper, exports of ChatGPT, WhatsApp, Telegram (JSON) and Slack, as a
file, a zip archive or a folder. A message that the session has from an earlier import is not taken
again. `weir memory import` reads what `weir memory export` wrote, `weir replay` hears recordings.";

/// `weir import`.
#[derive(Debug, Clone, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ImportArgs {
    /// Files, zip archives or folders
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// Directory of the session; it is made if there is none
    #[arg(long, value_name = "DIR", value_parser = session_folder())]
    #[arg(required_unless_present = "dry_run")]
    pub(crate) session: Option<PathBuf>,
    /// Format of the files [default: known by their content]: srt, vtt, whisper, chatgpt, whatsapp,
    /// telegram, slack
    #[arg(long, value_name = "FORMAT")]
    pub(crate) format: Option<Format>,
    /// Another name for a speaker of the files, such as `User=Ana`; several times for several
    #[arg(long = "as", value_name = "NAME=OTHER", value_parser = renamed)]
    pub(crate) names: Vec<(String, String)>,
    /// What comes first in the dates of WhatsApp, where the file does not tell: day-first or
    /// month-first
    #[arg(long, value_name = "ORDER")]
    pub(crate) dates: Option<Order>,
    /// Time zone of dates that name none, e.g. `Europe/Berlin` [default: this machine's]
    #[arg(long, value_name = "ZONE", value_parser = weir_engine::time::zone_named)]
    pub(crate) zone: Option<TimeZone>,
    /// Show what would be imported, and import nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Print one JSON object per file instead of lines
    #[arg(long)]
    pub(crate) json: bool,
    /// Sentence encoder of a new session [default: all-MiniLM-L6-v2 if installed, else words]
    #[arg(long, value_name = "NAME|DIR|words")]
    pub(crate) encoder: Option<String>,
}

fn renamed(text: &str) -> Result<(String, String), String> {
    let names = text
        .split_once('=')
        .map(|(from, to)| (from.trim(), to.trim()));
    match names.filter(|(from, to)| !from.is_empty() && !to.is_empty()) {
        Some((from, to)) => Ok((from.to_owned(), to.to_owned())),
        None => Err("give two names, such as User=Ana".to_owned()),
    }
}
