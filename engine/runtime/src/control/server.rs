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
    use crate::pipeline::{Closed, PipelineError, ServiceError, SessionHandle, Stop, Worker};
    use std::fs::Permissions;
    use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
    use std::os::unix::fs::PermissionsExt as _;
    use std::os::unix::net::{UnixListener, UnixStream};
    use std::path::Path;
    use std::time::{Duration, Instant};
    use weir_api::{ErrorClass, Failure, Reply, Request};

    /// How often it looks for clients.
    const LOOK_EVERY: Duration = Duration::from_millis(50);
    /// How long a client may take to send its line, or to read the reply.
    const CLIENT_LIMIT: Duration = Duration::from_secs(5);
    /// How long a client that watches may take to read a reply: the end of the session waits.
    const WATCHER_LIMIT: Duration = Duration::from_secs(1);
    /// Clients that watch or wait for an answer, at a time.
    const GUESTS_MAX: usize = 16;

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
            let mut guests: Vec<Worker<()>> = Vec::new();
            while ends.wait_until(Instant::now() + LOOK_EVERY) {
                while let Ok((client, _)) = listener.accept() {
                    guests.retain(|it| !it.is_finished());
                    match answer(client, &session, &ends, guests.len() < GUESTS_MAX) {
                        Ok(guest) => guests.extend(guest),
                        Err(error) => log::info!("a client of the control socket: {error}"),
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

    /// Replies to a client, or has a thread of its own do so: a change waits for no answer.
    fn answer(
        client: UnixStream,
        session: &SessionHandle,
        ends: &Stop,
        has_room: bool,
    ) -> io::Result<Option<Worker<()>>> {
        client.set_nonblocking(false)?;
        client.set_read_timeout(Some(CLIENT_LIMIT))?;
        client.set_write_timeout(Some(CLIENT_LIMIT))?;
        let mut line = String::new();
        BufReader::new((&client).take(LINE_BYTES_MAX)).read_line(&mut line)?;
        let request = match serde_json::from_str::<Request>(&line) {
            Ok(request) => request,
            Err(error) => {
                let why = format!("not a request: {error}");
                let refused = ServiceError::Malformed { why };
                write(&client, &Reply::Failed(api_failure(&refused)))?;
                return Ok(None);
            }
        };
        if !request.watch && request.ask.is_none() {
            write(&client, &wire::reply(request, session))?;
            return Ok(None);
        }
        if !has_room {
            let full = Failure {
                class: ErrorClass::Busy,
                message: format!("{GUESTS_MAX} clients watch or ask already; try again later"),
            };
            write(&client, &Reply::Failed(full))?;
            return Ok(None);
        }
        let (session, ends) = (session.clone(), ends.clone());
        let guest = Worker::spawn("control-guest", move || {
            let done = match request.watch {
                true => watch(&client, &session, &ends),
                false => write(&client, &wire::reply(request, &session)),
            };
            if let Err(error) = done {
                log::info!("a client of the control socket: {error}");
            }
            Ok(())
        });
        guest.map(Some).map_err(io::Error::other)
    }

    /// Sends what happens until the session is closed or the client is gone.
    fn watch(client: &UnixStream, session: &SessionHandle, ends: &Stop) -> io::Result<()> {
        client.set_write_timeout(Some(WATCHER_LIMIT))?;
        let mut watch = session.watch();
        while !ends.is_set() {
            match watch.next_reply() {
                Ok(Some(reply)) => write(client, &reply)?,
                Ok(None) => {}
                Err(Closed) => break,
            }
        }
        Ok(())
    }

    fn write(mut client: &UnixStream, reply: &Reply) -> io::Result<()> {
        let mut text = serde_json::to_string(reply).map_err(io::Error::other)?;
        text.push('\n');
        client.write_all(text.as_bytes())
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
