//! Flags that choose the models which distil and answer, and which of them were typed.

use clap::parser::ValueSource;
use clap::{ArgMatches, Args, ValueEnum};
use weir_core::limits;

/// The models that flags name by themselves, and the reranker that is spoken of first.
pub(super) const GENERATOR: &str = "SmolLM2-135M-Instruct";
pub(super) const SUMMARISER: &str = "LaMini-T5-738M";
pub(super) const EXTRACTOR: &str = "gliner_medium-v2.1";
pub(super) const RERANKER: &str = "ms-marco-MiniLM-L6-v2";

/// What makes memories of blocks of talk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum DistillerArg {
    /// Statements taken word for word; no model
    Extractive,
    /// A summariser and an extractor, as ProStream has them
    Neural,
    /// An instruction model: the endpoint where one is given and no --generator, else the local one
    Llm,
}

/// What makes answers of memories.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum AnswerArg {
    /// The best statements, quoted; no model
    Quote,
    /// A local generator writes, every sentence is checked
    Local,
    /// A server that speaks OpenAI's protocol writes, every sentence is checked
    Endpoint,
}

/// How talk is distilled.
#[derive(Debug, Clone, Args)]
pub(crate) struct DistilArgs {
    /// What makes memories of talk
    #[arg(long, value_enum, default_value_t = DistillerArg::Extractive, value_name = "NAME")]
    pub(crate) distiller: DistillerArg,
    /// Summariser of `--distiller neural`: a T5 [a folder, or a .gguf beside its config.json]
    #[arg(long, value_name = "NAME|PATH", default_value = SUMMARISER)]
    pub(crate) summariser: String,
    /// Extractor of `--distiller neural`: a GLiNER [a folder]
    #[arg(long, value_name = "NAME|DIR", default_value = EXTRACTOR)]
    pub(crate) extractor: String,
    /// Time a model has for one block; the block is then kept in its own words
    #[arg(long, value_name = "MS", default_value_t = 60_000,
          value_parser = clap::value_parser!(u64).range(100..=3_600_000))]
    pub(crate) distil_ms: u64,
}

/// How questions are answered.
#[derive(Debug, Clone, Args)]
pub(crate) struct AnswerArgs {
    /// What makes answers of memories
    #[arg(long, value_enum, default_value_t = AnswerArg::Quote, value_name = "NAME")]
    pub(crate) answer: AnswerArg,
    /// Time a model has for one answer, quotes then stand in its place; and a reranker for one
    /// question, what was found then keeps its order
    #[arg(long, value_name = "MS", default_value_t = limits::ANSWER_MS_DEFAULT,
          value_parser = clap::value_parser!(u64).range(10..=3_600_000))]
    pub(crate) answer_ms: u64,
    /// Reads the best of what was found again with the question: a cross-encoder [a folder];
    /// slower, off by default
    #[arg(long, value_name = "NAME|DIR")]
    pub(crate) reranker: Option<String>,
}

/// Models that write, wherever they run.
#[derive(Debug, Clone, Args)]
pub(crate) struct WriterArgs {
    /// Local generator: a name of `weir models list`, a .gguf file or a folder
    #[arg(
        long,
        value_name = "NAME|PATH",
        default_value = GENERATOR
    )]
    pub(crate) generator: String,
    /// Threads of the local generator [default: one a core, at most 8]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=64))]
    pub(crate) generator_threads: Option<u16>,
    /// Server that speaks OpenAI's protocol, e.g. http://localhost:11434/v1; with `--distiller llm`
    /// talk goes there, unless --generator or `--answer local` says who writes
    #[arg(long, value_name = "URL", env = "WEIR_ENDPOINT")]
    pub(crate) endpoint: Option<String>,
    /// Model of the endpoint, as the server names it
    #[arg(long, value_name = "NAME", env = "WEIR_ENDPOINT_MODEL")]
    pub(crate) endpoint_model: Option<String>,
    /// Environment variable that holds the endpoint's key. Unless this is given, the key goes only
    /// to https addresses, this machine and its own network
    #[arg(long, value_name = "VARIABLE", default_value = "OPENAI_API_KEY")]
    pub(crate) endpoint_key: String,
}

/// Which of the flags were typed, not taken from the environment or by default.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Typed {
    pub(super) endpoint: bool,
    pub(super) endpoint_key: bool,
    pub(super) generator: bool,
}

impl Typed {
    /// What was typed for the command that was parsed.
    pub(super) fn of(matches: &ArgMatches) -> Self {
        let typed = |flag: &str| {
            matches.subcommand().is_some_and(|(_, of_command)| {
                of_command.try_contains_id(flag).unwrap_or_default()
                    && of_command.value_source(flag) == Some(ValueSource::CommandLine)
            })
        };
        Self {
            endpoint: typed("endpoint"),
            endpoint_key: typed("endpoint_key"),
            generator: typed("generator"),
        }
    }
}
