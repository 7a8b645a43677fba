//! The reader's view of a running device.

use std::any::Any;
use std::sync::mpsc::Receiver;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use super::ring::RingReader;

/// Most frames returned at once.
pub(super) const CHUNK_FRAMES: usize = 4_096;

/// Why a driver's callback ended its stream.
pub(super) type Failure = Arc<Mutex<Option<String>>>;

/// A running device.
pub(super) struct Running {
    /// Keeps the callback alive.
    pub(super) _stream: Box<dyn Any + Send>,
    pub(super) ring: RingReader,
    /// One notification for each block, so that the reader can wait.
    pub(super) arrived: Receiver<()>,
    pub(super) failure: Failure,
    pub(super) last_sound: Instant,
}

impl Running {
    pub(super) fn new(
        stream: Box<dyn Any + Send>,
        ring: RingReader,
        arrived: Receiver<()>,
        failure: Failure,
    ) -> Self {
        Self {
            _stream: stream,
            ring,
            arrived,
            failure,
            last_sound: Instant::now(),
        }
    }
}
