//! Flags about the transcript: how much of it is kept, and whether contexts show its words.

use clap::ValueEnum;
use weir_core::ask::ContextFrom;
use weir_core::limits;
use weir_engine::store::transcript::check_transcript_limit;

/// Bytes of a transcript, in range.
pub(crate) fn transcript_bytes(text: &str) -> Result<u64, String> {
    let bytes = text.parse().map_err(|_| {
        format!(
            "`{text}` is no number of bytes; give 0 for none, or {} to {}",
            limits::TRANSCRIPT_BYTES_MIN,
            limits::TRANSCRIPT_BYTES_MAX
        )
    })?;
    check_transcript_limit(bytes).map_err(|wrong| wrong.to_string())?;
    Ok(bytes)
}

/// Whose words contexts show.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ContextArg {
    /// Those of memory; where it holds key words alone, those of the transcript
    Transcript,
    /// Those of memory alone
    Memory,
}

impl From<ContextArg> for ContextFrom {
    fn from(arg: ContextArg) -> Self {
        match arg {
            ContextArg::Transcript => Self::Transcript,
            ContextArg::Memory => Self::Memory,
        }
    }
}
