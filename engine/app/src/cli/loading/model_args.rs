//! Flags that select the models for distilling and answering, and which of them were typed.

use crate::cli::session::size_args::context_tokens;
use clap::parser::ValueSource;
use clap::{ArgMatches, Args, ValueEnum};
use std::path::PathBuf;
use std::time::Duration;
use weir_core::limits;
use weir_engine::pipeline::AskSettings;
use weir_loading::Selection;

/// How blocks of talk are distilled to memories.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum DistillerArg {
    /// Statements verbatim; no model
    Extractive,
    /// A summariser writes event and scene, as in ProStream
    Neural,
    /// An instruction model: the endpoint if given without --generator, else the local one
    Llm,
}

/// How answers are made from memories.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum AnswerArg {
    /// Quotes of the best statements; no model
    Quote,
    /// A local generator; every sentence is checked
    Local,
    /// A server with the OpenAI API; every sentence is checked
    Endpoint,
}

/// How claims of answers are checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum CheckArg {
    /// By words; no model
    Lexical,
    /// By a model of natural-language inference, see --check-model
    Nli,
    /// By an instruction model: the endpoint if given without --generator, else the local one
    Llm,
}

/// Who reads opinions and facts about speakers from statements.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ObserverArg {
    /// The built-in language model
    BuiltIn,
    /// An instruction model beside it, the one that `--distiller llm` takes; what was not said
    /// is refused
    Llm,
}

/// Distiller flags.
#[derive(Debug, Clone, Args)]
pub(crate) struct DistilArgs {
    /// How blocks of talk are distilled
    #[arg(long, value_enum, default_value_t = DistillerArg::Extractive, value_name = "NAME")]
    pub(crate) distiller: DistillerArg,
    /// Summariser of `--distiller neural`: a T5 [a folder]
    #[arg(long, value_name = "NAME|DIR", default_value = Selection::SUMMARISER)]
    pub(crate) summariser: String,
    /// How opinions and facts about speakers are read from statements
    #[arg(long, value_enum, default_value_t = ObserverArg::BuiltIn, value_name = "NAME")]
    pub(crate) observer: ObserverArg,
    /// Time limit of a model for one block, and for each statement of `--observer llm`; after it
    /// the block is kept verbatim
    #[arg(long, value_name = "MS", default_value_t = 60_000,
          value_parser = clap::value_parser!(u64).range(100..=3_600_000))]
    pub(crate) distil_ms: u64,
}

/// Answer flags.
#[derive(Debug, Clone, Args)]
pub(crate) struct AnswerArgs {
    /// How answers are made from memories
    #[arg(long, value_enum, default_value_t = AnswerArg::Quote, value_name = "NAME")]
    pub(crate) answer: AnswerArg,
    /// Time limit of a model for one answer, after which quotes replace it; also of a reranker for
    /// one question, after which the order found is kept
    #[arg(long, value_name = "MS", default_value_t = limits::ANSWER_MS_DEFAULT,
          value_parser = clap::value_parser!(u64).range(10..=3_600_000))]
    pub(crate) answer_ms: u64,
    /// Time limit of a search of the transcript, newest first, where memory has no answer; 0: none
    #[arg(long, value_name = "MS", default_value_t = limits::TRANSCRIPT_SEARCH_MS_DEFAULT,
          value_parser = clap::value_parser!(u64).range(0..=3_600_000))]
    pub(crate) transcript_ms: u64,
    /// Tokens of the asker's profile that every question gets; 0: only questions that concern the
    /// asker
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) profile_tokens: usize,
    /// Check each claim of an answer against the statements found, those cited and the asker's
    /// profile, and print the shares that are supported; `--check` is `--check=lexical`
    #[arg(long, value_enum, value_name = "NAME", num_args = 0..=1, require_equals = true,
          default_missing_value = "lexical")]
    pub(crate) check: Option<CheckArg>,
    /// Model of `--check=nli`: a DeBERTa for natural-language inference [a folder]
    #[arg(long, value_name = "NAME|DIR")]
    pub(crate) check_model: Option<String>,
    /// Cross-encoder that reranks the best statements found [a folder]; slower, off by default
    #[arg(long, value_name = "NAME|DIR")]
    pub(crate) reranker: Option<String>,
    /// Tokens of memory given to the answerer
    #[arg(long, value_name = "N", value_parser = context_tokens,
          default_value_t = limits::CONTEXT_TOKENS_DEFAULT)]
    pub(crate) context_tokens: usize,
    #[command(flatten)]
    pub(crate) writer: WriterArgs,
}

impl AnswerArgs {
    /// Settings for answering questions.
    pub(crate) fn settings(&self) -> AskSettings {
        AskSettings {
            context_tokens: self.context_tokens,
            profile_tokens: self.profile_tokens,
            rerank_limit: Duration::from_millis(self.answer_ms),
            transcript_limit: Duration::from_millis(self.transcript_ms),
            ..AskSettings::default()
        }
    }
}

/// Who answers.
#[derive(Debug, Clone, Args)]
pub(crate) struct CharacterArgs {
    /// File of the character who answers: it forgets what was heard, and knows only its sources
    #[arg(long = "as", value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
}

/// Flags of models that write, local or on a server.
#[derive(Debug, Clone, Args)]
pub(crate) struct WriterArgs {
    /// Local generator: a name from `weir models list`, a .gguf file or a folder
    #[arg(
        long,
        value_name = "NAME|PATH",
        default_value = Selection::GENERATOR
    )]
    pub(crate) generator: String,
    /// Server with the OpenAI API, e.g. http://localhost:11434/v1; with `--distiller llm` talk is
    /// sent to it, unless --generator or `--answer local` selects the local model
    #[arg(long, value_name = "URL", env = "WEIR_ENDPOINT")]
    pub(crate) endpoint: Option<String>,
    /// Model name on the endpoint's server
    #[arg(long, value_name = "NAME", env = "WEIR_ENDPOINT_MODEL")]
    pub(crate) endpoint_model: Option<String>,
    /// Environment variable with the endpoint's key. Without this flag, the key is sent only to
    /// https addresses, this machine and its own network
    #[arg(long, value_name = "VARIABLE", default_value = "OPENAI_API_KEY")]
    pub(crate) endpoint_key: String,
}

/// Which flags were typed, as opposed to set by the environment or by default.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Typed {
    pub(crate) endpoint: bool,
    pub(crate) endpoint_key: bool,
    pub(crate) generator: bool,
}

impl Typed {
    /// Which flags of the parsed command were typed.
    pub(crate) fn of(matches: &ArgMatches) -> Self {
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
