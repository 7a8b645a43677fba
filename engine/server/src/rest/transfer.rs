//! Sessions as JSON Lines, out of the server and into it.

use super::extract::Session;
use crate::blocking::received;
use crate::problem::{Problem, Reply};
use crate::sessions::SessionName;
use crate::state::Shared;
use crate::upload::stored;
use axum::Json;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::response::IntoResponse;
use serde::Serialize;
use std::io::{self, BufReader, BufWriter, Seek as _, Write};
use std::sync::Arc;
use tokio::sync::mpsc;
use weir_api::ErrorClass;
use weir_engine::store::{
    ImportedSession, NamedFiles, TransferError, export_session, import_session,
};
use weir_models::WordPieceCounter;

/// Pieces of an export that wait for a client; the export waits then.
const PIECES_MAX: usize = 16;
/// Bytes of a piece.
const PIECE_BYTES: usize = 64 << 10;

/// What was imported.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub(crate) struct ImportedLines {
    /// Nodes of the outline.
    nodes: usize,
    /// Lines of the transcript.
    lines: u64,
    /// Whether nothing was changed since the export; else tokens, facts and budgets were computed
    /// anew.
    unchanged: bool,
}

/// Sends what is written as pieces.
struct Pieces(mpsc::Sender<io::Result<Bytes>>);

impl Write for Pieces {
    fn write(&mut self, piece: &[u8]) -> io::Result<usize> {
        let sent = self.0.blocking_send(Ok(Bytes::copy_from_slice(piece)));
        sent.map_err(|_| io::Error::from(io::ErrorKind::BrokenPipe))?;
        Ok(piece.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The whole session as JSON Lines: outline, beliefs, profiles, transcript. Its sound is not in it.
#[cfg_attr(feature = "openapi", utoipa::path(
    get, path = "/v1/sessions/{session}/export", tag = "sessions",
    params(("session" = String, Path, description = "Its name")),
    responses((status = 200, description = "done", content_type = "application/jsonl",
            body = String),
        (status = "default", description = "not done", body = Problem,
            content_type = "application/problem+json"))))]
pub(crate) async fn export(Session(session): Session) -> impl IntoResponse {
    let (pieces, written) = mpsc::channel(PIECES_MAX);
    tokio::task::spawn_blocking(move || {
        let held = session.memory().session();
        let mut out = BufWriter::with_capacity(PIECE_BYTES, Pieces(pieces.clone()));
        // folders of recordings are this machine's own affair
        let written = export_session(&held, None, &session.transcript(), &mut out);
        if let Err(error) = written.and_then(|()| out.flush()) {
            // the client sees that its body ends too early
            let _ = pieces.blocking_send(Err(error));
        }
    });
    let kind = [(CONTENT_TYPE, "application/jsonl")];
    (kind, Body::from_stream(received(written)))
}

/// Creates a session from the lines of an export.
#[cfg_attr(feature = "openapi", utoipa::path(
    post, path = "/v1/sessions/{session}/import", tag = "sessions",
    params(("session" = String, Path, description = "The name of the new session")),
    request_body(content_type = "application/jsonl"),
    responses((status = 200, description = "done", body = ImportedLines),
        (status = "default", description = "not done", body = Problem,
            content_type = "application/problem+json"))))]
pub(crate) async fn import(
    State(server): State<Arc<Shared>>,
    name: SessionName,
    body: Body,
) -> Reply<ImportedLines> {
    let file = stored(body.into_data_stream(), server.config.limits.audio_bytes).await?;
    let imported = server.sessions.make(&name, move |dir| {
        // its name goes at once, so that a process that is killed leaves nothing
        let mut file = file.into_file();
        file.rewind().map_err(Problem::internal)?;
        let counter = Arc::new(WordPieceCounter::shared());
        // a line may name any file of this machine
        let imported = import_session(&mut BufReader::new(file), dir, counter, NamedFiles::Ignore);
        imported.map_err(|error| match error {
            TransferError::Exists => Problem::of_class(ErrorClass::Conflict, error),
            TransferError::Store(error) => Problem::of_class(ErrorClass::Storage, error),
            error => Problem::bad(error),
        })
    });
    let ImportedSession {
        session,
        unchanged,
        lines,
        ..
    } = imported.await?;
    Ok(Json(ImportedLines {
        nodes: session.tree().len(),
        lines,
        unchanged,
    }))
}
