//! A session as tools and resources of the Model Context Protocol: over HTTP at
//! `/s/SESSION/mcp`, where the session stands in the address, and over standard input and output
//! for one session.

#[cfg(unix)]
mod hub;
#[cfg(unix)]
mod relay;
mod tools;

#[cfg(unix)]
pub(crate) use hub::Hub;

use crate::problem::Problem;
use crate::sessions::SessionName;
use crate::state::Shared;
use axum::Router;
use axum::extract::{RawPathParams, Request};
use axum::middleware::{Next, from_fn};
use axum::response::{IntoResponse as _, Response};
#[cfg(unix)]
use relay::{Ended, Relay};
use rmcp::ServiceExt as _;
use rmcp::transport::StreamableHttpServerConfig;
use rmcp::transport::streamable_http_server::StreamableHttpService;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
#[cfg(unix)]
use std::future::pending;
use std::io;
use std::sync::Arc;
#[cfg(unix)]
use std::time::Duration;
use tools::Tools;

/// Bytes that wait between a client and its tools in this process.
#[cfg(unix)]
const PIPE_BYTES: usize = 64 << 10;
/// How often it is tried to reach the hub, and how soon again.
#[cfg(unix)]
const CONNECT_TRIES: u32 = 40;
#[cfg(unix)]
const CONNECT_EVERY: Duration = Duration::from_millis(50);
/// How often the server that wants the place is looked for: longer than it waits for the place.
#[cfg(unix)]
const YIELD_TRIES: u32 = 120;

/// The route of the protocol. Each request stands for itself, so nothing is kept for a client.
pub(crate) fn routes(server: &Arc<Shared>) -> Router<Arc<Shared>> {
    let shared = Arc::clone(server);
    // host and origin are checked before every route
    let config = StreamableHttpServerConfig::default()
        .disable_allowed_hosts()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        .with_max_request_body_bytes(server.config.limits.body_bytes);
    let service = StreamableHttpService::new(
        move || Ok(Tools::new(Arc::clone(&shared), None)),
        Arc::new(NeverSessionManager::default()),
        config,
    );
    Router::new()
        .route_service("/s/{session}/mcp", service)
        .route_layer(from_fn(named))
}

/// Tells the tools which session the address names.
async fn named(path: RawPathParams, mut request: Request, next: Next) -> Response {
    let name = path
        .iter()
        .find(|(key, _)| *key == "session")
        .map(|(_, name)| name);
    match name.unwrap_or_default().parse::<SessionName>() {
        Ok(name) => {
            request.extensions_mut().insert(name);
            next.run(request).await
        }
        Err(why) => Problem::bad(why).into_response(),
    }
}

/// Serves one session on standard input and output until the client ends it: through the hub of the
/// data folder, which is this process if there is no other.
#[cfg(unix)]
pub(crate) async fn over_stdio(server: Arc<Shared>, session: SessionName) -> io::Result<()> {
    let mut relay = Relay::of(tokio::io::stdin());
    let mut output = tokio::io::stdout();
    let data = &server.config.data;
    let mut patience = CONNECT_TRIES;
    // how often a server that wants the place is looked for before this process takes it again
    let mut yielding = 0;
    loop {
        let taken = match yielding {
            0 => Hub::take(data),
            _ => Ok(None),
        };
        let hub = match taken {
            Ok(Some(hub)) => Some(hub),
            Ok(None) => match hub::connect(data, &session).await {
                Ok(stream) => {
                    (patience, yielding) = (CONNECT_TRIES, 0);
                    if relay.pass(stream, pending(), &mut output).await? == Ended::Client {
                        return Ok(());
                    }
                    relay.refuse_open(&mut output).await?;
                    continue;
                }
                // it is about to listen, or about to end
                Err(_) if yielding > 0 || patience > 0 => {
                    match yielding {
                        0 => patience -= 1,
                        _ => yielding -= 1,
                    }
                    tokio::time::sleep(CONNECT_EVERY).await;
                    continue;
                }
                Err(error) => return Err(error),
            },
            // no socket can be made there, in a path that is too long for example
            Err(error) => {
                log::warn!("other clients of {session} cannot be served: {error}");
                None
            }
        };
        if here(&server, &session, hub, &mut relay, &mut output).await? == Ended::Client {
            return Ok(());
        }
        yielding = YIELD_TRIES;
    }
}

/// Serves the client by the tools of this process, and those of others if it is the hub.
#[cfg(unix)]
async fn here(
    server: &Arc<Shared>,
    session: &SessionName,
    hub: Option<Hub>,
    relay: &mut Relay,
    output: &mut tokio::io::Stdout,
) -> io::Result<Ended> {
    let (near, far) = tokio::io::duplex(PIPE_BYTES);
    let tools = Tools::new(Arc::clone(server), Some(session.clone()));
    let serving = tokio::spawn(async move {
        if let Ok(running) = tools.serve(far).await {
            let _ = running.waiting().await;
        }
    });
    let shared = Arc::clone(server);
    let mut others = tokio::spawn(async move {
        match &hub {
            Some(hub) => hub.serve(&shared, true).await,
            None => pending().await,
        }
        hub
    });
    let mut left = None;
    let leave = async { left = (&mut others).await.ok() };
    let ended = relay.pass(near, leave, output).await?;
    serving.abort();
    others.abort();
    if ended == Ended::Server {
        // a server wants the place, and the sessions with it; the place is free when they are
        server.sessions.release_all().await;
    }
    drop(left);
    Ok(ended)
}

/// The same where there are no sockets of files.
#[cfg(not(unix))]
pub(crate) async fn over_stdio(server: Arc<Shared>, session: SessionName) -> io::Result<()> {
    let tools = Tools::new(server, Some(session));
    let running = tools
        .serve(rmcp::transport::stdio())
        .await
        .map_err(io::Error::other)?;
    running.waiting().await.map(drop).map_err(io::Error::other)
}
