//! Accepts connections, bounds them, and stops in order.

use crate::config::{Assistants, ServerConfig, TlsFiles};
use crate::http::application;
#[cfg(unix)]
use crate::mcp::Hub;
use crate::mcp::over_stdio;
use crate::measures;
use crate::sessions::{SessionMaker, Sessions};
use crate::shares::{Share, Shares};
use crate::state::Shared;
use crate::tokens::{TokenError, Tokens};
use crate::wyoming;
use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::http::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1::Builder;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::task::JoinHandle;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig as TlsConfig;
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tower::ServiceExt as _;
use weir_engine::pipeline::Stop;
use weir_loading::LoadingError;

/// How often idle sessions are looked for.
const TIDY_EVERY: Duration = Duration::from_secs(5);
/// How often the request to stop is looked at.
const LOOK_EVERY: Duration = Duration::from_millis(100);
/// Wait after the system refused a connection, for want of descriptors for example.
const REFUSED_WAIT: Duration = Duration::from_millis(100);
/// Time for the head of a request, of a connection that takes one of the last places: who connects
/// and says nothing keeps others waiting then.
const CROWDED_READ: Duration = Duration::from_secs(1);
/// Connections that the system holds until they are accepted.
const QUEUE_MAX: u32 = 1_024;
/// Longest head of a request in bytes.
const HEAD_BYTES_MAX: usize = 64 << 10;

/// Why a server cannot start, or ended badly.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The data folder.
    #[error("cannot use {} as the folder of sessions: {source}", path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// The error.
        source: io::Error,
    },
    /// The address.
    #[error("cannot listen on {address}: {source}")]
    Bind {
        /// The address.
        address: SocketAddr,
        /// The error.
        source: io::Error,
    },
    /// The address can be reached by others, and there is no token.
    #[error("{address} can be reached from other machines, and no token says who may do what")]
    Open {
        /// The address.
        address: SocketAddr,
    },
    /// The tokens.
    #[error(transparent)]
    Tokens(#[from] TokenError),
    /// The certificate or its key.
    #[error(
        "cannot use the certificate {} with the key {}: {why}",
        files.chain.display(),
        files.key.display()
    )]
    Tls {
        /// The files.
        files: TlsFiles,
        /// What is wrong.
        why: String,
    },
    /// A model.
    #[error(transparent)]
    Model(#[from] LoadingError),
    /// The system gave no threads.
    #[error("cannot start the threads of the server: {0}")]
    Threads(io::Error),
    /// The name cannot name a session.
    #[error("{0}")]
    Name(String),
    /// Standard input or output.
    #[error("standard input and output: {0}")]
    Stdio(io::Error),
    /// Sessions could not be closed in order.
    #[error("not closed in order: {}", sessions.join("; "))]
    Unclosed {
        /// Their names and errors.
        sessions: Vec<String>,
    },
}

/// Serves sessions until `stop` is set. Everything is loaded before `started` is told the
/// address. Blocks.
///
/// # Errors
/// [`ServeError`].
pub fn serve(
    config: ServerConfig,
    maker: SessionMaker,
    stop: &Stop,
    started: impl FnOnce(SocketAddr),
) -> Result<(), ServeError> {
    let folder = |source| ServeError::Folder {
        path: config.data.clone(),
        source,
    };
    let maker = maker.new_sessions(config.budgets, config.by_the_paper);
    maker.warm()?;
    let sessions = Sessions::new(&config.data, maker, config.limits).map_err(folder)?;
    let tokens = Tokens::read(&config.data)?;
    let address = config.bind;
    if !address.ip().is_loopback() && tokens.is_empty() {
        return Err(ServeError::Open { address });
    }
    let tls = config.tls.as_ref().map(acceptor).transpose()?;
    let shared = Arc::new(Shared::new(config, tokens, sessions));
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .thread_name("server")
        .enable_all()
        .build()
        .map_err(ServeError::Threads)?;
    let served = runtime.block_on(run(shared, address, tls, stop, started));
    // blocking work that did not end in time is left to the end of the process
    runtime.shutdown_background();
    served
}

