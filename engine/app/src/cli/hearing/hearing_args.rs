//! Flags for speech recognition.

use clap::{Args, ValueEnum};
use std::path::PathBuf;
use weir_asr::Strictness;

/// How to treat several channels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ChannelsArg {
    /// One voice track
    Mix,
    /// Each channel is one speaker: `channel 1`, `channel 2` ...
    Split,
}

/// How strictly doubtful words are refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum GuardsArg {
    /// Refuse nothing
    Off,
    /// Refuse noise, tones, loops and words with low model confidence
    Normal,
    /// Refuse earlier: fewer invented words, but some spoken words are lost
    Strict,
}

impl From<GuardsArg> for Strictness {
    fn from(arg: GuardsArg) -> Self {
        match arg {
            GuardsArg::Off => Self::Off,
            GuardsArg::Normal => Self::Normal,
            GuardsArg::Strict => Self::Strict,
        }
    }
}

/// Speech recognition flags.
#[derive(Debug, Clone, Args)]
pub(crate) struct HearingArgs {
    /// Speech model: a name from `weir models list` or a ggml file [default: the best of those
    /// installed and the built-in one]
    #[arg(long, value_name = "NAME|PATH")]
    pub(crate) asr_model: Option<String>,
    /// Language spoken: `en`, `de` or another of Whisper's hundred; `auto` finds it, where a
    /// multilingual model is installed
    #[arg(long, value_name = "CODE")]
    pub(crate) language: Option<String>,
    /// Names and terms that may be said, one a line, so that they are written right; the names of
    /// the session's speakers are added
    #[arg(long, value_name = "FILE")]
    pub(crate) terms: Option<PathBuf>,
    /// Threads of the speech model
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=64))]
    pub(crate) threads: Option<u16>,
    /// How strictly to refuse doubtful words; `off` keeps everything the model writes
    #[arg(long, value_enum, default_value_t = GuardsArg::Normal, value_name = "HOW")]
    pub(crate) guards: GuardsArg,
    /// Do not decode speech before it ends: less work, but no text while people speak
    #[arg(long)]
    pub(crate) no_live_text: bool,
    /// Do not tell speakers apart
    #[arg(long)]
    pub(crate) no_speakers: bool,
    /// Several channels: mix them, or treat each as a speaker
    #[arg(long, value_enum, default_value_t = ChannelsArg::Mix)]
    pub(crate) channels: ChannelsArg,
}
