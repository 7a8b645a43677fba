//! How far an input was fed into a session, so that a replay that was killed goes on there.

use serde::{Deserialize, Serialize};

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
