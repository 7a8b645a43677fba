//! The command line as the user types it: every flag, its range, its help.
//!
//! Nothing here opens a file or decides anything; ranges are refused while parsing, so that a wrong
//! number costs no work. Defaults come from [`weir_core::limits`] and are never repeated.

use super::hearing_args::HearingArgs;
use super::memory_args::MemoryCommand;
use super::model_args::{AnswerArgs, DistilArgs, Typed, WriterArgs};
use super::transcript_args::{ContextArg, transcript_bytes};
use clap::{ArgAction, Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;
use weir_core::limits;
use weir_models::DeviceChoice;
use weir_models::whisper::Quantisation;

const ABOUT: &str = "Listens to an endless stream of talk, keeps a memory of bounded size, and \
answers questions about any part of it with the second of audio each answer comes from. \
Everything runs on this machine.";

const EXAMPLES: &str = "\
Examples:
  weir replay talk.wav                         hear a recording, print what was said
  weir replay talk.wav --session notes         ... and keep the memory in ./notes
  weir ask \"When do we leave?\" --session notes ask it later
  weir listen --session notes                  the same from a microphone; a typed line asks
  weir doctor                                  what is there, what is missing, what to do

Exit status: 0 done (\"I don't know\" is done), 1 done but some inputs were refused, 2 not done.
Data goes to standard output, everything else to standard error.";

/// The whole command line.
#[derive(Debug, Parser)]
#[command(name = "weir", version, about = ABOUT, after_help = EXAMPLES, max_term_width = 100)]
pub(crate) struct Cli {
    /// What holds for every command.
    #[command(flatten)]
    pub(crate) global: Global,
    /// What to do.
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// Flags of every command.
#[derive(Debug, Clone, Args)]
pub(crate) struct Global {
    /// Logs on standard error: -v for what it does, -vv for every step
    #[arg(short, long, action = ArgAction::Count, global = true)]
    pub(crate) verbose: u8,
    /// No progress and no transcript: answers, warnings and errors only
    #[arg(short, long, global = true)]
    pub(crate) quiet: bool,
    /// When to colour; NO_COLOR is honoured
    #[arg(long, value_enum, default_value_t = Colour::Auto, value_name = "WHEN", global = true)]
    pub(crate) color: Colour,
    /// Folder in which models are looked for first
    #[arg(long, env = "WEIR_MODELS", value_name = "DIR", global = true)]
    pub(crate) models: Option<PathBuf>,
    /// Fetch nothing from anywhere
    #[arg(long, global = true)]
    pub(crate) offline: bool,
    /// Where models compute: cpu, cuda, cuda:1, metal (the latter where weir was built with them)
    #[arg(
        long,
        value_name = "DEVICE",
        default_value = "cpu",
        env = "WEIR_DEVICE",
        global = true
    )]
    pub(crate) device: DeviceChoice,
    /// What of the command's flags was typed.
    #[arg(skip)]
    pub(crate) typed: Typed,
}

/// When output is coloured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Colour {
    /// On a terminal.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Hear recordings, folders of them, or stream files, and answer the questions in them
    #[command(after_help = REPLAY_EXAMPLES)]
    Replay(Box<ReplayArgs>),
    /// Hear a microphone (or PCM on standard input) until Ctrl-C
    #[command(after_help = LISTEN_EXAMPLES)]
    Listen(Box<ListenArgs>),
    /// Ask a session a question: the answer, then its evidence, a line each
    #[command(after_help = ASK_EXAMPLES)]
    Ask(AskArgs),
    /// Look into a session's memory
    #[command(subcommand, after_help = super::memory_args::EXAMPLES)]
    Memory(MemoryCommand),
    /// The models: which there are, fetch them, check them
    #[command(subcommand, after_help = MODELS_EXAMPLES)]
    Models(ModelsCommand),
    /// What is there, what is missing, and what to do about it
    Doctor(DoctorArgs),
    /// Print a completion script for a shell
    #[command(
        after_help = COMPLETIONS_EXAMPLE
    )]
    Completions {
        /// Which shell
        shell: clap_complete::Shell,
    },
}

impl Command {
    /// Whether it loads models onto the device that was asked for.
    pub(crate) fn computes(&self) -> bool {
        match self {
            Self::Replay(_) | Self::Ask(_) => true,
            Self::Listen(args) => !args.list_mics,
            Self::Memory(command) => command.computes(),
            // the doctor says by itself what is not there
            Self::Models(_) | Self::Doctor(_) | Self::Completions { .. } => false,
        }
    }
}

