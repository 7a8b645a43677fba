//! The command line of `weir`: parses, runs one command, says how it ended.
//!
//! The only part of the project that prints, and the only one where errors lose their type. Every
//! command is a module of its own; none knows another.

mod args;
mod ask;
mod change;
mod clip;
mod doctor;
mod endpoints;
mod failure;
mod hearing_args;
mod inputs;
mod listen;
mod memory;
mod memory_args;
mod minutes;
mod model_args;
mod model_selection;
mod models;
mod node_words;
mod output;
mod places;
mod replay;
mod settings;
mod shared;
mod sources;
mod speech;
mod stdin;
mod summary;
mod terminal;
mod transcript_args;
mod transfer;
mod typing;
mod unheard;
mod view;
mod wiring;

use args::{Cli, Command, Global};
use clap::{CommandFactory, FromArgMatches};
use failure::{Exit, one_line};
use model_args::Typed;
use std::process::ExitCode;
use terminal::Terminal;
use weir_models::DeviceChoice;

/// Runs the command that the process was started with.
#[must_use]
pub(crate) fn run() -> ExitCode {
    let cli = match parsed_from(std::env::args_os()) {
        Ok(cli) => cli,
        Err(said) => {
            // help and version are data and success, a wrong command line is neither
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

/// The command line, with what of it was typed.
fn parsed_from<T>(words: impl IntoIterator<Item = T>) -> Result<Cli, clap::Error>
where
    T: Into<std::ffi::OsString> + Clone,
{
    let matches = Cli::command().try_get_matches_from(words)?;
    let mut cli = Cli::from_arg_matches(&matches)?;
    cli.global.typed = Typed::of(&matches);
    Ok(cli)
}

fn dispatch(cli: Cli, terminal: &mut Terminal) -> anyhow::Result<Exit> {
    let global = cli.global;
    if global.device != DeviceChoice::Cpu && cli.command.computes() {
        // a device that is not there is told before anything is read or made
        global.device.open()?;
    }
    match cli.command {
        Command::Replay(args) => replay::run(&args, &global, terminal),
        Command::Listen(args) => listen::run(&args, &global, terminal),
        Command::Doctor(args) => doctor::run(&args, &global, terminal),
        Command::Ask(args) => ask::run(&args, &global, terminal),
        Command::Completions { shell } => completions(shell, terminal),
        Command::Memory(command) => memory::run(command, &global, terminal),
        Command::Models(command) => models::run(command, &global, terminal),
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
    // a second logger is no reason to fail
    let _ = env_logger::Builder::new()
        .filter_level(level)
        // what whisper.cpp says while loading drowns everything else
        .filter_module("whisper_rs", level.min(whisper))
        // at trace it writes out what goes over the wire, keys and tokens included
        .filter_module("ureq_proto", level.min(log::LevelFilter::Debug))
        .filter_module("ureq", level.min(log::LevelFilter::Debug))
        .target(env_logger::Target::Stderr)
        .try_init();
}
