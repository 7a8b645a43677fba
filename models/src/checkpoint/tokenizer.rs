//! Tokenizer files: read for a network, and refused if the two do not match.

use std::path::Path;

use tokenizers::{PostProcessor, Tokenizer};

use super::error::LoadError;

/// Reads `file` for a network with `rows` tokens.
///
/// Padding and truncation in the file (128 for MiniLM) are ignored; they are not the model's
/// limits.
pub(crate) fn read_tokenizer(file: &Path, rows: usize) -> Result<Tokenizer, LoadError> {
    if !file.is_file() {
        return Err(LoadError::Missing {
            file: file.to_owned(),
        });
    }
    let refused = |error: tokenizers::Error| unusable(file, error.to_string());
    let text = std::fs::read(file).map_err(|error| unusable(file, error.to_string()))?;
    // the library panics on some text that is no JSON
    serde_json::from_slice::<serde::de::IgnoredAny>(&text)
        .map_err(|error| unusable(file, error.to_string()))?;
    let mut tokenizer = Tokenizer::from_bytes(&text).map_err(refused)?;
    let highest = tokenizer.get_vocab(true).values().copied().max();
    let found = highest.map_or(0, |id| id as usize + 1);
    if found == 0 || found > rows {
        return Err(LoadError::TokenizerMisfit {
            file: file.to_owned(),
            found,
            expected: rows,
        });
    }
    tokenizer.with_padding(None);
    tokenizer.with_truncation(None).map_err(refused)?;
    Ok(tokenizer)
}

/// Number of special tokens that `tokenizer`, read from `file`, adds to a text or to a pair of
/// texts. It is an error if they alone fill the `tokens_max` tokens of a network.
pub(crate) fn tokens_added(
    tokenizer: &Tokenizer,
    file: &Path,
    tokens_max: usize,
    pairs: bool,
) -> Result<usize, LoadError> {
    let post = tokenizer.get_post_processor();
    let added = post.map_or(0, |post| post.added_tokens(pairs));
    if tokens_max <= added {
        let reason = format!("it adds {added} tokens, the model reads {tokens_max}");
        return Err(unusable(file, reason));
    }
    Ok(added)
}

/// The error that a tokenizer file cannot be used.
pub(crate) fn unusable(file: &Path, reason: String) -> LoadError {
    LoadError::Tokenizer {
        file: file.to_owned(),
        reason,
    }
}
