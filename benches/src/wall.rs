//! Wall time along a stream: it counts on from the header and from each break.

use crate::stream::{Stream, Turn};

/// Wall time along a stream, driven item by item.
#[derive(Debug, Clone)]
pub struct Wall {
    /// Stream time and the wall time of it.
    from: (u64, Option<i64>),
    end_ms: u64,
}

impl Wall {
    /// At the beginning of a stream.
    #[must_use]
    pub fn new(stream: &Stream) -> Self {
        Self {
            from: (0, stream.started_at_unix_ms),
            end_ms: 0,
        }
    }

    /// A turn was said.
    pub fn pass(&mut self, turn: &Turn) {
        self.end_ms = self.end_ms.max(turn.span.end_ms);
    }

    /// The recording pauses, and goes on at that wall time.
    pub fn pause(&mut self, resumes_at_unix_ms: Option<i64>) {
        self.from = (self.end_ms, resumes_at_unix_ms);
    }

    /// Wall time in Unix milliseconds of a time of the stream; `None` where unknown.
    #[must_use]
    pub fn at(&self, stream_ms: u64) -> Option<i64> {
        let since = stream_ms as i64 - self.from.0 as i64;
        self.from.1.map(|from| from + since)
    }
}
