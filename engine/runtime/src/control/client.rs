//! Asks the process that has a session open to change it, to hear, or to be watched.

use std::io;
use std::path::Path;
use std::time::Duration;
use weir_api::{Answered, Asked, Change, Changed, Failure, Heard, Reply, Request, Said};

/// A process that is silent for so long hangs.
#[cfg(unix)]
const PULSE_WITHIN: Duration = Duration::from_secs(5);

/// Why another process did not change the session.
#[derive(Debug, thiserror::Error)]
pub enum ControlError {
    /// No process answers at the session's socket.
    #[error("the process that has the session open does not answer: {0}")]
    Io(#[from] io::Error),
    /// It refused.
    #[error("{}", .0.message)]
    Refused(Failure),
}

/// A process that has a session open.
#[derive(Debug)]
pub struct Client {
    #[cfg(unix)]
    stream: std::os::unix::net::UnixStream,
}

impl Client {
    /// Connects to the process that has the session in a folder open.
    ///
    /// # Errors
    /// [`ControlError::Io`]: nobody serves it.
    #[cfg(unix)]
    pub fn connect(dir: &Path) -> Result<Self, ControlError> {
        let stream = std::os::unix::net::UnixStream::connect(dir.join(super::SOCKET))?;
        Ok(Self { stream })
    }

    /// On this system nobody serves it.
    ///
    /// # Errors
    /// Always.
    #[cfg(not(unix))]
    pub fn connect(_dir: &Path) -> Result<Self, ControlError> {
        Err(io::Error::from(io::ErrorKind::Unsupported).into())
    }

    /// Has it carry out a change, and waits until that is durable.
    ///
    /// # Errors
    /// [`ControlError`].
    pub fn change(self, change: Change) -> Result<Changed, ControlError> {
        let request = Request {
            change: Some(change),
            ..Request::default()
        };
        match self.exchange(&request)? {
            Reply::Changed(changed) => Ok(*changed),
            reply => Err(other(&reply)),
        }
    }

    /// Has it hear talk, and waits until that is durable. Of talk that is not begun within `limit`,
    /// nothing is heard; what comes again with its key is heard once.
    ///
    /// # Errors
    /// [`ControlError`].
    pub fn hear(
        self,
        said: Vec<Said>,
        key: Option<String>,
        limit: Duration,
    ) -> Result<Heard, ControlError> {
        let request = Request {
            hear: Some(said),
            within_ms: Some(u64::try_from(limit.as_millis()).unwrap_or(u64::MAX)),
            key,
            ..Request::default()
        };
        match self.exchange(&request)? {
            Reply::Heard(heard) => Ok(heard),
            reply => Err(other(&reply)),
        }
    }

    /// Has it answer a question, and waits for the answer.
    ///
    /// # Errors
    /// [`ControlError`].
    pub fn ask(self, asked: Asked) -> Result<Answered, ControlError> {
        let request = Request {
            ask: Some(asked),
            ..Request::default()
        };
        match self.exchange(&request)? {
            Reply::Answered(answered) => Ok(*answered),
            reply => Err(other(&reply)),
        }
    }

    /// Watches the session: gives replies to `tell` until that returns false or the session is
    /// closed. A pulse comes about once a second.
    ///
    /// # Errors
    /// [`ControlError`]. It is one too if no pulse comes for five seconds.
    #[cfg(unix)]
    pub fn watch(self, tell: &mut dyn FnMut(Reply) -> bool) -> Result<(), ControlError> {
        use io::{BufRead as _, BufReader, Read as _};
        let request = Request {
            watch: true,
            ..Request::default()
        };
        self.send(&request)?;
        self.stream.set_read_timeout(Some(PULSE_WITHIN))?;
        let mut replies = BufReader::new(&self.stream);
        let mut line = String::new();
        loop {
            line.clear();
            let read = (&mut replies)
                .take(super::LINE_BYTES_MAX)
                .read_line(&mut line)?;
            if read == 0 {
                return Ok(());
            }
            match serde_json::from_str(&line).map_err(io::Error::other)? {
                Reply::Failed(failure) => return Err(ControlError::Refused(failure)),
                reply => {
                    if !tell(reply) {
                        return Ok(());
                    }
                }
            }
        }
    }

    /// On this system nobody serves it.
    ///
    /// # Errors
    /// Always.
    #[cfg(not(unix))]
    pub fn watch(self, _tell: &mut dyn FnMut(Reply) -> bool) -> Result<(), ControlError> {
        Err(io::Error::from(io::ErrorKind::Unsupported).into())
    }

    #[cfg(unix)]
    fn send(&self, request: &Request) -> Result<(), ControlError> {
        use io::Write as _;
        let mut line = serde_json::to_string(request).map_err(io::Error::other)?;
        line.push('\n');
        Ok((&self.stream).write_all(line.as_bytes())?)
    }

    #[cfg(unix)]
    fn exchange(self, request: &Request) -> Result<Reply, ControlError> {
        use io::{BufRead as _, BufReader, Read as _};
        self.send(request)?;
        let mut reply = String::new();
        let stream = (&self.stream).take(super::LINE_BYTES_MAX);
        BufReader::new(stream).read_line(&mut reply)?;
        match serde_json::from_str(&reply).map_err(io::Error::other)? {
            Reply::Failed(failure) => Err(ControlError::Refused(failure)),
            reply => Ok(reply),
        }
    }

    #[cfg(not(unix))]
    fn exchange(self, _request: &Request) -> Result<Reply, ControlError> {
        Err(io::Error::from(io::ErrorKind::Unsupported).into())
    }
}

/// A reply to another request than the one that was sent.
fn other(reply: &Reply) -> ControlError {
    io::Error::other(format!("{reply:?} replies to another request")).into()
}
