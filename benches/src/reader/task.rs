//! A question with all data for reading it.

use crate::stream::{Probe, Stream};

/// A question.
pub(super) struct Task<'a> {
    pub(super) stream: &'a Stream,
    pub(super) probe: &'a Probe,
}

impl Task<'_> {
    /// Whether the stream has no answer to it.
    pub(super) fn is_adversarial(&self) -> bool {
        self.probe.gold.is_adversarial()
    }
}
