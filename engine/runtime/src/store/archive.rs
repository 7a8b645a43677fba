//! Reads recorded audio: the span that a citation names.
//!
//! Takes no lock and changes nothing; audio evicted meanwhile is reported as missing, not as a disk
//! error.

use super::error::StoreError;
use super::layout::Layout;
use super::segment::{self, SAMPLES_MAX, SAMPLES_PER_MS, Segment};
use super::spool::PREFIX;
use std::path::{Path, PathBuf};
use weir_core::stream::AudioSpan;

/// The recordings of one session directory.
#[derive(Debug)]
pub struct AudioArchive {
    folder: PathBuf,
    segments: Vec<Segment>,
}

/// Whether a span is in a recording of the session, not in a file of the user's.
#[must_use]
pub fn is_recorded(audio: &AudioSpan) -> bool {
    recorded(audio).is_some()
}

pub(super) fn recorded(audio: &AudioSpan) -> Option<Segment> {
    audio.file.strip_prefix(PREFIX).and_then(Segment::named)
}

impl AudioArchive {
    /// Lists the recordings of a session directory.
    ///
    /// # Errors
    /// The folder cannot be read; a missing folder is no error.
    pub fn open(dir: &Path) -> Result<Self, StoreError> {
        let folder = Layout::of(dir).audio();
        let segments = segment::list(&folder).map_err(StoreError::file(&folder, "list it"))?;
        Ok(Self { folder, segments })
    }

    /// The samples of a span (16 kHz, one channel), continued across segments; at most ten minutes,
    /// and fewer if the recording ended.
    ///
    /// # Errors
    /// The start of the span is not kept, or a file cannot be read.
    pub fn read(&self, audio: &AudioSpan) -> Result<Vec<i16>, StoreError> {
        let missing = || StoreError::AudioMissing {
            what: audio.file.clone(),
            folder: self.folder.clone(),
        };
        let named = recorded(audio).ok_or_else(missing)?;
        let mut left = (audio.span.end_ms - audio.span.start_ms).saturating_mul(SAMPLES_PER_MS);
        left = left.min(SAMPLES_MAX);
        let mut at_ms = named.start_ms.saturating_add(audio.span.start_ms);
        let mut samples = Vec::new();
        let from = self
            .segments
            .partition_point(|known| known.ordinal < named.ordinal);
        for segment in &self.segments[from..] {
            let inside = segment.start_ms <= at_ms && at_ms < segment.end_ms();
            if segment.key != named.key || !inside || left == 0 {
                continue;
            }
            let path = self.folder.join(segment.file_name());
            let first = (at_ms - segment.start_ms) * SAMPLES_PER_MS;
            let part = match segment::read(&path, first, left) {
                Err(wrong) if wrong.kind() == std::io::ErrorKind::NotFound => break,
                part => part.map_err(StoreError::file(&path, "read audio from it"))?,
            };
            left -= part.len() as u64;
            at_ms += part.len() as u64 / SAMPLES_PER_MS;
            samples.extend(part);
        }
        match samples.is_empty() {
            // the oldest go first: newer ones are left
            true if from == 0 && !self.segments.is_empty() => Err(StoreError::AudioEvicted {
                what: audio.file.clone(),
                span: audio.span,
            }),
            true => Err(missing()),
            false => Ok(samples),
        }
    }
}

/// Samples (16 kHz, one channel) as a complete WAV file.
#[must_use]
pub fn clip_bytes(samples: &[i16]) -> Vec<u8> {
    let mut bytes = segment::head(samples.len() as u64).to_vec();
    bytes.extend(segment::bytes_of(samples));
    bytes
}
