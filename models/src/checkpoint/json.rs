//! Settings files: JSON that is read completely.

use std::path::Path;

use serde::de::DeserializeOwned;

use super::error::LoadError;

/// Reads a required settings file.
pub(crate) fn read_json<T: DeserializeOwned>(file: &Path) -> Result<T, LoadError> {
    read_json_if_there(file)?.ok_or_else(|| LoadError::Missing {
        file: file.to_owned(),
    })
}

/// Reads a settings file; `None` if it does not exist.
pub(crate) fn read_json_if_there<T: DeserializeOwned>(file: &Path) -> Result<Option<T>, LoadError> {
    let text = match std::fs::read(file) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(source) => {
            return Err(LoadError::Read {
                file: file.to_owned(),
                source,
            });
        }
    };
    let refused = |error: serde_json::Error| LoadError::Json {
        file: file.to_owned(),
        reason: error.to_string(),
    };
    serde_json::from_slice(&text).map(Some).map_err(refused)
}