const REPLAY_EXAMPLES: &str = "\
Examples:
  weir replay talk.wav                            print what is said, keep nothing
  weir replay monday.flac tuesday.mp3 --session s both into one memory, kept in ./s
  weir replay chat.stream.jsonl --results r.jsonl a stream with questions, results as JSON Lines
  weir replay chat.stream.jsonl --trust-text      feed the written words, recognise nothing
  weir replay talk.wav --pace real                as it would arrive live
  weir replay talk.wav --distiller llm --answer local          with a small model of this machine
  weir replay talk.wav --answer endpoint --endpoint http://localhost:11434/v1 \\
      --endpoint-model qwen2.5                    with a server's

A stream file (*.stream.jsonl) names who spoke when, and holds questions; a plain recording is one
stream with unknown speakers. What was recognised and every answer with its evidence go to
standard output, progress and the closing summary to standard error.";

const LISTEN_EXAMPLES: &str = "\
Examples:
  weir listen --session notes                     until Ctrl-C; a typed line is a question
  weir listen --list-mics                         the microphones there are
  weir listen --mic pulse                         a microphone by its name
  arecord -f S16_LE -r 16000 -t raw | weir listen --stdin --session notes
  ffmpeg -i talk.mkv -f s16le -ar 48000 -ac 2 - | weir listen --stdin --rate 48000 --inputs 2";

const ASK_EXAMPLES: &str = "\
Examples:
  weir ask \"Where are they going?\" --session notes
  weir ask \"Who feeds my cat?\" --session notes --asked-by Bob --json
  weir ask \"What is the code?\" --session notes --clip code.wav    and hear it

It only reads: it also works while `weir replay` or `weir listen` writes the same session.
An answer of \"I don't know\" is an answer: exit status 0.";

const MODELS_EXAMPLES: &str = "\
Examples:
  weir models list
  weir models pull all-MiniLM-L6-v2               better recall: sentences by meaning
  weir models pull base.en                        fewer wrong words than tiny.en
  weir models verify                              checksums of everything that is here";

const COMPLETIONS_EXAMPLE: &str = "\
Example:
  weir completions bash > ~/.local/share/bash-completion/completions/weir";

/// How fast a replay goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum PaceArg {
    /// As fast as it goes, in lock-step: a question sees all that stands above it
    Max,
    /// As it would arrive live
    Real,
    /// Four times as fast as live
    #[value(name = "4x")]
    Four,
}

impl PaceArg {
    /// As results name it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Max => "max",
            Self::Real => "real",
            Self::Four => "4x",
        }
    }
}

/// Which rules a memory follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum PolicyArg {
    /// What keeps and finds most, as measured
    Default,
    /// ProStream's rules and constants as the paper has them
    ProstreamPaper,
    /// The default, with a forgetting curve that flattens at each access
    ForgettingCurve,
}

/// How memory is kept.
#[derive(Debug, Clone, Args)]
pub(crate) struct MemoryArgs {
    /// Directory in which memory is kept; without it memory ends with the command
    #[arg(long, value_name = "DIR")]
    pub(crate) session: Option<PathBuf>,
    /// Tokens of all text that memory may hold [default: 32768 with a transcript, 131072 without,
    /// or the session's]
    #[arg(long, value_name = "N", value_parser = budget_tokens)]
    pub(crate) budget_tokens: Option<usize>,
    /// Bytes of what was heard, word for word, that are kept on disk for quoting, the oldest out; 0
    /// keeps none, and answers quote what memory itself holds [default: 1 GiB, or the session's]
    #[arg(long, value_name = "N", value_parser = transcript_bytes)]
    pub(crate) transcript_bytes: Option<u64>,
    /// Whose words contexts show
    #[arg(long, value_name = "FROM", value_enum, default_value = "transcript")]
    pub(crate) context_from: ContextArg,
    /// How memory weighs, cuts and searches [default: default, or the session's]
    #[arg(long, value_name = "NAME", value_enum)]
    pub(crate) policy: Option<PolicyArg>,
    /// Thresholds that suit the encoder, as `weir-bench calibrate` writes them [default: the
    /// built-in ones of its name, or the session's]
    #[arg(long, value_name = "FILE")]
    pub(crate) profile: Option<PathBuf>,
    /// Tokens of memory shown to the answerer
    #[arg(long, value_name = "N", value_parser = context_tokens,
          default_value_t = limits::CONTEXT_TOKENS_DEFAULT)]
    pub(crate) context_tokens: usize,
    /// Sentence encoder: a name, a folder, or `words` for none [default: the session's, else
    /// all-MiniLM-L6-v2 where it is found, else words]
    #[arg(long, value_name = "NAME|DIR|words")]
    pub(crate) encoder: Option<String>,
    /// Answers leave no trace: what was asked about is not kept longer for it
    #[arg(long)]
    pub(crate) no_learn: bool,
}

