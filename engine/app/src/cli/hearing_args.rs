//! Flags that say how speech becomes words.

use clap::{Args, ValueEnum};
use weir_asr::Strictness;

/// What to do with several channels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ChannelsArg {
    /// One voice track
    Mix,
    /// Each channel is a speaker of its own, `channel 1`, `channel 2` ...
    Split,
}

/// How much doubt refuses words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum GuardsArg {
    /// Nothing is refused
    Off,
    /// Noise, tones, loops and words that the model does not trust
    Normal,
    /// The same at less doubt: fewer made-up words, and some that were said are lost
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

/// How speech becomes words.
#[derive(Debug, Clone, Args)]
pub(crate) struct HearingArgs {
    /// Speech model: a name of `weir models list` or a ggml file [default: the best one here; with
    /// none, tiny.en or base.en is fetched]
    #[arg(long, value_name = "NAME|PATH")]
    pub(crate) asr_model: Option<String>,
    /// Language spoken, e.g. `en`, `de`, or `auto`; English-only models refuse others
    #[arg(long, value_name = "CODE")]
    pub(crate) language: Option<String>,
    /// Threads of the speech model
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=64))]
    pub(crate) threads: Option<u16>,
    /// What must hold for sound to pass as words; `off` takes all that the model writes
    #[arg(long, value_enum, default_value_t = GuardsArg::Normal, value_name = "HOW")]
    pub(crate) guards: GuardsArg,
    /// Several channels: mixed, or kept apart as speakers
    #[arg(long, value_enum, default_value_t = ChannelsArg::Mix)]
    pub(crate) channels: ChannelsArg,
}
