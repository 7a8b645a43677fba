//! What is heard, and changes of what is held.

use super::extract::{Body, Node, Session};
use super::holding::no_node;
use crate::blocking::blocking;
use crate::measures;
use crate::problem::{Problem, Reply};
use crate::sessions::{OpenSession, SessionName};
use crate::state::Shared;
use axum::Json;
use axum::extract::State;
use axum::http::HeaderMap;
use serde::Deserialize;
use std::sync::Arc;
use weir_api::{Change, Changed, Heard, Receipt, Said, Target};
use weir_core::memory::NodeId;
use weir_engine::control::{change_of, utterance};

/// Header of a request that is carried out once, however often it is sent.
const KEY: &str = "Idempotency-Key";

/// Talk in order.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub(crate) struct Talk {
    /// The utterances, up to the first that is refused.
    utterances: Vec<Said>,
}

/// New words for a unit, or whether it is pinned.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub(crate) struct Edited {
    /// The new words; absent for those it has.
    #[serde(default)]
    text: Option<String>,
    /// The words it must have until now, so that no other edit is lost; absent for any.
    #[serde(default)]
    was: Option<String>,
    /// Whether it is pinned from now on; absent for no change.
    #[serde(default)]
    pinned: Option<bool>,
}

fn key(headers: &HeaderMap) -> Result<Option<String>, Problem> {
    let key = headers
        .get(KEY)
        .map(|it| it.to_str().map(str::to_owned))
        .transpose();
    key.map_err(|_| Problem::bad(format!("the header {KEY} is not printable ASCII")))
}

/// Hears utterances; they are durable and can be asked for when this returns. The session is
/// created if it does not exist. Sent again with the same `Idempotency-Key`, they are heard once.
#[cfg_attr(feature = "openapi", utoipa::path(
    post, path = "/v1/sessions/{session}/utterances", tag = "talk",
    params(("session" = String, Path, description = "The session"),
        ("Idempotency-Key" = Option<String>, Header, description = "Names this request")),
    request_body = Talk,
    responses((status = 200, description = "done", body = Heard),
        (status = "default", description = "not done", body = Problem,
            content_type = "application/problem+json"))))]
pub(crate) async fn hear(
    State(server): State<Arc<Shared>>,
    name: SessionName,
    headers: HeaderMap,
    Body(talk): Body<Talk>,
) -> Reply<Heard> {
    let key = key(&headers)?;
    let session = server.sessions.get_or_create(&name).await?;
    let hearing = Arc::clone(&session);
    let heard = blocking(move || {
        hearing
            .handle()
            .hear_now(talk.utterances.into_iter().map(utterance), key)
    });
    let heard = match heard.await {
        Ok(heard) if !heard.ids.is_empty() => heard,
        // what is refused, and nothing, makes no session
        nothing => {
            server.sessions.undo(&name, session).await;
            nothing?
        }
    };
    measures::heard(heard.ids.len());
    Ok(Json(heard))
}

/// Changes a session: streams, pins, edits, budgets, names of speakers, sources, erasure.
#[cfg_attr(feature = "openapi", utoipa::path(
    post, path = "/v1/sessions/{session}/changes", tag = "talk",
    params(("session" = String, Path, description = "The session"),
        ("Idempotency-Key" = Option<String>, Header, description = "Names this request")),
    request_body = Change,
    responses((status = 200, description = "done", body = Changed),
        (status = "default", description = "not done", body = Problem,
            content_type = "application/problem+json"))))]
pub(crate) async fn change(
    State(server): State<Arc<Shared>>,
    name: SessionName,
    headers: HeaderMap,
    Body(change): Body<Change>,
) -> Reply<Changed> {
    let key = key(&headers)?;
    let session = server.sessions.get_or_create(&name).await?;
    let begins = matches!(change, Change::Begin { .. } | Change::AddSource { .. });
    let done = changed(Arc::clone(&session), change, key).await;
    match begins && done.is_ok() {
        true => session.keep(),
        // what is refused, or changes nothing, makes no session
        false => server.sessions.undo(&name, session).await,
    }
    Ok(Json(done?))
}

pub(crate) async fn changed(
    session: Arc<OpenSession>,
    change: Change,
    key: Option<String>,
) -> Result<Changed, Problem> {
    blocking(move || {
        let handle = session.handle();
        handle.change(change_of(change, handle.encoder())?, key)
    })
    .await
}

/// A path that names a node which is not held is not found, whatever was to be done with it.
fn held(session: &OpenSession, id: NodeId) -> Result<(), Problem> {
    let held = session.memory().session();
    held.tree().node(id).map(drop).ok_or_else(|| no_node(id))
}

/// Edits the words of a unit, or pins it. Its evidence keeps the words as heard.
#[cfg_attr(feature = "openapi", utoipa::path(
    patch, path = "/v1/sessions/{session}/nodes/{node}", tag = "memory",
    params(("session" = String, Path, description = "The session"),
        ("node" = String, Path, description = "The unit, such as `n7.0`")),
    request_body = Edited,
    responses((status = 200, description = "done", body = Changed),
        (status = "default", description = "not done", body = Problem,
            content_type = "application/problem+json"))))]
pub(crate) async fn edit(
    Session(session): Session,
    Node(id): Node,
    Body(edited): Body<Edited>,
) -> Reply<Changed> {
    held(&session, id)?;
    let node = id.to_string();
    let text = edited.text.map(|text| Change::Edit {
        node: node.clone(),
        text,
        was: edited.was,
    });
    let pinned = edited.pinned.map(|pinned| Change::Pin {
        nodes: vec![node],
        pinned,
    });
    let mut done = None;
    for change in [text, pinned].into_iter().flatten() {
        done = Some(changed(Arc::clone(&session), change, None).await?);
    }
    let nothing = || Problem::bad("nothing is to be changed: give `text`, `pinned` or both");
    done.map(Json).ok_or_else(nothing)
}

/// Erases what a node was made of, also from every file. Returns what was erased, and where.
#[cfg_attr(feature = "openapi", utoipa::path(
    delete, path = "/v1/sessions/{session}/nodes/{node}", tag = "memory",
    params(("session" = String, Path, description = "The session"),
        ("node" = String, Path, description = "The node, such as `n7.0`")),
    responses((status = 200, description = "done", body = Receipt),
        (status = "default", description = "not done", body = Problem,
            content_type = "application/problem+json"))))]
pub(crate) async fn forget(Session(session): Session, Node(id): Node) -> Reply<Receipt> {
    held(&session, id)?;
    let targets = vec![Target::Node(id.to_string())];
    let done = changed(session, Change::Erase { targets }, None).await?;
    Ok(Json(done.receipt.unwrap_or_default()))
}
