//! The command line of `weir-bench`.
//!
//! Results go to stdout as JSON Lines, everything else to stderr.

mod asked;
mod calibrate;
mod checks;
mod compare;
mod endpoints;
mod features;
mod minds;
mod models;
mod observer;
mod personal;
mod read;
mod run;

use crate::encoder::EncoderArgs;
use crate::{
    affect, beliefs, budgets, convert, corpus, diarize, fact_index, facts, followups, growth, hear,
    hour, lengths, live, opinions, plant, report, route, segment, simulate, speak, stages,
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
    /// Convert a corpus or captions to stream files
    Convert(convert::ConvertArgs),
    /// Make streams with planted facts and computed answers, in all seven kinds of question
    Plant(plant::PlantArgs),
    /// Speak a stream of text: the same stream with a recording, its text is the reference
    Speak(speak::SpeakArgs),
    /// Recognise a stream of audio: the same stream with the recognised words
    Hear(hear::HearArgs),
    /// Word errors and time of Weir and of bare whisper.cpp, per clip, one JSON object per line
    HearClips(hear::clips::ClipsArgs),
    /// Word errors of another recogniser on such clips, one JSON object per line
    ScoreClips(hear::scored::ScoreArgs),
    /// How long after a word is spoken it is shown, committed, answerable: recordings at real pace
    Live(live::LiveArgs),
    /// Diarization error rate of RTTM files, per recording and collar, one JSON object per line
    Diarize(diarize::DiarizeArgs),
    /// Words recognised in recordings without speech, one JSON object per line
    HeardNoise(hear::NoiseArgs),
    /// Run every method on every stream with every budget: fidelity, latency and cost
    Run(run::RunArgs),
    /// A page and a table of the results of `run`
    Report(report::ReportArgs),
    /// Let one fixed model answer each question from the contexts of finished runs
    Read(read::ReadArgs),
    /// Compare two methods' answers with a model as judge, in six dimensions
    Compare(compare::CompareArgs),
    /// Fit an encoder profile's thresholds to development streams
    Calibrate(calibrate::CalibrateArgs),
    /// Cost of a question and a turn for each method as the stream grows
    Lengths(lengths::LengthsArgs),
    /// Cost of a full memory by budget: a question, a turn, a copy, an image, memory
    Budgets(budgets::BudgetsArgs),
    /// Cost of each stage of Weir along streams, models included
    Stages(stages::StagesArgs),
    /// Cost and benefit of distillers and answerers with models, against those without
    Minds(minds::MindsArgs),
    /// Ranker features of answers for training: one JSON object per probe
    Weigh(asked::WeighArgs),
    /// Salience features of statements for training: one JSON object per statement and question
    Features(features::FeaturesArgs),
    /// Ask natural questions and count the right answers
    Natural(asked::NaturalArgs),
    /// Which facts memory marks as changed in short dialogues, and its answers afterwards
    Changes(asked::ChangesArgs),
    /// First-person facts that rules make of public talk, one JSON object per line
    Facts(facts::FactsArgs),
    /// Answers that need what a user told: nothing, the last four turns, and Weir, by facts handed
    /// over and by the User memory paper's judge
    Personal(personal::PersonalArgs),
    /// Polarity of terms and extracted opinions against labels of people, one JSON object per line
    Opinions(opinions::OpinionsArgs),
    /// Recall, ingest, memory and planted facts at each decade of up to millions of turns
    Simulate(simulate::SimulateArgs),
    /// Ingest and recall times at growing numbers of turns, memory full, one JSON object per line
    Growth {
        /// Turns to reach
        #[arg(long, default_value_t = 100_000)]
        turns: u64,
        /// Tokens the memory may hold
        #[arg(long, default_value_t = 8_192)]
        budget_tokens: usize,
    },
    /// The experiments of DAM-LLM on beliefs: convergence, growth, changed opinions
    Beliefs(beliefs::BeliefsArgs),
    /// Where turns of a user go (memory, a search, both, neither), against labels by hand
    Route(route::RouteArgs),
    /// Verdicts of the checks of answers, against labels by hand, one JSON object per line
    Checks(checks::ChecksArgs),
    /// Opinions and facts by the rules, and with a generator beside them, one JSON object per line
    Observer(observer::ObserverArgs),
    /// Recall of follow-up questions as they stand and completed from the turns before them
    Followups(followups::FollowupsArgs),
    /// Compare the approximate index with the exact scan, on the simulation's dialogue without
    /// forgetting
    Index(simulate::index::IndexArgs),
    /// Compare the index of large profiles with the exact scan, also while it is built
    FactIndex(fact_index::FactIndexArgs),
    /// Compare block and scene boundaries with the topics of QMSum's meetings: Pk and WindowDiff
    Segment(SegmentArgs),
    /// Polarity and strength of labelled texts: by words, with sentence vectors, by VADER
    Affect(affect::AffectArgs),
    /// Join recordings into one long WAV, repeated with pauses, for replaying hours of speech
    Hour {
        /// Recordings in any format that weir reads
        #[arg(required = true)]
        inputs: Vec<PathBuf>,
        /// Length of the result in minutes
        #[arg(long, default_value_t = 60)]
        minutes: u64,
        /// Output file: 16 kHz, mono, 16-bit
        #[arg(long)]
        out: PathBuf,
    },
}

#[derive(clap::Args)]
pub(crate) struct SegmentArgs {
    /// Folder of QMSum's meetings
    meetings: PathBuf,
    /// Number of meetings, evenly spread over the folder [default: all]
    #[arg(long)]
    limit: Option<usize>,
    /// Scene thresholds to measure; each one encodes every statement
    #[arg(long, value_delimiter = ',')]
    scene_cosines: Vec<f32>,
    #[command(flatten)]
    encoder: EncoderArgs,
}

/// Runs the command of the command line.
///
/// # Errors
/// The reason of a failure, as a message for the user.
pub fn main() -> Result<()> {
    match Arguments::parse().command {
        Command::Growth {
            turns,
            budget_tokens,
        } => growth::run(turns, budget_tokens),
        Command::Beliefs(args) => beliefs::main(&args),
        Command::Route(args) => route::main(&args),
        Command::Checks(args) => checks::main(&args),
        Command::Observer(args) => observer::main(&args),
        Command::Followups(args) => followups::main(&args),
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
        Command::Features(args) => features::main(&args),
        Command::Natural(args) => asked::natural(&args),
        Command::Changes(args) => asked::changes(&args),
        Command::Affect(args) => affect::run(&args),
        Command::Facts(args) => facts::run(&args),
        Command::Personal(args) => personal::main(&args),
        Command::Opinions(args) => opinions::run(&args),
        Command::Index(args) => simulate::index::run(&args),
        Command::FactIndex(args) => fact_index::run(&args),
        Command::Convert(args) => convert::run(&args),
        Command::Speak(args) => speak::run(&args),
        Command::Hear(args) => hear::run(&args),
        Command::HearClips(args) => hear::clips::run(&args),
        Command::ScoreClips(args) => hear::scored::run(&args),
        Command::Live(args) => live::run(&args),
        Command::Diarize(args) => diarize::run(&args),
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
