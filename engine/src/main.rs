//! The binary `weir`: parses the command line, runs it, ends with the exit status of the contract.
//!
//! Everything it does is in `weir_engine::cli`; nothing here knows what a session is.

use std::process::ExitCode;

fn main() -> ExitCode {
    weir_engine::cli::run()
}
