//! `weir-bench`: measurements that anyone can run again.
//!
//! Results go to stdout as JSON Lines, everything else to stderr. Timings are medians and tails of
//! many calls; a ratio is always taken within one run.

mod growth;
mod hour;

use anyhow::Result;
use clap::{Parser, Subcommand};
use std::path::PathBuf;

#[derive(Parser)]
#[command(version, about = "Measures what grows with a stream and what does not")]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Ingest and recall times at growing numbers of turns, memory full, one JSON object a line
    Growth {
        /// Turns to reach
        #[arg(long, default_value_t = 100_000)]
        turns: u64,
        /// Tokens the memory may hold
        #[arg(long, default_value_t = 8_192)]
        budget_tokens: usize,
    },
    /// Joins recordings into one long WAV, repeated with pauses, for replaying hours of speech
    Hour {
        /// Recordings, any format weir reads
        #[arg(required = true)]
        inputs: Vec<PathBuf>,
        /// Length of the result in minutes
        #[arg(long, default_value_t = 60)]
        minutes: u64,
        /// Where to write it: 16 kHz, mono, 16-bit
        #[arg(long)]
        out: PathBuf,
    },
}

fn main() -> Result<()> {
    match Arguments::parse().command {
        Command::Growth {
            turns,
            budget_tokens,
        } => growth::run(turns, budget_tokens),
        Command::Hour {
            inputs,
            minutes,
            out,
        } => hour::run(&inputs, minutes, &out),
    }
}
