//! The command line of `weir-bench`.
//!
//! Results go to stdout as JSON Lines, everything else to stderr.

mod asked;
mod checks;
mod features;
mod models;
mod read;
mod run;

use crate::{
    beliefs, convert, diarize, hear, latency, lengths, live, opinions, personal, segment, simulate,
    stages,
};
use anyhow::Result;
use clap::{Parser, Subcommand};

#[derive(Parser)]
#[command(
    version,
    about = "Measures what a memory of dialogue finds, forgets and costs"
)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Latency on bundled data: a table and a picture
    Latency(latency::LatencyArgs),
    /// Convert a corpus to stream files
    Convert(convert::ConvertArgs),
    /// Run every method on every stream with every budget: fidelity, latency and cost
    Run(run::RunArgs),
    /// Let one fixed model answer each question from the contexts of finished runs
    Read(read::ReadArgs),
    /// Ask natural questions and count the right answers
    Natural(asked::NaturalArgs),
    /// Which facts memory marks as changed in short dialogues, and its answers afterwards
    Changes(asked::ChangesArgs),
    /// Whether facts that an answer needs are handed over: by nothing, the last four turns, Weir
    Personal(personal::PersonalArgs),
    /// Verdicts of the checks of answers, against labels by hand, one JSON object per line
    Checks(checks::ChecksArgs),
    /// Polarity of terms and extracted opinions against labels of people, one JSON object per line
    Opinions(opinions::OpinionsArgs),
    /// The experiments of DAM-LLM on beliefs: convergence, growth, changed opinions
    Beliefs(beliefs::BeliefsArgs),
    /// Compare block and scene boundaries with the topics of QMSum's meetings: Pk and WindowDiff
    Segment(segment::SegmentArgs),
    /// Ranker features of answers for training: one JSON object per probe
    Weigh(asked::WeighArgs),
    /// Salience features of statements for training: one JSON object per statement and question
    Features(features::FeaturesArgs),
    /// Cost of each stage of Weir along streams, models included
    Stages(stages::StagesArgs),
    /// Cost of a question and a turn for each method as the stream grows
    Lengths(lengths::LengthsArgs),
    /// A question, a turn, memory and planted facts by turns heard, up to millions, or by budget
    Simulate(simulate::SimulateArgs),
    /// Word errors and time of Weir and of bare whisper.cpp, per clip, one JSON object per line
    HearClips(hear::clips::ClipsArgs),
    /// Word errors of another recogniser on such clips, one JSON object per line
    ScoreClips(hear::scored::ScoreArgs),
    /// How long after a word is spoken it is shown, committed, answerable: recordings at real pace
    Live(live::LiveArgs),
    /// Diarization error rate of RTTM files, per recording and collar, one JSON object per line
    Diarize(diarize::DiarizeArgs),
}

/// Runs the command of the command line.
pub fn main() -> Result<()> {
    match Arguments::parse().command {
        Command::Latency(args) => latency::run(&args),
        Command::Convert(args) => convert::run(&args),
        Command::Run(args) => run::main(&args),
        Command::Read(args) => read::main(&args),
        Command::Natural(args) => asked::natural(&args),
        Command::Changes(args) => asked::changes(&args),
        Command::Personal(args) => personal::run(&args),
        Command::Checks(args) => checks::main(&args),
        Command::Opinions(args) => opinions::run(&args),
        Command::Beliefs(args) => beliefs::main(&args),
        Command::Segment(args) => segment::main(&args),
        Command::Weigh(args) => asked::weigh(&args),
        Command::Features(args) => features::main(&args),
        Command::Stages(args) => stages::main(&args),
        Command::Lengths(args) => lengths::main(&args),
        Command::Simulate(args) => simulate::run(&args),
        Command::HearClips(args) => hear::clips::run(&args),
        Command::ScoreClips(args) => hear::scored::run(&args),
        Command::Live(args) => live::run(&args),
        Command::Diarize(args) => diarize::run(&args),
    }
}
