//! How far an input was fed into a session, so that a replay that was killed goes on there.

use super::error::StoreError;
use super::layout::Layout;
use super::tables;
use crate::streamfile::InputDigest;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// What a session holds of an input that did not come to its end.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct InputProgress {
    /// Name of its stream.
    pub stream: String,
    /// Lines of a stream file below the header, or segments of a recording, that are done.
    pub items: u64,
    /// Utterances of the next window of segments that are in; 0 for a stream file.
    pub within: u64,
    /// Utterances that are in.
    pub turns: u64,
    /// The end of the last of them, in milliseconds of stream time.
    pub end_ms: u64,
}

/// An input that a session knows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KnownInput {
    /// Its fingerprint.
    pub digest: InputDigest,
    /// Name of its stream.
    pub stream: String,
    /// How far it came; `None` where it came to its end.
    pub progress: Option<InputProgress>,
}

impl KnownInput {
    /// An entry of the store; `None` where it cannot be understood.
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

/// The inputs that the session in a directory knows, read beside other readers.
///
/// # Errors
/// When the store cannot be read, also while a writer is at work.
pub fn known_inputs(dir: &Path) -> Result<Vec<KnownInput>, StoreError> {
    let mut known = Vec::new();
    tables::inputs_of(&Layout::of(dir).memory(), |entry| {
        known.extend(KnownInput::of(entry));
    })?;
    Ok(known)
}
