//! The keyboard of the picture, and whether its terminal is still there.

use ratatui::crossterm::event;
use std::io;
use std::time::Duration;

/// The keyboard of the terminal.
///
/// crossterm would never come back from reading a terminal that is gone, so it is asked only while
/// the terminal is there.
pub(super) struct Keyboard {
    #[cfg(unix)]
    terminal: std::os::fd::OwnedFd,
}

impl Keyboard {
    /// The one that crossterm reads: standard input, or where that is none, the terminal of the
    /// process.
    #[cfg(unix)]
    pub(super) fn open() -> io::Result<Self> {
        use std::io::IsTerminal as _;
        use std::os::fd::AsFd as _;
        let stdin = io::stdin();
        let terminal = match stdin.is_terminal() {
            true => stdin.as_fd().try_clone_to_owned()?,
            false => std::fs::File::open("/dev/tty")?.into(),
        };
        Ok(Self { terminal })
    }

    #[cfg(not(unix))]
    pub(super) fn open() -> io::Result<Self> {
        Ok(Self {})
    }

    /// Whether a key or a new size of the terminal can be read; waits so long for one.
    ///
    /// # Errors
    /// The terminal is gone, or cannot be read.
    #[cfg(unix)]
    pub(super) fn has_event(&self, within: Duration) -> io::Result<bool> {
        use rustix::event::{PollFd, PollFlags, Timespec, poll};
        let limit = Timespec {
            tv_sec: 0,
            tv_nsec: within.subsec_nanos().into(),
        };
        let mut watched = [PollFd::new(&self.terminal, PollFlags::IN)];
        match poll(&mut watched, Some(&limit)) {
            // a signal may tell of a new size
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        let told = watched[0].revents();
        if told.intersects(PollFlags::HUP | PollFlags::ERR) {
            return Err(io::Error::new(io::ErrorKind::BrokenPipe, "it is gone"));
        }
        // some systems cannot poll a terminal; crossterm waits there
        let is_unknown = told.contains(PollFlags::NVAL);
        event::poll(if is_unknown { within } else { Duration::ZERO })
    }

    #[cfg(not(unix))]
    pub(super) fn has_event(&self, within: Duration) -> io::Result<bool> {
        event::poll(within)
    }
}
