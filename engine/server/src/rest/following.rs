//! The events of a session, as they happen.

use super::extract::Session;
#[cfg(feature = "openapi")]
use crate::problem::Problem;
use crate::sessions::{EventLog, Since};
use axum::http::HeaderMap;
use axum::response::sse::{Event, KeepAlive, Sse};
use futures_util::stream;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;

/// Events that are written at a time.
const AT_ONCE: usize = 64;
/// How often a comment is sent while nothing happens, so that a dead connection is noticed.
const COMMENT_EVERY: Duration = Duration::from_secs(15);

struct Following {
    log: Arc<EventLog>,
    news: watch::Receiver<u64>,
    /// Number of the last event that was sent.
    sent: u64,
    waiting: std::vec::IntoIter<Event>,
    /// While it is followed, the session is not closed as idle.
    _session: Arc<crate::sessions::OpenSession>,
}

impl Following {
    /// The next event; `None` when the session was closed.
    async fn next(&mut self) -> Option<Event> {
        loop {
            if let Some(event) = self.waiting.next() {
                return Some(event);
            }
            match self.log.since(self.sent, AT_ONCE) {
                Since::Ended => return None,
                Since::Missed { events, next } => {
                    self.sent = next - 1;
                    let missed = serde_json::json!({"event": "missed", "events": events});
                    let id = self.log.id(self.sent);
                    return Some(
                        Event::default()
                            .id(id)
                            .event("missed")
                            .data(missed.to_string()),
                    );
                }
                Since::Events(events) => {
                    let Some(last) = events.last() else {
                        self.news.changed().await.ok()?;
                        continue;
                    };
                    self.sent = last.number;
                    let events = events.iter().map(|it| {
                        let event = Event::default().id(self.log.id(it.number));
                        event.event(&it.kind).data(&it.json)
                    });
                    self.waiting = events.collect::<Vec<_>>().into_iter();
                }
            }
        }
    }
}

/// The events of a session from now on, or after the one that `Last-Event-ID` names. Of those
/// before, the last 4096 or 4 MiB are kept; an event `missed` says how many are gone.
#[cfg_attr(feature = "openapi", utoipa::path(
    get, path = "/v1/sessions/{session}/events", tag = "following",
    params(("session" = String, Path, description = "The session"),
        ("Last-Event-ID" = Option<String>, Header, description = "The last event that was read")),
    responses((status = 200, description = "done", content_type = "text/event-stream",
            body = weir_api::Event),
        (status = "default", description = "not done", body = Problem,
            content_type = "application/problem+json"))))]
pub(crate) async fn events(
    Session(session): Session,
    headers: HeaderMap,
) -> Sse<impl stream::Stream<Item = Result<Event, Infallible>>> {
    let log = session.events();
    let last = headers.get("last-event-id").and_then(|it| it.to_str().ok());
    let mut news = log.news();
    // what came before is found by number
    news.mark_changed();
    let following = Following {
        sent: last.map_or_else(|| log.last(), |id| log.number(id)),
        news,
        log,
        waiting: Vec::new().into_iter(),
        _session: session,
    };
    let events = stream::unfold(following, |mut following| async {
        following.next().await.map(|event| (Ok(event), following))
    });
    Sse::new(events).keep_alive(KeepAlive::new().interval(COMMENT_EVERY))
}
