//! Standard input with interruptible reads, for audio and for typed lines.
//!
//! A plain read of a pipe or terminal cannot be interrupted, so its thread could not be joined.
//! Here a read waits for short intervals and checks the stop request between them.

use std::io::{self, Read};
use weir_engine::pipeline::Stop;

/// Maximum delay before a stop request is seen, in nanoseconds.
#[cfg(unix)]
const PATIENCE_NS: i64 = 100_000_000;

/// Standard input; at its end, and after a stop request, a read returns no bytes.
pub(crate) struct StoppableStdin {
    stop: Stop,
}

impl StoppableStdin {
    /// Standard input that ends at `stop`.
    pub(crate) fn new(stop: Stop) -> Self {
        Self { stop }
    }
}

impl Read for StoppableStdin {
    #[cfg(unix)]
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        use rustix::event::{PollFd, PollFlags, Timespec, poll};
        let stdin = io::stdin();
        let patience = Timespec {
            tv_sec: 0,
            tv_nsec: PATIENCE_NS,
        };
        while !self.stop.is_set() {
            let mut watched = [PollFd::new(&stdin, PollFlags::IN)];
            match poll(&mut watched, Some(&patience)) {
                Ok(0) => {}
                Ok(_) => return Ok(rustix::io::read(&stdin, buffer)?),
                Err(rustix::io::Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(0)
    }

    #[cfg(not(unix))]
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.stop.is_set() {
            return Ok(0);
        }
        io::stdin().read(buffer)
    }
}
