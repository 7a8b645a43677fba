//! The inputs of a replay: what they are, and where an earlier replay left them.

use crate::store::InputProgress;
use jiff::tz::TimeZone;
use std::path::PathBuf;

/// One input of a replay.
#[derive(Debug, Clone)]
pub struct ReplayInput {
    /// Its path.
    pub path: PathBuf,
    /// Name of its stream.
    pub stream: String,
    /// Its kind.
    pub kind: InputKind,
    /// Its length in milliseconds of stream time, if known; used for progress only.
    pub len_ms: Option<u64>,
    /// Where to resume, if the session holds the beginning of it.
    pub resume: Option<Resume>,
}

/// Where to resume an input that an earlier replay left midway.
#[derive(Debug, Clone)]
pub struct Resume {
    /// The part that the session holds.
    pub progress: InputProgress,
    /// Whether its stream is the session's last one; then it continues without a beginning.
    pub running: bool,
}

/// Kind of an input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum InputKind {
    /// A stream file.
    Stream {
        /// Wall time of its beginning, in Unix milliseconds.
        started_at_unix_ms: Option<i64>,
        /// The time zone of its questions; `None` for UTC.
        zone: Option<TimeZone>,
    },
    /// A recording with unknown speakers.
    Audio {
        /// The file's name in citations.
        named: String,
    },
}