/// Serves one session of the folder over standard input and output, by the Model Context Protocol,
/// until the client ends it. Blocks.
///
/// # Errors
/// [`ServeError`]; a name that cannot name a session.
pub fn serve_stdio(
    config: ServerConfig,
    maker: SessionMaker,
    session: &str,
) -> Result<(), ServeError> {
    let name = session.parse().map_err(ServeError::Name)?;
    let maker = maker.new_sessions(config.budgets, config.by_the_paper);
    let sessions = Sessions::new(&config.data, maker, config.limits);
    let sessions = sessions.map_err(|source| ServeError::Folder {
        path: config.data.clone(),
        source,
    })?;
    let shared = Arc::new(Shared::new(config, Tokens::default(), sessions));
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build();
    let served = runtime.map_err(ServeError::Threads)?.block_on(async {
        let served = over_stdio(Arc::clone(&shared), name).await;
        (served, shared.sessions.close_all().await)
    });
    match served {
        (Err(error), _) => Err(ServeError::Stdio(error)),
        (Ok(()), sessions) if sessions.is_empty() => Ok(()),
        (Ok(()), sessions) => Err(ServeError::Unclosed { sessions }),
    }
}

/// The acceptor of TLS connections.
fn acceptor(files: &TlsFiles) -> Result<TlsAcceptor, ServeError> {
    let wrong = |why: String| ServeError::Tls {
        files: files.clone(),
        why,
    };
    let chain = CertificateDer::pem_file_iter(&files.chain)
        .and_then(Iterator::collect)
        .map_err(|error| wrong(error.to_string()))?;
    let key = PrivateKeyDer::from_pem_file(&files.key).map_err(|error| wrong(error.to_string()))?;
    let config = TlsConfig::builder()
        .with_no_client_auth()
        .with_single_cert(chain, key);
    let mut config = config.map_err(|error| wrong(error.to_string()))?;
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(TlsAcceptor::from(Arc::new(config)))
}

async fn run(
    shared: Arc<Shared>,
    address: SocketAddr,
    tls: Option<TlsAcceptor>,
    stop: &Stop,
    started: impl FnOnce(SocketAddr),
) -> Result<(), ServeError> {
    let bind = |source| ServeError::Bind { address, source };
    let listener = listen(address).map_err(bind)?;
    let assistants = match shared.config.assistants.clone() {
        Some(assistants) => Some(assist(&shared, &assistants).await?),
        None => None,
    };
    // before anybody is told: a client that starts now finds this server
    let clients = tools_of_other_processes(&shared).await;
    started(listener.local_addr().map_err(bind)?);
    measures::begin();
    let tidying = tokio::spawn(tidy(Arc::clone(&shared)));
    let accepting = Accepting {
        most: shared.config.limits.connections,
        application: application(&shared),
        connections: Arc::new(Semaphore::new(shared.config.limits.connections)),
        shares: Shares::of(shared.config.limits.connections),
        stopping: watch::Sender::new(()),
        read: shared.config.limits.read,
        tls,
    };
    while !stop.is_set() {
        // what it returns does not count: a connection is served by a task of its own
        let _ = tokio::time::timeout(LOOK_EVERY, accepting.next(&listener)).await;
    }
    drop(listener);
    tidying.abort();
    assistants.inspect(JoinHandle::abort);
    clients.inspect(JoinHandle::abort);
    let limit = shared.config.limits.shutdown;
    // streams of events end with their sessions, so both are ended at the same time
    let requests = tokio::time::timeout(shared.config.limits.ending, accepting.end());
    let both = async { tokio::join!(shared.sessions.close_all(), requests).0 };
    let late = || vec!["requests were still worked on at the time limit".to_owned()];
    let sessions = tokio::time::timeout(limit, both)
        .await
        .unwrap_or_else(|_| late());
    match sessions.is_empty() {
        true => Ok(()),
        false => Err(ServeError::Unclosed { sessions }),
    }
}

/// Serves the clients of `weir mcp`, which is a process of its own for each of them.
#[cfg(unix)]
async fn tools_of_other_processes(shared: &Arc<Shared>) -> Option<JoinHandle<()>> {
    let data = &shared.config.data;
    match Hub::take_over(data).await {
        Ok(Some(hub)) => {
            let shared = Arc::clone(shared);
            Some(tokio::spawn(async move { hub.serve(&shared, false).await }))
        }
        Ok(None) => {
            let data = data.display();
            log::warn!("another server serves the clients of `weir mcp` in {data}");
            None
        }
        Err(error) => {
            log::warn!("clients of `weir mcp` cannot be served: {error}");
            None
        }
    }
}

/// Where there are no sockets of files, each serves itself.
#[cfg(not(unix))]
async fn tools_of_other_processes(_: &Arc<Shared>) -> Option<JoinHandle<()>> {
    None
}

