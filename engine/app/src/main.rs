//! The program `weir`: parses the command line, runs it, exits with the documented status.

#![forbid(unsafe_code)]

mod cli;

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::run()
}
