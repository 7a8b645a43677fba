//! Standard input whose waiting ends when it should: as sound, and as typed lines.
//!
//! A plain read of a pipe or terminal cannot be interrupted, so a thread in it could not be joined.
//! Here a read waits a moment at a time and looks at the request to stop in between.

use std::io::{self, Read};
use weir_engine::pipeline::Stop;

/// Longest time a request to stop goes unseen, in nanoseconds.
#[cfg(unix)]
const PATIENCE_NS: i64 = 100_000_000;

/// Standard input; at its end, and when asked to stop, a read gives nothing.
pub(super) struct StoppableStdin {
    stop: Stop,
}

impl StoppableStdin {
    /// Standard input until `stop`.
    pub(super) fn new(stop: Stop) -> Self {
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
