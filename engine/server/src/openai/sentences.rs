//! Sentences of a transcription that are sent as they are recognised.

use crate::problem::Problem;
use axum::response::sse::Event;
use serde_json::{Value, json};
use tokio::sync::mpsc;

/// Sentences that wait for a client.
pub(super) const SENTENCES_MAX: usize = 64;

/// Milliseconds as OpenAI's clients read them.
pub(super) fn seconds(ms: u64) -> f64 {
    ms as f64 / 1_000.0
}

/// Sends an event; returns whether the client is there.
pub(super) fn send(events: &mpsc::Sender<Event>, kind: &str, more: Value) -> bool {
    let mut event = json!({"type": kind});
    if let (Some(event), Value::Object(more)) = (event.as_object_mut(), more) {
        event.extend(more);
    }
    let event = Event::default().event(kind).data(event.to_string());
    events.blocking_send(event).is_ok()
}

/// Sends the last event: all words, or why there are none.
pub(super) fn finish(events: &mpsc::Sender<Event>, whole: Result<String, Problem>) {
    match whole {
        Ok(text) => send(events, "transcript.text.done", json!({"text": text})),
        Err(problem) => send(
            events,
            "error",
            json!({"error": {"message": problem.detail()}}),
        ),
    };
}
