//! The command line of `weir-bench`.
//!
//! Results go to stdout as JSON Lines, everything else to stderr.

mod asked;
mod calibrate;
mod compare;
mod endpoints;
mod minds;
mod models;
mod read;
mod run;

use crate::encoder::EncoderArgs;
use crate::{
    budgets, convert, corpus, growth, hear, hour, lengths, plant, report, segment, simulate, speak,
    stages,
};
use anyhow::Result;
use clap::{Parser, Subcommand};
use std::path::PathBuf;
use std::sync::Arc;
use weir_models::WordPieceCounter;

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
    /// Makes stream files of a corpus or of captions
    Convert(convert::ConvertArgs),
    /// Makes streams with planted facts and computed answers, in all seven kinds of question
    Plant(plant::PlantArgs),
    /// Speaks a stream of text: the same stream with a recording, its text the reference
    Speak(speak::SpeakArgs),
    /// Recognises a stream of audio: the same stream with the words that were heard
    Hear(hear::HearArgs),
    /// Word errors and time of Weir and of bare whisper.cpp, clip by clip, one JSON object a line
    HearClips(hear::clips::ClipsArgs),
    /// Word errors of what another recogniser heard in such clips, one JSON object a line
    ScoreClips(hear::scored::ScoreArgs),
    /// Words recognised in recordings in which nobody speaks, one JSON object a line
    HeardNoise(hear::NoiseArgs),
    /// Every method on every stream with every budget: fidelity, latency and cost
    Run(run::RunArgs),
    /// One page and one table of what `run` measured
    Report(report::ReportArgs),
    /// Lets one fixed model answer each question from the contexts of finished runs
    Read(read::ReadArgs),
    /// Two methods' answers side by side, judged by a model in six dimensions
    Compare(compare::CompareArgs),
    /// Fits an encoder profile's thresholds to development streams
    Calibrate(calibrate::CalibrateArgs),
    /// What a question and a turn cost each method as the stream grows
    Lengths(lengths::LengthsArgs),
    /// What a full memory costs by its budget: a question, a turn, a copy, an image, what it holds
    Budgets(budgets::BudgetsArgs),
    /// What each stage of Weir costs along streams, models included
    Stages(stages::StagesArgs),
    /// What distillers and answerers with models cost and gain, against those without
    Minds(minds::MindsArgs),
    /// What the ranker of answers looks at, for training it: one JSON object a probe
    Weigh(asked::WeighArgs),
    /// Asks questions as people ask them, and says how many answers are right
    Natural(asked::NaturalArgs),
    /// Which facts memory takes for changed in short talks, and what it answers then
    Changes(asked::ChangesArgs),
    /// Recall, ingest, memory and planted facts at each decade of up to millions of turns
    Simulate(simulate::SimulateArgs),
    /// Ingest and recall times at growing numbers of turns, memory full, one JSON object a line
    Growth {
        /// Turns to reach
        #[arg(long, default_value_t = 100_000)]
        turns: u64,
        /// Tokens the memory may hold
        #[arg(long, default_value_t = 8_192)]
        budget_tokens: usize,
    },
    /// The approximate index against the exact scan, on the simulation's talk with nothing
    /// forgotten
    Index(simulate::index::IndexArgs),
    /// Where blocks and scenes change against the topics of QMSum's meetings: Pk and WindowDiff
    Segment(SegmentArgs),
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

#[derive(clap::Args)]
pub(crate) struct SegmentArgs {
    /// Folder of QMSum's meetings
    meetings: PathBuf,
    /// So many meetings, evenly spread over the folder; all without it
    #[arg(long)]
    limit: Option<usize>,
    /// Thresholds of joining a scene to measure; each encodes every statement
    #[arg(long, value_delimiter = ',')]
    scene_cosines: Vec<f32>,
    #[command(flatten)]
    encoder: EncoderArgs,
}

/// Runs what the command line asks for.
///
/// # Errors
/// What stopped it, in words for the user.
pub fn main() -> Result<()> {
    match Arguments::parse().command {
        Command::Growth {
            turns,
            budget_tokens,
        } => growth::run(turns, budget_tokens),
        Command::Run(args) => run::main(&args),
        Command::Read(args) => read::main(&args),
        Command::Calibrate(args) => calibrate::main(&args),
        Command::Segment(args) => segment(args),
        Command::Simulate(args) => simulate::run(&args),
        Command::Lengths(args) => match (&args.redraw, &args.plot) {
            (Some(rows), Some(plot)) => lengths::redraw(rows, plot),
            _ if args.child => lengths::run_child(&args),
            _ => lengths::run(&args),
        },
        Command::Budgets(args) => match args.child {
            true => budgets::run_child(&args),
            false => budgets::run(&args),
        },
        Command::Stages(args) => stages::main(&args),
        Command::Minds(args) => minds::main(&args),
        Command::Weigh(args) => asked::weigh(&args),
        Command::Natural(args) => asked::natural(&args),
        Command::Changes(args) => asked::changes(&args),
        Command::Index(args) => simulate::index::run(&args),
        Command::Convert(args) => convert::run(&args),
        Command::Speak(args) => speak::run(&args),
        Command::Hear(args) => hear::run(&args),
        Command::HearClips(args) => hear::clips::run(&args),
        Command::ScoreClips(args) => hear::scored::run(&args),
        Command::HeardNoise(args) => hear::noise(&args),
        Command::Plant(args) => plant::run(&args),
        Command::Compare(args) => compare::main(&args),
        Command::Report(args) => report::run(&args),
        Command::Hour {
            inputs,
            minutes,
            out,
        } => hour::run(&inputs, minutes, &out),
    }
}

fn segment(args: SegmentArgs) -> Result<()> {
    let meetings = corpus::qmsum::read(&args.meetings, args.limit)?;
    let plan = segment::Plan {
        encoder: args.encoder.open()?,
        counter: Arc::new(WordPieceCounter::shared()),
        scene_cosines: args.scene_cosines,
    };
    segment::run(&plan, &meetings)
}
