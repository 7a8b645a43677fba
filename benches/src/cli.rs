//! The command line of `weir-bench`.
//!
//! Results go to stdout as JSON Lines, everything else to stderr.

use crate::{ablate, corpus, fidelity, growth, hour, report, segment, simulate, vectors};
use anyhow::{Context, Result, bail};
use clap::{Parser, Subcommand};
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;
use weir_engine::config::{
    BoundaryPolicy, EncoderProfile, RecallPolicy, SessionConfig, UtilityPolicy,
};
use weir_models::{Encode, SentenceEncoder, WordHashEncoder, WordPieceCounter};

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
    /// Evidence recall, answer containment and regret on LoCoMo dialogues fed as text
    Fidelity(FidelityArgs),
    /// Evidence recall with one policy exchanged or one factor of salience left out at a time
    Ablate(AblateArgs),
    /// Where blocks and scenes change against the topics of QMSum's meetings: Pk and WindowDiff
    Segment(SegmentArgs),
    /// Recall, ingest, memory and planted facts at each decade of up to millions of turns
    Simulate(SimulateArgs),
    /// The approximate index against the exact scan, on the simulation's talk with nothing
    /// forgotten
    Index(IndexArgs),
    /// One page and one table of what `run` measured
    Report(report::ReportArgs),
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
pub(crate) struct SimulateArgs {
    /// LoCoMo's JSON, whose turns the talk is made of; made-up talk without it
    #[arg(long)]
    corpus: Option<PathBuf>,
    /// Turns to hear
    #[arg(long, default_value_t = 1_000_000)]
    turns: u64,
    /// Tokens the memory may hold
    #[arg(long, default_value_t = 8_192)]
    budget_tokens: usize,
    /// Tokens of a context
    #[arg(long, default_value_t = 1_300)]
    context_tokens: usize,
    #[command(flatten)]
    encoder: EncoderArgs,
    /// Where to draw the results: an SVG file
    #[arg(long)]
    plot: Option<PathBuf>,
}

#[derive(clap::Args)]
pub(crate) struct IndexArgs {
    /// LoCoMo's JSON, whose turns the talk is made of; made-up talk without it
    #[arg(long)]
    corpus: Option<PathBuf>,
    /// Units to reach
    #[arg(long, default_value_t = 32_000)]
    units: usize,
    /// Tokens of a context
    #[arg(long, default_value_t = 1_300)]
    context_tokens: usize,
    #[command(flatten)]
    encoder: EncoderArgs,
}

#[derive(clap::Args)]
pub(crate) struct EncoderArgs {
    /// Folder of a sentence encoder, or `words`
    #[arg(long, default_value = "words")]
    encoder: PathBuf,
    /// Folder where vectors are kept from run to run
    #[arg(long)]
    vectors: Option<PathBuf>,
}

#[derive(clap::Args)]
pub(crate) struct FidelityArgs {
    /// LoCoMo's JSON
    corpus: PathBuf,
    /// Tokens the memory may hold; several are measured one after the other
    #[arg(long, value_delimiter = ',', default_value = "8192,4096,4194304")]
    budgets: Vec<usize>,
    /// Tokens of the context
    #[arg(long, default_value_t = 1_300)]
    context_tokens: usize,
    #[command(flatten)]
    encoder: EncoderArgs,
    /// `salience` or `paper`
    #[arg(long, default_value = "salience")]
    utility: String,
    /// `hybrid` or `top-down`
    #[arg(long, default_value = "hybrid")]
    recall: String,
    /// `adaptive` or `paper`
    #[arg(long, default_value = "adaptive")]
    boundary: String,
    /// Tells each piece of evidence that was missed, and why
    #[arg(long)]
    misses: bool,
}

