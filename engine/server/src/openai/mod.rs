//! Interfaces that programs made for OpenAI's speak already; the session stands in the base
//! address: `http://localhost:8377/s/home/v1`.

mod chat;
mod transcriptions;

use crate::problem::Problem;
use crate::state::Shared;
use axum::extract::DefaultBodyLimit;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use serde_json::json;
use std::sync::Arc;

/// A problem as OpenAI's clients read it: with an `error` beside the usual members.
struct Refusal(Problem);

impl From<Problem> for Refusal {
    fn from(problem: Problem) -> Self {
        Self(problem)
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let error = json!({"message": self.0.detail(), "type": self.0.class(), "code": null});
        let mut body = serde_json::to_value(&self.0).unwrap_or_default();
        body["error"] = error;
        let (parts, _) = self.0.into_response().into_parts();
        let mut response = Json(body).into_response();
        *response.status_mut() = parts.status;
        response
    }
}

/// Routes that talk through a session, or transcribe.
pub(crate) fn routes(sound_bytes: u64) -> Router<Arc<Shared>> {
    // beside the recording there are a few fields
    let most = usize::try_from(sound_bytes)
        .unwrap_or(usize::MAX)
        .saturating_add(1 << 20);
    let transcribing = || post(transcriptions::transcriptions).layer(DefaultBodyLimit::max(most));
    Router::new()
        .route("/v1/audio/transcriptions", transcribing())
        .route("/s/{session}/v1/audio/transcriptions", transcribing())
        .route("/s/{session}/v1/chat/completions", post(chat::completions))
        .route("/s/{session}/v1/models", get(chat::models))
}
