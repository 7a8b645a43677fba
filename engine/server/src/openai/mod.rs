//! Interfaces that programs made for OpenAI's speak already; the session stands in the base
//! address: `http://localhost:8377/s/home/v1`.

mod chat;
mod upstream;

pub use upstream::Upstream;

use crate::state::Shared;
use axum::Router;
use axum::routing::{get, post};
use std::sync::Arc;

/// Routes that talk through a session.
pub(crate) fn routes() -> Router<Arc<Shared>> {
    Router::new()
        .route("/s/{session}/v1/chat/completions", post(chat::completions))
        .route("/s/{session}/v1/models", get(chat::models))
}
