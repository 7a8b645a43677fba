//! How far an input was fed into a session, so that a killed replay can resume.

use super::error::StoreError;
use super::layout::Layout;
use super::tables;
use crate::streamfile::InputDigest;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// The session's state of an unfinished input.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct InputProgress {
    /// Name of its stream.
    pub stream: String,
    /// Finished lines of a stream file after the header, or finished segments of a recording.
    pub items: u64,
    /// Stored utterances of the next window of segments; 0 for a stream file.
    pub within: u64,
    /// Number of stored utterances.
    pub turns: u64,
    /// End of the last of them, in milliseconds of stream time.
    pub end_ms: u64,
}

/// An input that a session has processed, at least partly.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KnownInput {
    /// Its fingerprint.
    pub digest: InputDigest,
    /// Name of its stream.
    pub stream: String,
    /// Its progress; `None` if it is complete.
    pub progress: Option<InputProgress>,
}

impl KnownInput {
    /// An entry of the store; `None` if it is invalid.
    fn of((digest, text, whole): (&[u8; 32], &str, bool)) -> Option<Self> {
        let progress: Option<InputProgress> = match whole {
            true => None,
            false => Some(serde_json::from_str(text).ok()?),
        };
        let stream = progress.as_ref().map_or(text, |known| &known.stream);
        Some(Self {
            digest: InputDigest(*digest),
            stream: stream.to_owned(),
            progress,
        })
    }
}

/// The inputs that the session in a directory has processed. Does not block other readers.
///
/// # Errors
/// The store cannot be read; also while a writer is running.
pub fn known_inputs(dir: &Path) -> Result<Vec<KnownInput>, StoreError> {
    let mut known = Vec::new();
    tables::inputs_of(&Layout::of(dir).memory(), |entry| {
        known.extend(KnownInput::of(entry));
    })?;
    Ok(known)
}
