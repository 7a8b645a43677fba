//! The models that clients may name. The name of the speech model does not matter; it is listed so
//! that clients which choose from the list have one.

use super::chat::{response, unreachable};
use super::refusal::Refusal;
use crate::blocking::blocking;
use crate::problem::Problem;
use crate::state::Shared;
use crate::upstream::ChatModel;
use axum::Json;
use axum::body::Body;
use axum::extract::State;
use axum::response::{IntoResponse as _, Response};
use serde_json::json;
use std::io::Read as _;
use std::sync::Arc;

/// What the speech of this server is called.
const SPEECH: &str = "weir";

/// The models behind this server: those of the model's server, if it has one; else its own.
pub(super) async fn models(State(server): State<Arc<Shared>>) -> Result<Response, Refusal> {
    let chat = match server.config.chats.clone() {
        Some(ChatModel::Server(upstream)) => {
            let reply = blocking(move || {
                let mut reply = upstream.get("models").map_err(unreachable)?;
                let mut body = Vec::new();
                reply.body.read_to_end(&mut body).map_err(unreachable)?;
                Ok::<_, Problem>((reply.status, reply.kind, body))
            });
            let (status, kind, body) = reply.await?;
            return Ok(response(status, &kind, Body::from(body)));
        }
        Some(ChatModel::Local) => Some(server.sessions.maker().generator_name()),
        None => None,
    };
    let model = |id: &str| json!({"id": id, "object": "model", "created": 0, "owned_by": "weir"});
    let all: Vec<_> = chat.into_iter().chain([SPEECH]).map(model).collect();
    Ok(Json(json!({"object": "list", "data": all})).into_response())
}
