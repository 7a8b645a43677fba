//! When accepted inputs are committed and a snapshot is made: the rule as a value; the pipeline
//! keeps the clock.

use weir_core::limits;

/// Groups inputs into commits, so that a slow sync does not slow down a fast replay.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CommitPolicy {
    /// Maximum waiting time of the oldest input.
    pub every_ms: u64,
    /// Number of waiting inputs that triggers a commit.
    pub entries_max: usize,
    /// Number of journal entries that triggers a snapshot, unless the writer needs one earlier.
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
    /// Whether `waiting` inputs must be committed; the oldest of them is `oldest_ms` old.
    #[must_use]
    pub fn due(&self, waiting: usize, oldest_ms: u64) -> bool {
        waiting > 0 && (waiting >= self.entries_max || oldest_ms >= self.every_ms)
    }
}
