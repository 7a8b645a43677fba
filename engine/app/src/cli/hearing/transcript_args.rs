//! Flags of the transcript: its size, and whether contexts use its words.

use clap::ValueEnum;
use weir_core::ask::ContextFrom;
use weir_core::limits;
use weir_engine::store::transcript::check_transcript_limit;

/// Parses the size of a transcript in bytes, and checks its range.
pub(crate) fn transcript_bytes(text: &str) -> Result<u64, String> {
    let bytes = text.parse().map_err(|_| {
        format!(
            "`{text}` is not a valid number of bytes; give 0 for none, or {} to {}",
            limits::TRANSCRIPT_BYTES_MIN,
            limits::TRANSCRIPT_BYTES_MAX
        )
    })?;
    check_transcript_limit(bytes).map_err(|wrong| wrong.to_string())?;
    Ok(bytes)
}

/// Source of the words in contexts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ContextArg {
    /// Memory's words; where memory holds only key words, the transcript's
    Transcript,
    /// Memory's words only
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
