//! A session as tools and resources of the Model Context Protocol: over HTTP at
//! `/s/SESSION/mcp`, where the session stands in the address, and over standard input and output
//! for one session.

mod tools;

use crate::problem::Problem;
use crate::sessions::SessionName;
use crate::state::Shared;
use axum::Router;
use axum::extract::{RawPathParams, Request};
use axum::middleware::{Next, from_fn};
use axum::response::{IntoResponse as _, Response};
use rmcp::ServiceExt as _;
use rmcp::transport::StreamableHttpServerConfig;
use rmcp::transport::streamable_http_server::StreamableHttpService;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use std::io;
use std::sync::Arc;
use tools::Tools;

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

/// Serves one session on standard input and output until the client ends it.
pub(crate) async fn over_stdio(server: Arc<Shared>, session: SessionName) -> io::Result<()> {
    let tools = Tools::new(server, Some(session));
    let running = tools
        .serve(rmcp::transport::stdio())
        .await
        .map_err(io::Error::other)?;
    running.waiting().await.map(drop).map_err(io::Error::other)
}
