//! Asks the process that has a session open to change it.

use std::io;
use std::path::Path;
use weir_api::{Changed, Failure, Request};

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

    /// Has it carry out a request, and waits until that is durable.
    ///
    /// # Errors
    /// [`ControlError`].
    #[cfg(unix)]
    pub fn change(self, request: &Request) -> Result<Changed, ControlError> {
        use io::{BufRead as _, BufReader, Read as _, Write as _};
        use weir_api::Reply;
        let mut line = serde_json::to_string(request).map_err(io::Error::other)?;
        line.push('\n');
        let mut stream = &self.stream;
        stream.write_all(line.as_bytes())?;
        let mut reply = String::new();
        BufReader::new(stream.take(super::LINE_BYTES_MAX)).read_line(&mut reply)?;
        match serde_json::from_str(&reply).map_err(io::Error::other)? {
            Reply::Changed(changed) => Ok(*changed),
            Reply::Failed(failure) => Err(ControlError::Refused(failure)),
        }
    }

    /// Nothing can be asked.
    ///
    /// # Errors
    /// Always.
    #[cfg(not(unix))]
    pub fn change(self, _request: &Request) -> Result<Changed, ControlError> {
        Err(io::Error::from(io::ErrorKind::Unsupported).into())
    }
}
