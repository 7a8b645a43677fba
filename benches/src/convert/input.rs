//! Input of converters: text or JSON files, and their names.

use anyhow::{Context, Result, ensure};
use serde::de::DeserializeOwned;
use std::path::Path;

/// A JSON file; an error gives the expected and the actual content.
pub(super) fn json<T: DeserializeOwned>(path: &Path, expected: &str) -> Result<T> {
    serde_json::from_str(&text(path)?)
        .with_context(|| format!("{}: expected {expected}", path.display()))
}

/// The text of a file, which must not be empty.
pub(super) fn text(path: &Path) -> Result<String> {
    let bytes = std::fs::read(path).with_context(|| format!("{} not read", path.display()))?;
    let text = String::from_utf8(bytes)
        .with_context(|| format!("{} is not text in UTF-8", path.display()))?;
    ensure!(!text.trim().is_empty(), "{} is empty", path.display());
    // captions from Windows begin with a byte order mark
    Ok(text.trim_start_matches('\u{feff}').to_owned())
}

/// The file's name without its last extension.
pub(super) fn stem(path: &Path) -> Result<String> {
    let stem = path.file_stem().context("the input has no name")?;
    Ok(stem.to_string_lossy().into_owned())
}
