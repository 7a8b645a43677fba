//! The process that has a session open lets others change it.

use crate::pipeline::{PipelineError, SessionHandle, Stop, Worker};
use std::path::{Path, PathBuf};

/// A socket that is served until this is dropped.
pub struct Control {
    socket: PathBuf,
    stop: Stop,
    /// Dropping it joins it.
    worker: Option<Worker<()>>,
}

#[cfg(unix)]
mod unix {
    use super::Control;
    use crate::control::wire::{self, api_failure};
    use crate::control::{LINE_BYTES_MAX, SOCKET};
    use crate::pipeline::{PipelineError, ServiceError, SessionHandle, Stop, Worker};
    use std::fs::Permissions;
    use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
    use std::os::unix::fs::PermissionsExt as _;
    use std::os::unix::net::{UnixListener, UnixStream};
    use std::path::Path;
    use std::time::{Duration, Instant};
    use weir_api::{Reply, Request};

    /// How often it looks for clients.
    const LOOK_EVERY: Duration = Duration::from_millis(50);
    /// How long a client may take to send its line, or to read the reply.
    const CLIENT_LIMIT: Duration = Duration::from_secs(5);

    pub(super) fn serve(
        dir: &Path,
        session: SessionHandle,
    ) -> Result<io::Result<Control>, PipelineError> {
        let socket = dir.join(SOCKET);
        let listener = match bind(&socket) {
            Ok(listener) => listener,
            Err(error) => return Ok(Err(error)),
        };
        let stop = Stop::default();
        let ends = stop.clone();
        let worker = Worker::spawn("control", move || {
            while ends.wait_until(Instant::now() + LOOK_EVERY) {
                while let Ok((client, _)) = listener.accept() {
                    if let Err(error) = answer(&client, &session) {
                        log::info!("a client of the control socket: {error}");
                    }
                }
            }
            Ok(())
        })?;
        Ok(Ok(Control {
            socket,
            stop,
            worker: Some(worker),
        }))
    }

    /// Binds the socket. The writer's lock is held, so a socket of that name is a dead process's.
    fn bind(socket: &Path) -> io::Result<UnixListener> {
        match std::fs::remove_file(socket) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let listener = UnixListener::bind(socket)?;
        std::fs::set_permissions(socket, Permissions::from_mode(0o600))?;
        listener.set_nonblocking(true)?;
        Ok(listener)
    }

    fn answer(client: &UnixStream, session: &SessionHandle) -> io::Result<()> {
        client.set_nonblocking(false)?;
        client.set_read_timeout(Some(CLIENT_LIMIT))?;
        client.set_write_timeout(Some(CLIENT_LIMIT))?;
        let mut line = String::new();
        BufReader::new(client.take(LINE_BYTES_MAX)).read_line(&mut line)?;
        let reply = reply(&line, session);
        let mut text = serde_json::to_string(&reply).map_err(io::Error::other)?;
        text.push('\n');
        let mut client = client;
        client.write_all(text.as_bytes())
    }

    fn reply(line: &str, session: &SessionHandle) -> Reply {
        match serde_json::from_str::<Request>(line) {
            Ok(request) => wire::reply(request, session),
            Err(error) => Reply::Failed(api_failure(&ServiceError::Malformed {
                why: format!("not a request: {error}"),
            })),
        }
    }
}

impl Drop for Control {
    /// Waits for a request that is being carried out.
    fn drop(&mut self) {
        self.end();
        self.worker = None;
    }
}

impl Control {
    /// Serves nobody from now on, and waits for nobody: call it before the session is closed, so
    /// that the next process can serve its own socket.
    pub fn end(&self) {
        if !self.stop.is_set() {
            self.stop.set();
            // a socket that is left is removed by the next process
            let _ = std::fs::remove_file(&self.socket);
        }
    }

    /// Serves the socket of a session that this process has open. `Ok(Err(_))` says why it cannot
    /// be served: the folder's path is too long for a socket, or its file system has none. The
    /// session works without it.
    ///
    /// # Errors
    /// [`PipelineError::Spawn`].
    pub fn serve(
        dir: &Path,
        session: SessionHandle,
    ) -> Result<std::io::Result<Self>, PipelineError> {
        #[cfg(unix)]
        return unix::serve(dir, session);
        #[cfg(not(unix))]
        {
            let _ = (dir, session);
            let none = std::io::ErrorKind::Unsupported;
            Ok(Err(std::io::Error::from(none)))
        }
    }
}
