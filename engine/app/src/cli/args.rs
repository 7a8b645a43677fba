//! Command-line flags with their ranges, checked while parsing, and help texts. Defaults come from
//! [`weir_core::limits`] and are never repeated here.

use crate::cli::asking::chat_args::ChatArgs;
use crate::cli::hearing::hearing_args::HearingArgs;
use crate::cli::hearing::pace::PaceArg;
use crate::cli::loading::model_args::{AnswerArgs, CharacterArgs, DistilArgs, Typed, WriterArgs};
use crate::cli::loading::models_args::ModelsCommand;
use crate::cli::session::beliefs_args::BeliefsArgs;
use crate::cli::session::memory_args::MemoryCommand;
use crate::cli::session::policy::PolicyArg;
use crate::cli::session::profile_args::ProfileArgs;
use crate::cli::session::size_args::{budget_tokens, transcript_bytes};
use crate::cli::session::source_args::SourceCommand;
use crate::cli::session::speakers_args::SpeakersCommand;
use crate::cli::session_name::session_folder;
use clap::{ArgAction, Args, Parser, Subcommand, ValueEnum};
use jiff::tz::TimeZone;
use std::path::PathBuf;
use weir_core::limits;
use weir_models::DeviceChoice;

const ABOUT: &str = "Listens to an endless stream of talk, keeps a memory of bounded size and \
answers questions about any part of it, with the position in the audio as evidence. \
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

/// The version; a program that the tests have built says so, since it is slow.
const VERSION: &str = match cfg!(debug_assertions) {
    true => concat!(env!("CARGO_PKG_VERSION"), " with debug assertions"),
    false => env!("CARGO_PKG_VERSION"),
};

/// The whole command line.
#[derive(Debug, Parser)]
#[command(
    name = "weir", version = VERSION, about = ABOUT, after_help = EXAMPLES, max_term_width = 100
)]
pub(crate) struct Cli {
    /// Flags of every command.
    #[command(flatten)]
    pub(crate) global: Global,
    /// The command.
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// Flags of every command.
#[derive(Debug, Clone, Args)]
pub(crate) struct Global {
    /// Log to standard error: -v for main steps, -vv for every step
    #[arg(short, long, action = ArgAction::Count, global = true)]
    pub(crate) verbose: u8,
    /// Print only answers, warnings and errors: no progress and no transcript
    #[arg(short, long, global = true)]
    pub(crate) quiet: bool,
    /// When to use colour; NO_COLOR is respected
    #[arg(long, value_enum, default_value_t = Colour::Auto, value_name = "WHEN", global = true)]
    pub(crate) color: Colour,
    /// First folder to search for models
    #[arg(long, env = "WEIR_MODELS", value_name = "DIR", global = true)]
    pub(crate) models: Option<PathBuf>,
    /// File of enrolled voices [default: weir/voices.json in the user's data folder]
    #[arg(long, env = "WEIR_VOICES", value_name = "FILE", global = true)]
    pub(crate) voices: Option<PathBuf>,
    /// Download nothing
    #[arg(long, global = true)]
    pub(crate) offline: bool,
    /// Device for models: cpu, cuda, cuda:1, metal (cuda and metal only in builds with that
    /// feature)
    #[arg(
        long,
        value_name = "DEVICE",
        default_value = "cpu",
        env = "WEIR_DEVICE",
        global = true
    )]
    pub(crate) device: DeviceChoice,
    /// Which of the command's flags were typed.
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
    /// Process recordings, folders of recordings or stream files, and answer their questions
    #[command(after_help = REPLAY_EXAMPLES)]
    Replay(Box<ReplayArgs>),
    /// Listen to a microphone (or PCM on standard input) until Ctrl-C
    #[command(after_help = LISTEN_EXAMPLES)]
    Listen(Box<ListenArgs>),
    /// Watch a session while another process hears for it, and ask it
    #[cfg(feature = "screen")]
    #[command(after_help = TOP_EXAMPLES)]
    Top(Box<TopArgs>),
    /// Ask a session a question; prints the answer, then one line per piece of evidence
    #[command(after_help = ASK_EXAMPLES)]
    Ask(Box<AskArgs>),
    /// Take in conversations of other programs: subtitles, transcripts, exported chats
    Import(Box<crate::cli::session::import_args::ImportArgs>),
    /// Search the transcript of a session for words, newest first
    Search(SearchArgs),
    /// Talk with a session: it stores what it is told, answers, and forgets on request
    #[command(after_help = crate::cli::asking::chat_args::EXAMPLES)]
    Chat(Box<ChatArgs>),
    /// Inspect and change a session's memory
    #[command(subcommand, after_help = crate::cli::session::memory_args::EXAMPLES)]
    Memory(MemoryCommand),
    /// Show what the speakers feel about things, and why
    #[command(after_help = crate::cli::session::beliefs_args::EXAMPLES)]
    Beliefs(BeliefsArgs),
    /// Show and change what the speakers said of themselves
    #[command(after_help = crate::cli::session::profile_args::EXAMPLES)]
    Profile(ProfileArgs),
    /// Add text files that questions are answered from beside what was heard
    #[command(subcommand, after_help = crate::cli::session::source_args::EXAMPLES)]
    Source(SourceCommand),
    /// Name the speakers of a session, and recognise voices
    #[command(subcommand, after_help = crate::cli::session::speakers_args::EXAMPLES)]
    Speakers(SpeakersCommand),
    /// Serve sessions to other programs over HTTP, until Ctrl-C
    #[cfg(feature = "serve")]
    #[command(after_help = crate::cli::serving::serve_args::EXAMPLES)]
    Serve(Box<crate::cli::serving::serve_args::ServeArgs>),
    /// Open the page of a running `weir serve` in the browser
    #[cfg(feature = "serve")]
    #[command(after_help = crate::cli::serving::serve_args::OPEN_EXAMPLES)]
    Open(crate::cli::serving::serve_args::OpenArgs),
    /// Give a session to a client of the Model Context Protocol, on standard input and output
    #[cfg(feature = "serve")]
    #[command(after_help = crate::cli::serving::serve_args::MCP_EXAMPLES)]
    Mcp(Box<crate::cli::serving::serve_args::McpArgs>),
    /// Make, list and remove the tokens of a server
    #[cfg(feature = "serve")]
    #[command(subcommand, after_help = crate::cli::serving::serve_args::TOKEN_EXAMPLES)]
    Tokens(crate::cli::serving::serve_args::TokensCommand),
    /// List, download and verify models
    #[command(subcommand, after_help = crate::cli::loading::models_args::EXAMPLES)]
    Models(ModelsCommand),
    /// Check the installation: what is present, what is missing, how to fix it
    Doctor(DoctorArgs),
    /// Print a completion script for a shell
    #[command(after_help = COMPLETIONS_EXAMPLE)]
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
}