/// `weir replay`.
#[derive(Debug, Clone, Args)]
pub(crate) struct ReplayArgs {
    /// Audio files, folders, stream files (*.stream.jsonl); several become one session, in order
    #[arg(required = true, value_name = "INPUT")]
    pub(crate) inputs: Vec<PathBuf>,
    /// Write each answer and a summary as JSON Lines
    #[arg(long, value_name = "FILE")]
    pub(crate) results: Option<PathBuf>,
    /// Write, at each question, which utterances memory still holds
    #[arg(long, value_name = "FILE")]
    pub(crate) held: Option<PathBuf>,
    /// How fast
    #[arg(long, value_enum, default_value_t = PaceArg::Max)]
    pub(crate) pace: PaceArg,
    /// Feed the text of a stream file even where it has audio
    #[arg(long)]
    pub(crate) trust_text: bool,
    /// Replay an input the session has already heard
    #[arg(long)]
    pub(crate) force: bool,
    #[command(flatten)]
    pub(crate) memory: MemoryArgs,
    #[command(flatten)]
    pub(crate) distil: DistilArgs,
    #[command(flatten)]
    pub(crate) answer: AnswerArgs,
    #[command(flatten)]
    pub(crate) writer: WriterArgs,
    #[command(flatten)]
    pub(crate) hearing: HearingArgs,
}

/// `weir listen`.
#[derive(Debug, Clone, Args)]
pub(crate) struct ListenArgs {
    /// Microphone by its name (see --list-mics) [default: the system's]
    #[arg(long, value_name = "NAME", conflicts_with = "stdin")]
    pub(crate) mic: Option<String>,
    /// List the microphones and end
    #[arg(long, alias = "list-devices")]
    pub(crate) list_mics: bool,
    /// Read raw little-endian PCM from standard input; typed questions are then not possible
    #[arg(long)]
    pub(crate) stdin: bool,
    /// Samples a second of --stdin
    #[arg(long, value_name = "HZ", default_value_t = 16_000, requires = "stdin",
          value_parser = clap::value_parser!(u32).range(1_000..=768_000))]
    pub(crate) rate: u32,
    /// Channels of --stdin
    #[arg(long, value_name = "N", default_value_t = 1, requires = "stdin",
          value_parser = clap::value_parser!(u16).range(1..=64))]
    pub(crate) inputs: u16,
    /// Sample format of --stdin
    #[arg(long, value_enum, default_value_t = SampleArg::S16le, requires = "stdin")]
    pub(crate) format: SampleArg,
    /// Keep no audio for playback (with --session it is kept, within a byte limit)
    #[arg(long)]
    pub(crate) no_record: bool,
    #[command(flatten)]
    pub(crate) memory: MemoryArgs,
    #[command(flatten)]
    pub(crate) distil: DistilArgs,
    #[command(flatten)]
    pub(crate) answer: AnswerArgs,
    #[command(flatten)]
    pub(crate) writer: WriterArgs,
    #[command(flatten)]
    pub(crate) hearing: HearingArgs,
}

/// How a raw sample is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum SampleArg {
    /// 16-bit signed integers
    S16le,
    /// 32-bit floats
    F32le,
}

