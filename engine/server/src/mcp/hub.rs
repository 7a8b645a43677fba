//! One process serves the sessions of a data folder to all clients of the protocol: `weir serve`
//! where it runs, else the `weir mcp` that was started first. The others pass their messages on.
//!
//! The hub holds a lock in the data folder and listens on a socket there. Who connects sends one
//! line: the session that it means, or that the hub shall leave its place to a server. Invariant:
//! who holds the lock binds the socket, so a socket that is there before is a dead process's.

use super::tools::Tools;
use crate::sessions::SessionName;
use crate::state::Shared;
use rmcp::ServiceExt as _;
use serde::{Deserialize, Serialize};
use std::fs::{File, OpenOptions, Permissions, TryLockError};
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use weir_engine::private;

const SOCKET: &str = "mcp.sock";
const LOCK: &str = "mcp.lock";
/// Longest first line in bytes.
const GREETING_BYTES_MAX: u64 = 1_024;
/// Time for the first line.
const GREETING_WITHIN: Duration = Duration::from_secs(5);
/// Clients at the same time; further ones wait.
const CLIENTS_MAX: usize = 64;
/// How long a server waits for its place.
const PLACE_WITHIN: Duration = Duration::from_secs(5);
const LOOK_EVERY: Duration = Duration::from_millis(50);
/// Wait after the system refused a connection, for want of descriptors for example.
const REFUSED_WAIT: Duration = Duration::from_millis(100);

/// The first line of a client.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Greeting {
    /// The messages behind it are for this session.
    Session(String),
    /// A server wants the place of the hub.
    Leave,
}

/// The place of the hub of a data folder.
pub(crate) struct Hub {
    listener: UnixListener,
    socket: PathBuf,
    _lock: File,
}

impl Hub {
    /// Takes the place; `None` if another process has it.
    pub(super) fn take(data: &Path) -> io::Result<Option<Self>> {
        let mut options = OpenOptions::new();
        options.write(true).create(true);
        let lock = private::open(&data.join(LOCK), &mut options)?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Ok(None),
            Err(TryLockError::Error(error)) => return Err(error),
        }
        let socket = data.join(SOCKET);
        match std::fs::remove_file(&socket) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let listener = UnixListener::bind(&socket)?;
        std::fs::set_permissions(&socket, Permissions::from_mode(0o600))?;
        Ok(Some(Self {
            listener,
            socket,
            _lock: lock,
        }))
    }

    /// Takes the place for a server: a hub that is no server leaves it. `None` if it did not in
    /// time, or is a server.
    pub(crate) async fn take_over(data: &Path) -> io::Result<Option<Self>> {
        let taken = async {
            loop {
                if let Some(hub) = Self::take(data)? {
                    return Ok(hub);
                }
                // asked each time: another one may have taken the place meanwhile
                if let Ok(mut stream) = UnixStream::connect(data.join(SOCKET)).await {
                    stream.write_all(&line(&Greeting::Leave)?).await?;
                }
                tokio::time::sleep(LOOK_EVERY).await;
            }
        };
        let within = tokio::time::timeout(PLACE_WITHIN, taken);
        within.await.ok().transpose()
    }

    /// Serves clients. Returns when a server wants the place, if `may_leave`.
    pub(crate) async fn serve(&self, shared: &Arc<Shared>, may_leave: bool) {
        let clients = Arc::new(Semaphore::new(CLIENTS_MAX));
        let (leaving, mut asked) = tokio::sync::mpsc::channel::<()>(1);
        // who leaves the place ends their connections: they find the next hub
        let mut talks = JoinSet::new();
        loop {
            let Ok(permit) = Arc::clone(&clients).acquire_owned().await else {
                return;
            };
            let stream = tokio::select! {
                accepted = self.listener.accept() => match accepted {
                    Ok((stream, _)) => stream,
                    Err(error) => {
                        log::warn!("a client of the protocol: {error}");
                        tokio::time::sleep(REFUSED_WAIT).await;
                        continue;
                    }
                },
                _ = asked.recv(), if may_leave => return,
                Some(_) = talks.join_next() => continue,
            };
            let (shared, leaving) = (Arc::clone(shared), leaving.clone());
            talks.spawn(async move {
                let _permit = permit;
                match converse(stream, shared).await {
                    Ok(Greeting::Leave) => drop(leaving.try_send(())),
                    Ok(Greeting::Session(_)) => {}
                    Err(error) => log::info!("a client of the protocol left: {error}"),
                }
            });
        }
    }
}

impl Drop for Hub {
    fn drop(&mut self) {
        // while the lock is held, nobody else has bound it
        let _ = std::fs::remove_file(&self.socket);
    }
}

/// Serves a client until it leaves; returns what it wanted.
async fn converse(stream: UnixStream, shared: Arc<Shared>) -> io::Result<Greeting> {
    let (read, write) = stream.into_split();
    let mut read = BufReader::new(read);
    let mut first = String::new();
    let mut limited = (&mut read).take(GREETING_BYTES_MAX);
    let got = tokio::time::timeout(GREETING_WITHIN, limited.read_line(&mut first)).await;
    got.map_err(|_| io::ErrorKind::TimedOut)??;
    let greeting = serde_json::from_str(&first)?;
    if let Greeting::Session(name) = &greeting {
        let name: SessionName = name.parse().map_err(io::Error::other)?;
        let tools = Tools::new(shared, Some(name));
        let serving = tools.serve((read, write)).await.map_err(io::Error::other)?;
        serving.waiting().await.map_err(io::Error::other)?;
    }
    Ok(greeting)
}

/// A connection to the hub of a data folder, for a session.
pub(super) async fn connect(data: &Path, session: &SessionName) -> io::Result<UnixStream> {
    let mut stream = UnixStream::connect(data.join(SOCKET)).await?;
    let greeting = Greeting::Session(session.to_string());
    stream.write_all(&line(&greeting)?).await?;
    Ok(stream)
}

fn line(greeting: &Greeting) -> io::Result<Vec<u8>> {
    let mut line = serde_json::to_vec(greeting)?;
    line.push(b'\n');
    Ok(line)
}
