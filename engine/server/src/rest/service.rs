//! Whether the server lives and can work.

use crate::problem::Problem;
use crate::state::Shared;
use axum::Json;
use axum::extract::State;
use serde::Serialize;
use std::sync::Arc;

/// The server's state.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub(crate) struct Health {
    /// `ok`.
    status: &'static str,
    /// Version of the program.
    version: &'static str,
}

/// The server is ready to open sessions.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub(crate) struct Ready {
    /// Sessions that are open.
    open_sessions: usize,
    /// Bytes that they hold.
    open_bytes: usize,
}

/// The server lives.
#[cfg_attr(feature = "openapi", utoipa::path(
    get, path = "/health", tag = "service",
    responses((status = 200, description = "done", body = Health))))]
pub(crate) async fn health() -> Json<Health> {
    Json(Health {
        status: "ok",
        version: env!("CARGO_PKG_VERSION"),
    })
}

/// The server can open sessions: its folder is there.
#[cfg_attr(feature = "openapi", utoipa::path(
    get, path = "/ready", tag = "service",
    responses((status = 200, description = "done", body = Ready),
        (status = 503, description = "not ready", body = Problem,
            content_type = "application/problem+json"))))]
pub(crate) async fn ready(State(server): State<Arc<Shared>>) -> Result<Json<Ready>, Problem> {
    server.sessions.names().map_err(|error| {
        Problem::of_class(
            weir_api::ErrorClass::Gone,
            format!("no folder of sessions: {error}"),
        )
    })?;
    let held = server.sessions.held();
    Ok(Json(Ready {
        open_sessions: held.sessions,
        open_bytes: held.bytes,
    }))
}
