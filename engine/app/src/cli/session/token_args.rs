//! Parses numbers of tokens on the command line.

use weir_core::limits;

/// Parses a token budget, and checks its range.
pub(crate) fn budget_tokens(text: &str) -> Result<usize, String> {
    tokens(text, limits::BUDGET_TOKENS_MIN, limits::BUDGET_TOKENS_MAX)
}

/// Parses the length of a context in tokens, and checks its range.
pub(crate) fn context_tokens(text: &str) -> Result<usize, String> {
    tokens(text, limits::CONTEXT_TOKENS_MIN, limits::CONTEXT_TOKENS_MAX)
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
