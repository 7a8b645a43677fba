//! When accepted inputs are committed and a snapshot is made: the rule, as a value; the pipeline
//! keeps the clock.

use weir_core::limits;

/// Groups inputs into commits, so that a disk that syncs slowly does not slow a fast replay.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CommitPolicy {
    /// The oldest waiting input waits no longer than this.
    pub every_ms: u64,
    /// This many waiting inputs do not wait.
    pub entries_max: usize,
    /// Journal entries after which a snapshot is due, should the writer not find it due before.
    pub snapshot_entries_max: u64,
}

impl Default for CommitPolicy {
    fn default() -> Self {
        Self {
            every_ms: limits::COMMIT_EVERY_MS,
            entries_max: limits::COMMIT_ENTRIES_MAX,
            snapshot_entries_max: limits::JOURNAL_ENTRIES_MAX,
        }
    }
}

impl CommitPolicy {
    /// Whether `waiting` inputs, the oldest of them `oldest_ms` old, are due.
    #[must_use]
    pub fn due(&self, waiting: usize, oldest_ms: u64) -> bool {
        waiting > 0 && (waiting >= self.entries_max || oldest_ms >= self.every_ms)
    }
}
