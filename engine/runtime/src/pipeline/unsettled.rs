//! How much audio was captured but not yet recognised.

use super::overflow::OverflowQueue;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use weir_asr::SampleSpan;

/// Counter of audio captured but not yet recognised; clones share it.
#[derive(Clone)]
pub struct Unsettled {
    pub(super) capture: OverflowQueue,
    pub(super) planes: u16,
    /// Samples per channel in segments that are open or wait for the model.
    pub(super) open: Arc<AtomicU64>,
}

impl Unsettled {
    /// The amount in milliseconds.
    #[must_use]
    pub fn ms(&self) -> u64 {
        let queued = self.capture.waiting() / u64::from(self.planes.max(1));
        SampleSpan::new(0, queued + self.open.load(Ordering::Relaxed)).len_ms()
    }
}
