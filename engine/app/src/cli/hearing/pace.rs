//! The pace of a replay.

use clap::ValueEnum;

/// Speed of a replay.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum PaceArg {
    /// As fast as possible, in lock-step: a question sees everything before it
    Max,
    /// In real time
    Real,
    /// Four times real time
    #[value(name = "4x")]
    Four,
}

impl PaceArg {
    /// Its name in results.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Max => "max",
            Self::Real => "real",
            Self::Four => "4x",
        }
    }
}
