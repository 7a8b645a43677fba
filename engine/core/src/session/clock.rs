//! The clock of a session.

use crate::stream::StreamStart;
use serde::{Deserialize, Serialize};

/// The session's clock, and its relation to wall time.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(super) struct SessionClock {
    pub(super) stream: Option<StreamStart>,
    /// Session time of time 0 of the current stream.
    pub(super) base_ms: u64,
    /// Largest end heard, in session time.
    pub(super) now_ms: u64,
    /// Stream time and the Unix time that belongs to it, from the last start or break.
    anchor: Option<(u64, i64)>,
}

impl SessionClock {
    pub(super) fn begin(&mut self, start: &StreamStart) {
        self.base_ms = self.now_ms;
        self.anchor = start.started_at_unix_ms.map(|unix_ms| (0, unix_ms));
        self.stream = Some(start.clone());
    }

    pub(super) fn resume(&mut self, unix_ms: Option<i64>) {
        let stream_ms = self.now_ms - self.base_ms;
        self.anchor = unix_ms.map(|unix_ms| (stream_ms, unix_ms));
    }

    pub(super) fn wall(&self, stream_ms: u64) -> Option<i64> {
        let (anchor_ms, unix_ms) = self.anchor?;
        let since = i64::try_from(stream_ms).ok()? - i64::try_from(anchor_ms).ok()?;
        unix_ms.checked_add(since)
    }
}