/// Serves voice assistants.
async fn assist(
    shared: &Arc<Shared>,
    assistants: &Assistants,
) -> Result<JoinHandle<()>, ServeError> {
    let address = assistants.bind;
    let session = assistants.session.parse().map_err(ServeError::Name)?;
    let listener = TcpListener::bind(address).await;
    let listener = listener.map_err(|source| ServeError::Bind { address, source })?;
    Ok(tokio::spawn(wyoming::serve(
        listener,
        Arc::clone(shared),
        session,
    )))
}

fn listen(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = match address {
        SocketAddr::V4(_) => TcpSocket::new_v4()?,
        SocketAddr::V6(_) => TcpSocket::new_v6()?,
    };
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(QUEUE_MAX)
}

/// Closes idle sessions from time to time.
async fn tidy(shared: Arc<Shared>) {
    let mut every = tokio::time::interval(TIDY_EVERY);
    loop {
        every.tick().await;
        shared.sessions.tidy().await;
        shared.forget_paces();
        measures::tidy();
    }
}

struct Accepting {
    /// Most connections at the same time.
    most: usize,
    application: Router,
    connections: Arc<Semaphore>,
    /// How many of them each client has.
    shares: Arc<Shares>,
    stopping: watch::Sender<()>,
    read: Duration,
    tls: Option<TlsAcceptor>,
}

impl Accepting {
    /// Accepts the next connection, as soon as one more may be served.
    async fn next(&self, listener: &TcpListener) {
        let Ok(permit) = Arc::clone(&self.connections).acquire_owned().await else {
            return;
        };
        let (stream, client) = match listener.accept().await {
            Ok(accepted) => accepted,
            Err(error) => {
                log::warn!("a connection could not be accepted: {error}");
                return tokio::time::sleep(REFUSED_WAIT).await;
            }
        };
        // programs of this machine wait instead: they have nowhere else to be
        let share = match client.ip().is_loopback() {
            true => None,
            false => match self.shares.take(client.ip()) {
                None => {
                    let most = self.shares.most();
                    return log::info!("{client}: it has {most} connections already");
                }
                share => share,
            },
        };
        let crowded = 2 * self.connections.available_permits() < self.most;
        let read = match crowded {
            true => self.read.min(CROWDED_READ),
            false => self.read,
        };
        // small events are sent at once
        let _ = stream.set_nodelay(true);
        let connection = Connection {
            application: self.application.clone(),
            client,
            read,
            stopping: self.stopping.subscribe(),
            _place: (permit, share),
        };
        match self.tls.clone() {
            None => tokio::spawn(connection.serve(stream)),
            Some(tls) => tokio::spawn(connection.serve_tls(stream, tls)),
        };
    }
}

impl Accepting {
    /// Ends all connections as soon as their requests are replied to.
    async fn end(&self) {
        self.stopping.send_replace(());
        let all = u32::try_from(self.most).unwrap_or(u32::MAX);
        let _ = self.connections.acquire_many(all).await;
    }
}

/// One connection of a client.
struct Connection {
    application: Router,
    client: SocketAddr,
    read: Duration,
    /// Changes when the server stops.
    stopping: watch::Receiver<()>,
    _place: (OwnedSemaphorePermit, Option<Share>),
}

impl Connection {
    async fn serve_tls(self, stream: TcpStream, tls: TlsAcceptor) {
        let client = self.client;
        match tokio::time::timeout(self.read, tls.accept(stream)).await {
            Ok(Ok(stream)) => self.serve(stream).await,
            Ok(Err(error)) => log::info!("{client}: no TLS connection: {error}"),
            Err(_) => log::info!("{client}: no TLS connection in time"),
        }
    }

    async fn serve(mut self, stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static) {
        let client = self.client;
        let application = self
            .application
            .map_request(move |mut request: Request<Incoming>| {
                request.extensions_mut().insert(ConnectInfo(client));
                request.map(Body::new)
            });
        let service = TowerToHyperService::new(application);
        // HTTP/1.1 alone: its connections can be bounded in time from their first byte
        let served = Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(self.read)
            .max_buf_size(HEAD_BYTES_MAX)
            .serve_connection(TokioIo::new(stream), service)
            .with_upgrades();
        let mut served = pin!(served);
        let ended = tokio::select! {
            ended = &mut served => ended,
            _ = self.stopping.changed() => {
                served.as_mut().graceful_shutdown();
                served.await
            }
        };
        if let Err(error) = ended {
            log::debug!("{client}: the connection ended: {error}");
        }
    }
}