/// `weir ask`.
#[derive(Debug, Clone, Args)]
#[command(
    after_help = "Evidence is sure, likely or weak: the chance that the statement answers is \
    at least 0.7, at least 0.3, or less. Where memory does not know, or only somebody else said \
    it, the answer says so."
)]
pub(crate) struct AskArgs {
    /// The question
    #[arg(value_parser = question)]
    pub(crate) question: String,
    /// Directory of the session
    #[arg(long, value_name = "DIR")]
    pub(crate) session: PathBuf,
    /// Who asks: decides whom "I" and "my" mean
    #[arg(long, value_name = "NAME")]
    pub(crate) asked_by: Option<String>,
    /// One JSON object instead of lines
    #[arg(long)]
    pub(crate) json: bool,
    /// Write the seconds of audio of the best evidence, as WAV
    #[arg(long, value_name = "OUT.wav")]
    pub(crate) clip: Option<PathBuf>,
    /// Tokens of memory shown to the answerer
    #[arg(long, value_name = "N", value_parser = context_tokens,
          default_value_t = limits::CONTEXT_TOKENS_DEFAULT)]
    pub(crate) context_tokens: usize,
    /// Whose words contexts show
    #[arg(long, value_name = "FROM", value_enum, default_value = "transcript")]
    pub(crate) context_from: ContextArg,
    /// Where the session's encoder is, should it not be where it is looked for
    #[arg(long, value_name = "NAME|DIR|words")]
    pub(crate) encoder: Option<String>,
    #[command(flatten)]
    pub(crate) answer: AnswerArgs,
    #[command(flatten)]
    pub(crate) writer: WriterArgs,
}

/// `weir models`.
#[derive(Debug, Subcommand)]
pub(crate) enum ModelsCommand {
    /// Every model by name: what it is for, its size, whether it is here
    List {
        /// JSON instead of lines
        #[arg(long)]
        json: bool,
    },
    /// Fetch models, resuming what was begun
    Pull {
        /// Names of `weir models list`, or repositories of the hub: owner/name,
        /// owner/name@revision, owner/name:file.gguf
        #[arg(required = true, value_name = "NAME")]
        names: Vec<String>,
    },
    /// Make a speech model of a checkpoint of Whisper: a folder of faster-whisper (CTranslate2) or
    /// of Hugging Face, or a ggml file
    Import {
        /// The folder or file
        path: PathBuf,
        /// What to call it; the folder's name by default
        #[arg(long)]
        name: Option<String>,
        /// Store its matrices so: q4_0, q4_1, q5_0, q5_1 or q8_0 instead of float16
        #[arg(long, value_name = "KIND", alias = "quantize")]
        quantise: Option<Quantisation>,
        /// Put it in the place of an imported model of the same name
        #[arg(long)]
        replace: bool,
    },
    /// Compare checksums of what is here
    Verify {
        /// Names; none means all that are here
        #[arg(value_name = "NAME")]
        names: Vec<String>,
    },
    /// Print the folder or file of a model
    Path {
        /// Name; none means the folder of all
        #[arg(value_name = "NAME")]
        name: Option<String>,
    },
}

/// `weir doctor`.
#[derive(Debug, Clone, Args)]
pub(crate) struct DoctorArgs {
    /// Also look into this session
    #[arg(long, value_name = "DIR")]
    pub(crate) session: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) writer: WriterArgs,
}

fn budget_tokens(text: &str) -> Result<usize, String> {
    tokens(text, limits::BUDGET_TOKENS_MIN, limits::BUDGET_TOKENS_MAX)
}

fn context_tokens(text: &str) -> Result<usize, String> {
    tokens(text, limits::CONTEXT_TOKENS_MIN, limits::CONTEXT_TOKENS_MAX)
}

fn tokens(text: &str, min: usize, max: usize) -> Result<usize, String> {
    match text.parse() {
        Ok(n) if (min..=max).contains(&n) => Ok(n),
        _ => Err(format!("give a whole number from {min} to {max}")),
    }
}

fn question(text: &str) -> Result<String, String> {
    let text = text.trim();
    if text.is_empty() {
        return Err("the question is empty; ask something".into());
    }
    let max = limits::QUESTION_BYTES_MAX;
    if text.len() > max {
        let bytes = text.len();
        return Err(format!("the question has {bytes} bytes; at most {max} fit"));
    }
    Ok(text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn numbers_out_of_range_are_refused_with_the_range() {
        let refused = Cli::try_parse_from(["weir", "replay", "a", "--budget-tokens", "10"]);
        let text = refused.expect_err("10 is too small").to_string();
        assert!(text.contains("256") && text.contains("4194304"), "{text}");
        assert_eq!(tokens("64", 64, 100), Ok(64));
        assert!(tokens("101", 64, 100).is_err());
        assert!(tokens("-1", 64, 100).is_err());
    }

    #[test]
    fn an_empty_question_is_refused() {
        assert!(question("  ").is_err());
        assert!(question(&"x".repeat(limits::QUESTION_BYTES_MAX + 1)).is_err());
        assert_eq!(question(" why? "), Ok("why?".to_owned()));
    }
}
