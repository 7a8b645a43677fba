//! How much audio was captured but not yet recognised.

use crate::pipeline::hearing::overflow::OverflowQueue;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use weir_asr::SampleSpan;

/// Counter of audio captured but not yet recognised; clones share it.
#[derive(Clone)]
pub struct Unsettled {
    pub(crate) capture: OverflowQueue,
    pub(crate) planes: u16,
    /// Samples per channel in segments that are open or wait for the model.
    pub(crate) open: Arc<AtomicU64>,
}

impl Unsettled {
    /// The amount in milliseconds.
    #[must_use]
    pub fn ms(&self) -> u64 {
        SampleSpan::new(0, self.queued() + self.open.load(Ordering::Relaxed)).len_ms()
    }

    /// The part in milliseconds that nobody looked at yet: how far recognition lags.
    #[must_use]
    pub fn lag_ms(&self) -> u64 {
        SampleSpan::new(0, self.queued()).len_ms()
    }

    /// Whether it is the same counter.
    pub(crate) fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.open, &other.open)
    }

    /// Samples per channel in the queue.
    fn queued(&self) -> u64 {
        self.capture.waiting() / u64::from(self.planes.max(1))
    }
}
