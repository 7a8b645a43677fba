//! Interfaces that programs made for OpenAI's speak already; the session stands in the base
//! address: `http://localhost:8377/s/home/v1`.

mod chat;
mod diarized;
mod live_items;
mod live_sound;
mod local;
mod message;
mod models;
mod realtime;
mod refusal;
mod sentences;
mod stop_words;
mod transcriptions;
mod wish;

use crate::state::Shared;
use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::routing::{get, post};
use std::sync::Arc;

/// Routes that talk through a session, or transcribe.
pub(crate) fn routes(sound_bytes: u64) -> Router<Arc<Shared>> {
    // beside the recording there are a few fields
    let most = usize::try_from(sound_bytes)
        .unwrap_or(usize::MAX)
        .saturating_add(1 << 20);
    let long = || DefaultBodyLimit::max(most);
    Router::new()
        .route(
            "/v1/audio/transcriptions",
            post(transcriptions::transcriptions).layer(long()),
        )
        .route(
            "/s/{session}/v1/audio/transcriptions",
            post(transcriptions::transcriptions_heard).layer(long()),
        )
        .route("/v1/realtime", get(realtime::realtime))
        .route("/s/{session}/v1/realtime", get(realtime::realtime_heard))
        .route("/s/{session}/v1/chat/completions", post(chat::completions))
}

/// Routes that tell which models there are.
pub(crate) fn listing() -> Router<Arc<Shared>> {
    Router::new()
        .route("/v1/models", get(models::models))
        .route("/s/{session}/v1/models", get(models::models))
}
