//! A device that runs, as its reader sees it.

use std::any::Any;
use std::sync::mpsc::Receiver;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use super::ring::RingReader;

/// Most frames handed out at once.
pub(super) const CHUNK_FRAMES: usize = 4_096;

/// What a driver's callback says when its stream ends.
pub(super) type Failure = Arc<Mutex<Option<String>>>;

/// A running device.
pub(super) struct Running {
    /// Keeps the callback alive.
    pub(super) _stream: Box<dyn Any + Send>,
    pub(super) ring: RingReader,
    /// A word for each block that came, so that the reader can wait.
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
