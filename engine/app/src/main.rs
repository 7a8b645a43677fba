//! The program `weir`: parses the command line, runs it, ends with the exit status of the contract.

#![forbid(unsafe_code)]

mod cli;

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::run()
}