impl Command {
    /// Whether the command loads models onto the selected device.
    pub(crate) fn computes(&self) -> bool {
        match self {
            Self::Replay(_) | Self::Ask(_) | Self::Chat(_) | Self::Import(_) => true,
            #[cfg(feature = "screen")]
            Self::Top(_) => true,
            Self::Listen(args) => !args.list_mics,
            Self::Memory(command) => command.computes(),
            Self::Speakers(command) => command.computes(),
            Self::Profile(args) => args.computes(),
            Self::Source(command) => command.computes(),
            #[cfg(feature = "serve")]
            Self::Serve(_) | Self::Mcp(_) => true,
            #[cfg(feature = "serve")]
            Self::Open(_) | Self::Tokens(_) => false,
            // `doctor` reports missing models itself
            Self::Models(_)
            | Self::Doctor(_)
            | Self::Completions { .. }
            | Self::Beliefs(_)
            | Self::Search(_) => false,
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
  weir replay talk.wav --session s --distiller llm --generator qwen2.5-1.5b.gguf
                                                  a model here writes titles of what was said
  weir replay chat.stream.jsonl --answer endpoint --endpoint http://localhost:11434/v1 \\
      --endpoint-model qwen2.5                    a server's model answers its questions

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

#[cfg(feature = "screen")]
const TOP_EXAMPLES: &str = "\
Examples:
  weir top --session notes                        see what `weir listen` hears and what it keeps
  weir top --session notes --plain                the same as lines

It changes nothing, and ending it ends nothing else. A session that nobody has open is read from
disk, and followed as soon as a process opens it.";

const ASK_EXAMPLES: &str = "\
Examples:
  weir ask \"Where are they going?\" --session notes
  weir ask \"Who feeds my cat?\" --session notes --asked-by Bob --json
  weir ask \"Who feeds my cat?\" --session notes --check           is each claim of it proven?
  weir ask \"Who called yesterday?\" --session notes --zone Europe/Berlin --asked-at 2026-03-22
  weir ask \"What is the code?\" --session notes --clip code.wav    and save its audio
  weir ask \"Where is the boat?\" --session notes --as ben.toml     as a character answers

A character file is TOML: name = \"Ben\", and if wanted description, sources = [\"charts\"] (all),
stability_hours = 720 (after as many hours of talk a memory is retained to 37 %, below 5 % it is
forgotten) and boost = 2 (factor on the stability each time a statement was recalled).

It only reads: it also works while `weir replay` or `weir listen` writes the same session.
An answer of \"I don't know\" is an answer: exit status 0.";

const COMPLETIONS_EXAMPLE: &str = "\
Example:
  weir completions bash > ~/.local/share/bash-completion/completions/weir";

/// Memory flags.
#[derive(Debug, Clone, Args)]
pub(crate) struct MemoryArgs {
    /// Directory of the session; without it, memory is lost when the command ends
    #[arg(long, value_name = "DIR", value_parser = session_folder())]
    pub(crate) session: Option<PathBuf>,
    /// Tokens of all text that memory may hold [default: 32768 with a transcript, 131072 without,
    /// or the session's]
    #[arg(long, value_name = "N", value_parser = budget_tokens)]
    pub(crate) budget_tokens: Option<usize>,
    /// Bytes of the word-for-word transcript on disk, oldest dropped first; 0 keeps none, and
    /// answers then quote only what memory holds [default: 1 GiB, or the session's]
    #[arg(long, value_name = "N", value_parser = transcript_bytes)]
    pub(crate) transcript_bytes: Option<u64>,
    /// Rules of a new session [default: weir, or the session's]
    #[arg(long, value_name = "POLICY")]
    pub(crate) policy: Option<PolicyArg>,
    /// JSON file of thresholds for the encoder [default: built in for a known encoder name, or the
    /// session's]
    #[arg(long, value_name = "FILE")]
    pub(crate) profile: Option<PathBuf>,
    /// Sentence encoder: a name, a folder, or `words` for none [default: the session's, else
    /// all-MiniLM-L6-v2 if installed, else words]
    #[arg(long, value_name = "NAME|DIR|words")]
    pub(crate) encoder: Option<String>,
    /// Do not record questions: asking about a statement then does not keep it longer
    #[arg(long)]
    pub(crate) no_learn: bool,
}

/// `weir replay`.
#[derive(Debug, Clone, Args)]
pub(crate) struct ReplayArgs {
    /// Audio files, folders, stream files (*.stream.jsonl); several form one session, in order
    #[arg(required = true, value_name = "INPUT")]
    pub(crate) inputs: Vec<PathBuf>,
    /// Write answers and a summary to this file, as JSON Lines
    #[arg(long, value_name = "FILE")]
    pub(crate) results: Option<PathBuf>,
    /// Speed of the replay
    #[arg(long, value_enum, default_value_t = PaceArg::Max)]
    pub(crate) pace: PaceArg,
    /// Print events as JSON Lines instead of text: utterances, turns, live text, answers
    #[arg(long)]
    pub(crate) json: bool,
    /// Use the text of a stream file even if it has audio
    #[arg(long)]
    pub(crate) trust_text: bool,
    /// Audio track of the files to hear, from 1 [default: the one each file names]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) track: Option<u16>,
    /// Replay an input that the session has already processed
    #[arg(long)]
    pub(crate) force: bool,
    #[command(flatten)]
    pub(crate) memory: MemoryArgs,
    #[command(flatten)]
    pub(crate) distil: DistilArgs,
    #[command(flatten)]
    pub(crate) answer: AnswerArgs,
    #[command(flatten)]
    pub(crate) hearing: HearingArgs,
}

/// `weir listen`.
#[derive(Debug, Clone, Args)]
pub(crate) struct ListenArgs {
    /// Microphone name (see --list-mics) [default: the system's]
    #[arg(long, value_name = "NAME", conflicts_with = "stdin")]
    pub(crate) mic: Option<String>,
    /// List the microphones and exit
    #[arg(long, alias = "list-devices")]
    pub(crate) list_mics: bool,
    /// Read raw little-endian PCM from standard input; questions can be
    /// typed only where the terminal shows a picture
    #[arg(long)]
    pub(crate) stdin: bool,
    /// Sample rate of --stdin
    #[arg(long, value_name = "HZ", default_value_t = 16_000, requires = "stdin",
          value_parser = clap::value_parser!(u32).range(1_000..=768_000))]
    pub(crate) rate: u32,
    /// Number of channels of --stdin
    #[arg(long, value_name = "N", default_value_t = 1, requires = "stdin",
          value_parser = clap::value_parser!(u16).range(1..=64))]
    pub(crate) inputs: u16,
    /// Sample format of --stdin
    #[arg(long, value_enum, default_value_t = SampleArg::S16le, requires = "stdin")]
    pub(crate) format: SampleArg,
    /// Print events as JSON Lines: partial, committed, utterance, turn, unheard, gap, answer
    #[arg(long)]
    pub(crate) json: bool,
    /// Print lines, also where the terminal could show a picture
    #[arg(long)]
    pub(crate) plain: bool,
    /// Do not record audio for playback (with --session it is recorded, up to a byte limit)
    #[arg(long)]
    pub(crate) no_record: bool,
    #[command(flatten)]
    pub(crate) memory: MemoryArgs,
    #[command(flatten)]
    pub(crate) distil: DistilArgs,
    #[command(flatten)]
    pub(crate) answer: AnswerArgs,
    #[command(flatten)]
    pub(crate) hearing: HearingArgs,
}