#[derive(clap::Args)]
pub(crate) struct AblateArgs {
    /// Tries other strengths of the factors instead, and judges each choice on the dialogue that
    /// it was not made on
    #[arg(long)]
    fit: bool,
    /// LoCoMo's JSON
    corpus: PathBuf,
    /// Tokens the memory may hold
    #[arg(long, value_delimiter = ',', default_value = "4096,8192")]
    pub(crate) budgets: Vec<usize>,
    /// Tokens of the context
    #[arg(long, default_value_t = 1_300)]
    pub(crate) context_tokens: usize,
    #[command(flatten)]
    encoder: EncoderArgs,
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
        Command::Fidelity(args) => fidelity(&args),
        Command::Ablate(args) => {
            let (dialogues, _) = corpus::locomo::read(&args.corpus)?;
            let run = if args.fit { ablate::fit } else { ablate::run };
            run(&args, &dialogues, &encoder(&args.encoder)?)
        }
        Command::Segment(args) => segment(args),
        Command::Simulate(args) => {
            let plan = simulation(&args)?;
            simulate::run(&plan)
        }
        Command::Index(args) => {
            let units = args.units;
            let plan = simulation(&SimulateArgs {
                corpus: args.corpus,
                turns: 0,
                budget_tokens: 0,
                context_tokens: args.context_tokens,
                encoder: args.encoder,
                plot: None,
            })?;
            simulate::index::run(&plan, units)
        }
        Command::Report(args) => report::run(&args),
        Command::Hour {
            inputs,
            minutes,
            out,
        } => hour::run(&inputs, minutes, &out),
    }
}

fn simulation(args: &SimulateArgs) -> Result<simulate::Plan> {
    let dialogues = match &args.corpus {
        Some(path) => corpus::locomo::read(path)?.0,
        None => vec![simulate::made_dialogue()],
    };
    Ok(simulate::Plan {
        turns: args.turns,
        budget_tokens: args.budget_tokens,
        context_tokens: args.context_tokens,
        dialogues,
        encoder: encoder(&args.encoder)?,
        plot: args.plot.clone(),
    })
}

fn segment(args: SegmentArgs) -> Result<()> {
    let meetings = corpus::qmsum::read(&args.meetings, args.limit)?;
    let plan = segment::Plan {
        encoder: encoder(&args.encoder)?,
        counter: Arc::new(WordPieceCounter::shared()),
        scene_cosines: args.scene_cosines,
    };
    segment::run(&plan, &meetings)
}

fn encoder(args: &EncoderArgs) -> Result<Arc<dyn Encode>> {
    if args.encoder.as_os_str() == "words" {
        return Ok(Arc::new(WordHashEncoder::new()));
    }
    let encoder = SentenceEncoder::load(&args.encoder)?;
    Ok(match &args.vectors {
        Some(folder) => Arc::new(vectors::Remembering::new(encoder, folder)?),
        None => Arc::new(encoder),
    })
}

fn fidelity(args: &FidelityArgs) -> Result<()> {
    let (dialogues, strays) = corpus::locomo::read(&args.corpus)?;
    if strays > 0 {
        writeln!(
            std::io::stderr(),
            "{strays} evidence labels name no turn and are left out"
        )?;
    }
    let encoder = encoder(&args.encoder)?;
    let stem = args.corpus.file_stem().context("the corpus is a file")?;
    for &budget_tokens in &args.budgets {
        let plan = fidelity::Plan {
            corpus: &stem.to_string_lossy(),
            config: SessionConfig {
                budget_tokens,
                profile: EncoderProfile::for_encoder(&encoder.identity().name),
                utility: match args.utility.as_str() {
                    "salience" => UtilityPolicy::Salience,
                    "paper" => UtilityPolicy::Paper,
                    other => bail!("--utility {other}: salience and paper are known"),
                },
                recall: match args.recall.as_str() {
                    "hybrid" => RecallPolicy::Hybrid,
                    "top-down" => RecallPolicy::TopDown,
                    other => bail!("--recall {other}: hybrid and top-down are known"),
                },
                boundary: match args.boundary.as_str() {
                    "adaptive" => BoundaryPolicy::Adaptive,
                    "paper" => BoundaryPolicy::Paper,
                    other => bail!("--boundary {other}: adaptive and paper are known"),
                },
                ..SessionConfig::default()
            },
            encoder: Arc::clone(&encoder),
            counter: Arc::new(WordPieceCounter::shared()),
            context_tokens: args.context_tokens,
            misses: args.misses,
            prior: fidelity::Prior::whole(),
        };
        fidelity::run(&plan, &dialogues)?;
    }
    Ok(())
}
