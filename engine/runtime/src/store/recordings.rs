//! Where the recordings of a session are: a small file in its directory, for playing evidence, and
//! a line of an export.
//!
//! Citations name audio as the stream file does, relative to its folder; this file stores the
//! folder. It is used for playback only: a session answers without it too.

use super::error::StoreError;
use crate::private;
use serde::{Deserialize, Serialize, Serializer};
use std::path::{Path, PathBuf};
use weir_core::stream::AudioSpan;

const FILE: &str = "sources.json";
/// Maximum number of streams stored; the oldest is dropped first.
const STREAMS_MAX: usize = 4_096;

/// The streams of a session and their source folders, oldest first.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Recordings {
    streams: Vec<Source>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct Source {
    name: String,
    #[serde(serialize_with = "as_text")]
    folder: PathBuf,
    digest: String,
}

/// Stores a path as text: one that is not UTF-8 leads nowhere then, and everything else is kept.
fn as_text<S: Serializer>(path: &Path, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(&path.to_string_lossy())
}

impl Recordings {
    /// Reads the file in a session directory; empty if there is none.
    ///
    /// # Errors
    /// The file cannot be read, or is damaged.
    pub fn read(session: &Path) -> Result<Self, StoreError> {
        let file = session.join(FILE);
        let text = match private::read(&file) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Ok(Self::default());
            }
            Err(error) => return Err(StoreError::file(&file, "read it")(error)),
        };
        serde_json::from_slice(&text).map_err(|source| StoreError::Recordings { file, source })
    }

    /// Adds a stream whose audio is in the folder of `input`, and returns its name: another one if
    /// an input with other content has the name.
    pub fn add(&mut self, stream: &str, digest: &str, input: &Path) -> String {
        let mut name = stream.to_owned();
        let mut number = 2;
        while self.is_anothers(&name, digest) {
            name = format!("{stream} ({number})");
            number += 1;
        }
        self.streams.retain(|known| known.name != name);
        let folder = input.parent().unwrap_or(Path::new("."));
        let folder = match folder.as_os_str().is_empty() {
            true => Path::new("."),
            false => folder,
        };
        self.streams.push(Source {
            name: name.clone(),
            folder: folder.canonicalize().unwrap_or_else(|_| folder.into()),
            digest: digest.to_owned(),
        });
        name
    }

    fn is_anothers(&self, name: &str, digest: &str) -> bool {
        self.streams
            .iter()
            .any(|known| known.name == name && known.digest != digest)
    }

    /// Replaces the file of a session directory atomically.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write(&mut self, session: &Path) -> Result<(), StoreError> {
        let over = self.streams.len().saturating_sub(STREAMS_MAX);
        self.streams.drain(..over);
        let file = session.join(FILE);
        serde_json::to_string_pretty(self)
            .map_err(std::io::Error::from)
            .and_then(|text| private::replace(&file, &[text.as_bytes()]))
            .map(drop)
            .map_err(StoreError::file(&file, "write it"))
    }

    /// The audio file of a span, if its stream is known.
    #[must_use]
    pub fn file(&self, stream: &str, audio: &AudioSpan) -> Option<PathBuf> {
        let known = self.streams.iter().find(|known| known.name == stream)?;
        Some(known.folder.join(&audio.file))
    }
}