/// Format of raw samples.
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
    after_help = "Behind an answer stands how sure it is. Of talk held apart, at least 0.8 of the \
    answers that are \"sure\" are right, at least half of those that are \"likely\", and fewer of \
    those that are \"perhaps\" right; --json has the chance. If memory does not know, or only \
    somebody else said it, the answer says so."
)]
pub(crate) struct AskArgs {
    /// The question
    #[arg(value_parser = question)]
    pub(crate) question: String,
    /// Directory of the session
    #[arg(long, value_name = "DIR", value_parser = session_folder())]
    pub(crate) session: PathBuf,
    /// Name of the asker: whom "I" and "my" refer to
    #[arg(long, value_name = "NAME")]
    pub(crate) asked_by: Option<String>,
    /// Time zone of the question, e.g. `Europe/Berlin`: what "yesterday" means, and which dates are
    /// shown [default: the talk's, else this machine's]
    #[arg(long, value_name = "ZONE", value_parser = weir_engine::time::zone_named)]
    pub(crate) zone: Option<TimeZone>,
    /// Time of the question, e.g. `2026-03-22T10:00` in its time zone [default: now]
    #[arg(long, value_name = "TIME")]
    pub(crate) asked_at: Option<String>,
    #[command(flatten)]
    pub(crate) character: CharacterArgs,
    /// Print one JSON object instead of lines
    #[arg(long)]
    pub(crate) json: bool,
    /// Write the audio of the best evidence to this file, as WAV
    #[arg(long, value_name = "OUT.wav")]
    pub(crate) clip: Option<PathBuf>,
    /// The session's encoder, if it is not in the usual folders
    #[arg(long, value_name = "NAME|DIR|words")]
    pub(crate) encoder: Option<String>,
    #[command(flatten)]
    pub(crate) answer: AnswerArgs,
}

