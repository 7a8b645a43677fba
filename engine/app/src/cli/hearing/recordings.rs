//! Where the recordings of a session are: a small file in its directory, for playing evidence, and
//! a line of an export.
//!
//! Citations name audio as the stream file does, relative to its folder; this file stores the
//! folder. It is used for playback only: a session answers without it too.

use crate::cli::hearing::inputs::Surveyed;
use anyhow::Context;
use serde::{Deserialize, Serialize, Serializer};
use std::path::{Path, PathBuf};
use weir_core::stream::AudioSpan;
use weir_engine::private;

const FILE: &str = "sources.json";
/// Maximum number of streams stored; the oldest is dropped first.
const STREAMS_MAX: usize = 4_096;

/// The streams of a session and their source folders, oldest first.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct Recordings {
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
pub(crate) fn as_text<S: Serializer>(path: &Path, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(&path.to_string_lossy())
}

impl Recordings {
    /// Reads the file in a session directory; empty if there is none.
    pub(crate) fn read(session: &Path) -> anyhow::Result<Self> {
        let file = session.join(FILE);
        let text = match private::read(&file) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Ok(Self::default());
            }
            Err(error) => {
                return Err(error).with_context(|| format!("cannot read {}", file.display()));
            }
        };
        serde_json::from_slice(&text).with_context(|| {
            format!(
                "{}: damaged; remove it: only playback of old evidence needs it",
                file.display()
            )
        })
    }

    /// Adds the inputs, renames a stream whose name another input has, and replaces the file
    /// atomically.
    pub(crate) fn add<'a>(
        &mut self,
        session: &Path,
        inputs: impl IntoIterator<Item = &'a mut Surveyed>,
    ) -> anyhow::Result<()> {
        for input in inputs {
            let digest = input.digest.map(|digest| digest.to_string());
            let digest = digest.unwrap_or_default();
            let plain = input.input.stream.clone();
            let mut number = 2;
            while self.is_anothers(&input.input.stream, &digest) {
                input.input.stream = format!("{plain} ({number})");
                number += 1;
            }
            let name = input.input.stream.clone();
            self.streams.retain(|known| known.name != name);
            let folder = input.input.path.parent().unwrap_or(Path::new("."));
            let folder = match folder.as_os_str().is_empty() {
                true => Path::new("."),
                false => folder,
            };
            self.streams.push(Source {
                name,
                folder: folder.canonicalize().unwrap_or_else(|_| folder.into()),
                digest,
            });
        }
        let over = self.streams.len().saturating_sub(STREAMS_MAX);
        self.streams.drain(..over);
        self.write(session)
    }

    fn is_anothers(&self, name: &str, digest: &str) -> bool {
        self.streams
            .iter()
            .any(|known| known.name == name && known.digest != digest)
    }

    /// Replaces the file of a session directory atomically.
    pub(crate) fn write(&self, session: &Path) -> anyhow::Result<()> {
        let file = session.join(FILE);
        let text = serde_json::to_string_pretty(self)?;
        private::replace(&file, &[text.as_bytes()])
            .map(drop)
            .with_context(|| format!("cannot write {}", file.display()))
    }

    /// The audio file of a span, if its stream is known.
    pub(crate) fn file(&self, stream: &str, audio: &AudioSpan) -> Option<PathBuf> {
        let known = self.streams.iter().find(|known| known.name == stream)?;
        Some(known.folder.join(&audio.file))
    }
}
