//! A question with all that is read for it.

use crate::stream::{Probe, Stream};

/// A question.
pub(super) struct Task<'a> {
    pub(super) stream: &'a Stream,
    pub(super) probe: &'a Probe,
}

impl Task<'_> {
    /// Whether nothing that was said answers it.
    pub(super) fn is_adversarial(&self) -> bool {
        self.probe.gold.is_adversarial()
    }
}