/// `weir top`.
#[cfg(feature = "screen")]
#[derive(Debug, Clone, Args)]
pub(crate) struct TopArgs {
    /// Directory of the session
    #[arg(long, value_name = "DIR", value_parser = session_folder())]
    pub(crate) session: PathBuf,
    /// Print lines, also where the terminal could show a picture
    #[arg(long)]
    pub(crate) plain: bool,
    /// Name of the asker: whom "I" and "my" refer to
    #[arg(long, value_name = "NAME")]
    pub(crate) asked_by: Option<String>,
    /// The session's encoder, if it is not in the usual folders
    #[arg(long, value_name = "NAME|DIR|words")]
    pub(crate) encoder: Option<String>,
    /// How questions are answered while nobody has the session open.
    #[command(flatten)]
    pub(crate) answer: AnswerArgs,
}

/// `weir search`.
#[derive(Debug, Clone, Args)]
pub(crate) struct SearchArgs {
    /// Words that an utterance must have, all of them, in most of their forms
    #[arg(value_name = "WORDS", value_parser = question)]
    pub(crate) words: String,
    /// Directory of the session
    #[arg(long, value_name = "DIR", value_parser = session_folder())]
    pub(crate) session: PathBuf,
    /// Maximum number of utterances
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub(crate) most: usize,
    /// Print one JSON object per utterance instead of lines
    #[arg(long)]
    pub(crate) json: bool,
}

/// `weir doctor`.
#[derive(Debug, Clone, Args)]
pub(crate) struct DoctorArgs {
    /// Check this session too
    #[arg(long, value_name = "DIR", value_parser = session_folder())]
    pub(crate) session: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) writer: WriterArgs,
}

fn question(text: &str) -> Result<String, String> {
    let text = text.trim();
    if text.is_empty() {
        return Err("the question is empty; type a question".into());
    }
    let max = limits::QUESTION_BYTES_MAX;
    if text.len() > max {
        let bytes = text.len();
        return Err(format!(
            "the question has {bytes} bytes; the limit is {max}"
        ));
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
    fn an_empty_question_is_refused() {
        assert!(question("  ").is_err());
        assert!(question(&"x".repeat(limits::QUESTION_BYTES_MAX + 1)).is_err());
        assert_eq!(question(" why? "), Ok("why?".to_owned()));
    }
}
