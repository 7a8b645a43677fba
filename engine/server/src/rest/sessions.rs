//! Whole sessions.

use super::extract::{Body, Session};
use crate::blocking::blocking;
use crate::problem::{Problem, Reply};
use crate::sessions::{Absent, OpenSession, SessionName};
use crate::state::Shared;
use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use serde::Serialize;
use std::sync::Arc;
use weir_api::{About, Budgets, Stats};
use weir_engine::store::transcript::transcript_folder;
use weir_engine::store::{TranscriptReader, unrecognised};
use weir_engine::views;

/// A session of the server.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub(crate) struct Listed {
    /// Its name.
    name: String,
    /// Whether it is open; one that is not is opened when it is used.
    open: bool,
}

/// What was deleted.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub(crate) struct DeletedSession {
    /// The session.
    name: String,
    /// Files that were overwritten and removed.
    files: u64,
    /// Their bytes.
    bytes: u64,
}

/// All sessions, by name.
#[cfg_attr(feature = "openapi", utoipa::path(
    get, path = "/v1/sessions", tag = "sessions",
    responses((status = 200, description = "done", body = Vec<Listed>),
        (status = "default", description = "not done", body = Problem,
            content_type = "application/problem+json"))))]
pub(crate) async fn list(State(server): State<Arc<Shared>>) -> Reply<Vec<Listed>> {
    let names = server.sessions.names().map_err(Problem::internal)?;
    let listed = names.into_iter().map(|name| Listed {
        open: server.sessions.is_open(&name),
        name: name.to_string(),
    });
    Ok(Json(listed.collect()))
}

/// Creates a session with these budgets. One that exists is left as it is.
#[cfg_attr(feature = "openapi", utoipa::path(
    put, path = "/v1/sessions/{session}", tag = "sessions",
    params(("session" = String, Path, description = "Its name")),
    request_body = Budgets,
    responses((status = 201, description = "created", body = Stats),
        (status = 200, description = "done", body = Stats),
        (status = "default", description = "not done", body = Problem,
            content_type = "application/problem+json"))))]
pub(crate) async fn create(
    State(server): State<Arc<Shared>>,
    name: SessionName,
    Body(budgets): Body<Budgets>,
) -> Result<(StatusCode, Json<Stats>), Problem> {
    let status = match server.sessions.dir(&name).exists() {
        true => StatusCode::OK,
        false => StatusCode::CREATED,
    };
    let session = server.sessions.get(&name, Absent::Create, budgets).await?;
    Ok((status, counted(session).await?))
}

/// What a session holds, counted.
#[cfg_attr(feature = "openapi", utoipa::path(
    get, path = "/v1/sessions/{session}", tag = "sessions",
    params(("session" = String, Path, description = "Its name")),
    responses((status = 200, description = "done", body = Stats),
        (status = "default", description = "not done", body = Problem,
            content_type = "application/problem+json"))))]
pub(crate) async fn stats(Session(session): Session) -> Reply<Stats> {
    counted(session).await
}

/// What a session is about. It is not opened for that.
#[cfg_attr(feature = "openapi", utoipa::path(
    get, path = "/v1/sessions/{session}/about", tag = "sessions",
    params(("session" = String, Path, description = "Its name")),
    responses((status = 200, description = "done", body = About),
        (status = "default", description = "not done", body = Problem,
            content_type = "application/problem+json"))))]
pub(crate) async fn about(State(server): State<Arc<Shared>>, name: SessionName) -> Reply<About> {
    let about = server.sessions.glance(&name, |session, dir| {
        let transcript = TranscriptReader::open(&transcript_folder(dir));
        views::about(session, &transcript)
    });
    Ok(Json(about.await?))
}

async fn counted(session: Arc<OpenSession>) -> Reply<Stats> {
    let stats = blocking(move || {
        let (held, dir) = (session.memory().session(), session.dir());
        let kept = weir_loading::bytes_of(&transcript_folder(dir));
        Ok::<_, Problem>(views::stats(&held, kept, unrecognised(dir)))
    });
    Ok(Json(stats.await?))
}

/// Deletes a session with all its files, which are overwritten first.
#[cfg_attr(feature = "openapi", utoipa::path(
    delete, path = "/v1/sessions/{session}", tag = "sessions",
    params(("session" = String, Path, description = "Its name")),
    responses((status = 200, description = "done", body = DeletedSession),
        (status = "default", description = "not done", body = Problem,
            content_type = "application/problem+json"))))]
pub(crate) async fn delete(
    State(server): State<Arc<Shared>>,
    name: SessionName,
) -> Reply<DeletedSession> {
    let deleted = server.sessions.delete(&name).await?;
    Ok(Json(DeletedSession {
        name: name.to_string(),
        files: deleted.files,
        bytes: deleted.bytes,
    }))
}
