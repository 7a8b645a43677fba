//! The transcript: the text of every utterance, kept on disk apart from memory.
//!
//! Lines are looked up by turn, the number of an utterance in the whole session, from 0. All lines
//! are gone through, newest first, only where memory has no answer (`scan`). One writer appends;
//! readers in other processes take no lock. Every line returned has passed a checksum.
//!
//! # Format
//!
//! A folder holds segments of two files each. Their name is the segment's first turn in 20 digits.
//! Numbers are little-endian.
//!
//! ```text
//! 00000000000000000000.lines   header, then records
//! 00000000000000000000.index   header, then 8 bytes for each turn from the first on
//!
//! header   magic (8 bytes: WEIRLINE or WEIRTIDX), format u32 = 1, first turn u64
//! entry    offset of the record in `.lines` u32, its length u32; length 0 is a gap
//! record   CRC32 of the rest u32, turn u64, the line in postcard's encoding, then its place
//!          likewise, which records of earlier builds lack
//! ```
//!
//! A turn is in the segment with the greatest first turn that is not above it. It has no text (a
//! gap) when its entry has length 0 or when the index ends before it: its line could not be
//! written, or was erased. The turns below the first segment were evicted. An index that is missing
//! or does not name all records is made anew from them. A segment whose lines cannot be read gets
//! `.damaged` added to its names; an empty segment takes its place, so that its turns are gaps.
//!
//! postcard does not store field names: other fields in [`Line`] are another format.
//!
//! # Limit
//!
//! A new segment begins at a sixteenth of the limit (between 64 KiB and 16 MiB). Before bytes are
//! written, files set aside and then whole oldest segments are deleted until records and indexes
//! fit the limit, so the total file length never exceeds it. Only the two headers of a new segment
//! (40 bytes) may exceed it until the previous segment is deleted.

mod disk;
mod erase;
mod exchange;
mod index;
mod reader;
mod recover;
mod scan;
mod segment;
mod writer;

#[cfg(test)]
mod fault_tests;
#[cfg(test)]
mod oracle_tests;
#[cfg(test)]
mod test_disk;
#[cfg(test)]
mod tests;

pub use exchange::ExchangeError;
pub use index::{damaged_indexes, lost_lines};
pub use reader::TranscriptReader;
pub use writer::TranscriptWriter;

use super::error::StoreError;
use super::layout::Layout;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use weir_core::limits::{TRANSCRIPT_BYTES_MAX, TRANSCRIPT_BYTES_MIN};
use weir_core::stream::Utterance;
use weir_core::transcript::Place;

/// One utterance as it was heard.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Line {
    /// The stream it came from.
    pub stream: String,
    /// Its id in the stream.
    pub utterance: String,
    /// The speaker, if known.
    pub speaker: Option<String>,
    /// Its start in session time.
    pub start_ms: u64,
    /// Wall time of its start, if known: milliseconds since 1970, UTC.
    pub said_at_unix_ms: Option<i64>,
    /// Its text.
    pub text: String,
    /// Its place in its stream and its recording; `None` in lines of earlier builds. It stands
    /// behind the others.
    #[serde(skip)]
    pub place: Option<Place>,
}

impl Line {
    /// The line of an utterance, with its start in session time and wall time.
    #[must_use]
    pub fn of(said: &Utterance, start_ms: u64, said_at_unix_ms: Option<i64>) -> Self {
        Self {
            stream: said.stream.clone(),
            utterance: said.id.clone(),
            speaker: said.speaker.clone(),
            start_ms,
            said_at_unix_ms,
            text: said.text.clone(),
            place: Some(Place::of(said)),
        }
    }
}

/// Statistics of a transcript.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TranscriptStats {
    /// Bytes on disk: records, indexes and files set aside.
    pub bytes: u64,
    /// Lines on disk that can be looked up.
    pub utterances: u64,
    /// Turns whose segments were deleted to make space.
    pub evicted: u64,
    /// Later turns without a line: not written, damaged or erased.
    pub gaps: u64,
    /// The limit of `bytes`; 0 keeps no transcript.
    pub limit_bytes: u64,
}

/// The folder of the transcript in a session directory.
#[must_use]
pub fn transcript_folder(dir: &Path) -> PathBuf {
    Layout::of(dir).transcript()
}

/// Checks a limit before a transcript is opened with it.
///
/// # Errors
/// It is neither 0 nor in range.
pub fn check_transcript_limit(bytes: u64) -> Result<(), StoreError> {
    match bytes {
        0 | TRANSCRIPT_BYTES_MIN..=TRANSCRIPT_BYTES_MAX => Ok(()),
        _ => Err(StoreError::TranscriptLimit {
            bytes,
            min: TRANSCRIPT_BYTES_MIN,
            max: TRANSCRIPT_BYTES_MAX,
        }),
    }
}
