//! Token budget of a method.

use anyhow::{Result, bail};
use std::str::FromStr;
use weir_core::limits::BUDGET_TOKENS_MIN;

/// Weir's default budget here: smaller than any corpus, so that it must forget. A real session may
/// store more ([`weir_core::limits::BUDGET_TOKENS_DEFAULT`]).
const WEIR_TOKENS: usize = 8_192;

/// Token budget of methods.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Budget {
    /// For Weir small enough that it must forget, unlimited for the others.
    Own,
    /// Unlimited.
    None,
    /// This many tokens for every method.
    Tokens(usize),
}

impl Budget {
    /// The budget of a method.
    pub(crate) fn tokens(self, method: &str) -> Option<usize> {
        match self {
            Self::Own if method.starts_with("weir") => Some(WEIR_TOKENS),
            Self::Own | Self::None => None,
            Self::Tokens(tokens) => Some(tokens),
        }
    }
}

impl FromStr for Budget {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> Result<Self> {
        Ok(match text {
            "own" => Self::Own,
            "none" => Self::None,
            number => match number.parse() {
                Ok(tokens) if tokens >= BUDGET_TOKENS_MIN => Self::Tokens(tokens),
                _ => bail!("`{text}` is not `own`, `none` or at least {BUDGET_TOKENS_MIN} tokens"),
            },
        })
    }
}
