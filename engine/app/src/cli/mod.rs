//! The command line of `weir`: parses arguments, runs one command, reports the outcome.
//!
//! Only this part of the project prints, and only here do errors lose their type. Each command is a
//! module of its own and does not depend on other commands.

mod advice;
mod args;
mod asking;
mod failure;
mod hearing;
mod loading;
mod output;
#[cfg(feature = "screen")]
mod screen;
#[cfg(feature = "serve")]
mod serving;
mod session;
mod session_name;
mod small_file;
mod terminal;

use args::{Cli, Command, Global};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory, FromArgMatches};
use failure::{Exit, one_line};
use loading::model_args::Typed;
use std::process::ExitCode;
use terminal::Terminal;
use weir_models::DeviceChoice;

/// Runs the command given by the process arguments.
#[must_use]
pub(crate) fn run() -> ExitCode {
    let cli = match parsed_from(std::env::args_os()) {
        Ok(cli) => cli,
        Err(said) => {
            // help and version are data and succeed; a wrong command line is an error
            let code = if said.use_stderr() {
                Exit::NotDone
            } else {
                Exit::Done
            };
            let _ = said.print();
            return code.into();
        }
    };
    start_log(&cli.global);
    let mut terminal = Terminal::new(&cli.global);
    let ended = dispatch(cli, &mut terminal);
    terminal.progress_done();
    ended
        .unwrap_or_else(|error| {
            terminal.fail(&one_line(&error));
            Exit::NotDone
        })
        .into()
}

/// The parsed command line, including which flags were typed.
fn parsed_from<T>(words: impl IntoIterator<Item = T>) -> Result<Cli, clap::Error>
where
    T: Into<std::ffi::OsString> + Clone,
{
    let matches = Cli::command()
        .try_get_matches_from(words)
        .map_err(unless_left_out)?;
    let mut cli = Cli::from_arg_matches(&matches)?;
    cli.global.typed = Typed::of(&matches);
    Ok(cli)
}

/// Commands that other builds have.
const LEFT_OUT: &[&str] = &[
    #[cfg(not(feature = "screen"))]
    "top",
    #[cfg(not(feature = "serve"))]
    "serve",
    #[cfg(not(feature = "serve"))]
    "open",
    #[cfg(not(feature = "serve"))]
    "mcp",
    #[cfg(not(feature = "serve"))]
    "tokens",
];

/// The error, or which build has the command.
fn unless_left_out(error: clap::Error) -> clap::Error {
    match error.get(ContextKind::InvalidSubcommand) {
        Some(ContextValue::String(name)) if LEFT_OUT.contains(&name.as_str()) => Cli::command()
            .error(
                ErrorKind::InvalidSubcommand,
                format!(
                    "this program was built without `weir {name}`; `cargo install --locked --path \
                     engine/app` builds and installs everything"
                ),
            ),
        _ => error,
    }
}

fn dispatch(cli: Cli, terminal: &mut Terminal) -> anyhow::Result<Exit> {
    let global = cli.global;
    if global.device != DeviceChoice::Cpu && cli.command.computes() {
        // a missing device is reported before anything is read or created
        global.device.open()?;
    }
    match cli.command {
        Command::Replay(args) => hearing::replay::run(&args, &global, terminal),
        Command::Listen(args) => hearing::listen::run(&args, &global, terminal),
        Command::Doctor(args) => loading::doctor::run(&args, &global, terminal),
        #[cfg(feature = "screen")]
        Command::Top(args) => screen::top::run(&args, &global, terminal),
        Command::Ask(args) => asking::ask::run(&args, &global, terminal),
        Command::Import(args) => session::import::run(&args, &global, terminal),
        Command::Search(args) => asking::search::run(&args, terminal),
        Command::Chat(args) => asking::chat::run(&args, &global, terminal),
        Command::Completions { shell } => completions(shell, terminal),
        Command::Memory(command) => session::memory::run(command, &global, terminal),
        Command::Beliefs(args) => session::beliefs::run(&args, terminal),
        Command::Profile(args) => session::profile::run(args, &global, terminal),
        Command::Source(command) => session::source::run(command, &global, terminal),
        Command::Speakers(command) => session::speakers::run(command, &global, terminal),
        #[cfg(feature = "serve")]
        Command::Serve(args) => serving::serve::run(&args, &global, terminal),
        #[cfg(feature = "serve")]
        Command::Open(args) => serving::page::run(&args, terminal),
        #[cfg(feature = "serve")]
        Command::Mcp(args) => serving::serve::mcp(&args, &global, terminal),
        #[cfg(feature = "serve")]
        Command::Tokens(command) => serving::tokens::run(command, terminal),
        Command::Models(command) => loading::models::run(command, &global, terminal),
    }
}

fn completions(shell: clap_complete::Shell, terminal: &mut Terminal) -> anyhow::Result<Exit> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "weir", &mut script);
    terminal.data(String::from_utf8_lossy(&script).trim_end())?;
    Ok(Exit::Done)
}

fn start_log(global: &Global) {
    let level = match global.verbose {
        0 => log::LevelFilter::Off,
        1 => log::LevelFilter::Info,
        2 => log::LevelFilter::Debug,
        _ => log::LevelFilter::Trace,
    };
    let whisper = match global.verbose {
        0..=2 => log::LevelFilter::Warn,
        _ => log::LevelFilter::Trace,
    };
    // a logger that is already set is not an error
    let _ = env_logger::Builder::new()
        .filter_level(level)
        // whisper.cpp logs too much while loading
        .filter_module("whisper_rs", level.min(whisper))
        // at trace level it logs the wire data, including keys and tokens
        .filter_module("ureq_proto", level.min(log::LevelFilter::Debug))
        .filter_module("ureq", level.min(log::LevelFilter::Debug))
        // these log whole messages
        .filter_module("tungstenite", level.min(log::LevelFilter::Info))
        .filter_module("tokio_tungstenite", level.min(log::LevelFilter::Info))
        .target(log_target())
        .try_init();
}

/// Where the log goes.
fn log_target() -> env_logger::Target {
    #[cfg(feature = "screen")]
    return env_logger::Target::Pipe(Box::new(screen::log::LogOut));
    #[cfg(not(feature = "screen"))]
    env_logger::Target::Stderr
}
