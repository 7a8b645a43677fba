//! Parses the sizes of memory, contexts and the transcript on the command line.

use weir_core::limits;
use weir_engine::store::transcript::check_transcript_limit;

/// Parses a token budget, and checks its range.
pub(crate) fn budget_tokens(text: &str) -> Result<usize, String> {
    tokens(text, limits::BUDGET_TOKENS_MIN, limits::BUDGET_TOKENS_MAX)
}

/// Parses the length of a context in tokens, and checks its range.
pub(crate) fn context_tokens(text: &str) -> Result<usize, String> {
    tokens(text, limits::CONTEXT_TOKENS_MIN, limits::CONTEXT_TOKENS_MAX)
}

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

fn tokens(text: &str, min: usize, max: usize) -> Result<usize, String> {
    match text.parse() {
        Ok(n) if (min..=max).contains(&n) => Ok(n),
        _ => Err(format!("give a whole number from {min} to {max}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_within_the_range_are_taken() {
        assert_eq!(tokens("64", 64, 100), Ok(64));
        assert!(tokens("101", 64, 100).is_err());
        assert!(tokens("-1", 64, 100).is_err());
    }
}
