//! How much sound was taken in and is not recognised yet.

use super::overflow::OverflowQueue;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use weir_asr::SampleSpan;

/// Sound that was taken in and is not recognised yet; cloning shares it.
#[derive(Clone)]
pub struct Unsettled {
    pub(super) capture: OverflowQueue,
    pub(super) planes: u16,
    /// Samples of a channel that were cut and wait for the model, or are being cut.
    pub(super) open: Arc<AtomicU64>,
}

impl Unsettled {
    /// Milliseconds of it.
    #[must_use]
    pub fn ms(&self) -> u64 {
        let queued = self.capture.waiting() / u64::from(self.planes.max(1));
        SampleSpan::new(0, queued + self.open.load(Ordering::Relaxed)).len_ms()
    }
}
