//! The command line of `weir-bench`.
//!
//! Results go to stdout as JSON Lines, everything else to stderr.

use crate::{
    beliefs, checks, convert, device, diarize, hear, latency, live, natural, opinions, paper,
    reader, run, segment, service, simulate, stages, titles, training,
};
use anyhow::Result;
use clap::{Parser, Subcommand};
use std::io::Write;

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
    Read(reader::ReadArgs),
    /// The papers' tables on today's engine, in one document
    Paper(paper::PaperArgs),
    /// Ask natural questions and count the right answers
    Natural(natural::NaturalArgs),
    /// Verdicts of the checks of answers, against labels by hand, one JSON object per line
    Checks(checks::ChecksArgs),
    /// Opinions and lasting facts that are found, against labels of people: a JSON object per line
    Opinions(opinions::OpinionsArgs),
    /// Beliefs of random remarks and of thirty on coffee, as DAM-LLM measures them, as JSON Lines
    Beliefs(beliefs::BeliefsArgs),
    /// Block and scene boundaries in QMSum's meetings beside their topics', as JSON Lines
    Segment(segment::SegmentArgs),
    /// What a generator writes of blocks of talk, and what of it is shown, as JSON Lines
    Titles(titles::TitlesArgs),
    /// Ranker features of answers for training: one JSON object per probe
    Weigh(training::WeighArgs),
    /// Salience features of statements for training: one JSON object per statement and question
    Features(training::FeaturesArgs),
    /// Cost of each stage of Weir along streams, models included
    Stages(stages::StagesArgs),
    /// Models on the processor and on another device: time, and how far they differ
    Device(device::DeviceArgs),
    /// How long a client waits for `hear` and `ask` of a full session on disk
    Service(service::ServiceArgs),
    /// A question, a turn, memory and planted facts by turns heard, up to millions, or by budget
    Simulate(simulate::SimulateArgs),
    /// Text and time of Weir and of bare whisper.cpp, per clip, one JSON object per line
    HearClips(hear::clips::ClipsArgs),
    /// How long after a word is spoken it is shown, committed, answerable: recordings at real pace
    Live(live::LiveArgs),
    /// Who speaks when in recordings: turns in RTTM, and a JSON object with times per recording
    Diarize(diarize::DiarizeArgs),
}

/// Runs the command of the command line.
pub fn main() -> Result<()> {
    if cfg!(debug_assertions) {
        let how = "cargo build --release -p weir-benches";
        writeln!(
            std::io::stderr(),
            "a build for tests: its times say nothing; {how} makes one that measures"
        )?;
    }
    match Arguments::parse().command {
        Command::Latency(args) => latency::run(&args),
        Command::Convert(args) => convert::run(&args),
        Command::Run(args) => run::main(&args),
        Command::Read(args) => reader::main(&args),
        Command::Paper(args) => paper::run(&args),
        Command::Natural(args) => natural::run(&args),
        Command::Checks(args) => checks::run(&args),
        Command::Opinions(args) => opinions::run(&args),
        Command::Beliefs(args) => beliefs::run(&args),
        Command::Segment(args) => segment::main(&args),
        Command::Titles(args) => titles::run(&args),
        Command::Weigh(args) => training::weigh(&args),
        Command::Features(args) => training::features(&args),
        Command::Stages(args) => stages::main(&args),
        Command::Device(args) => device::run(&args),
        Command::Service(args) => service::run(&args),
        Command::Simulate(args) => simulate::run(&args),
        Command::HearClips(args) => hear::clips::run(&args),
        Command::Live(args) => live::run(&args),
        Command::Diarize(args) => diarize::run(&args),
    }
}
