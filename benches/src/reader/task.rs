//! A question with all data for reading it.

use crate::stream::{Probe, Stream};

/// A question.
pub(crate) struct Task<'a> {
    pub(crate) stream: &'a Stream,
    pub(crate) probe: &'a Probe,
}

impl Task<'_> {
    /// Whether the stream has no answer to it.
    pub(crate) fn is_adversarial(&self) -> bool {
        self.probe.gold.is_adversarial()
    }
}
