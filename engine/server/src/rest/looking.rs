//! A session at a glance: what a page draws.

use super::extract::{Query, Session as Open};
use super::holding::look;
use crate::problem::{Problem, Reply};
use axum::Json;
use serde::Deserialize;
use weir_api::{Forgetting, Found, Outline, SinceOpened, Timeline};
use weir_core::window::Window;
use weir_engine::views::{self, SearchWithin};

/// Parts of a time line.
const PARTS_DEFAULT: usize = 200;
const PARTS_MAX: usize = 2_000;
/// What a search finds at most, of what is held and of the transcript each.
const HITS_DEFAULT: usize = 50;
const HITS_MAX: usize = 500;

/// How finely time is divided.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::IntoParams), into_params(parameter_in = Query))]
#[serde(deny_unknown_fields)]
pub(crate) struct Divided {
    /// Parts, 1 to 2000; absent for 200.
    #[serde(default = "parts_default")]
    parts: usize,
}

/// What is searched for, and where.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::IntoParams), into_params(parameter_in = Query))]
#[serde(deny_unknown_fields)]
pub(crate) struct Sought {
    /// The words; what is found has all of them.
    q: String,
    /// Only what this speaker said.
    #[serde(default)]
    speaker: Option<String>,
    /// The first millisecond of session time; absent for the beginning.
    #[serde(default)]
    from_ms: u64,
    /// The first millisecond after it; absent for the end.
    #[serde(default = "forever")]
    to_ms: u64,
    /// Most of what is held, and most utterances, 1 to 500 each; absent for 50.
    #[serde(default = "hits_default")]
    limit: usize,
}

/// How much is listed.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::IntoParams), into_params(parameter_in = Query))]
#[serde(deny_unknown_fields)]
pub(crate) struct Listing {
    /// Most statements that go next, and most utterances that went, 1 to 500 each; absent for 50.
    #[serde(default = "hits_default")]
    limit: usize,
}

fn parts_default() -> usize {
    PARTS_DEFAULT
}

fn hits_default() -> usize {
    HITS_DEFAULT
}

fn forever() -> u64 {
    u64::MAX
}

fn within(what: &str, number: usize, most: usize) -> Result<usize, Problem> {
    match (1..=most).contains(&number) {
        true => Ok(number),
        false => Err(Problem::bad(format!(
            "{number} {what}; 1 to {most} are possible"
        ))),
    }
}

/// The tree in few bytes, for a page that draws it.
#[cfg_attr(feature = "openapi", utoipa::path(
    get, path = "/v1/sessions/{session}/outline", tag = "memory",
    params(("session" = String, Path, description = "The session")),
    responses((status = 200, description = "done", body = Outline),
        (status = "default", description = "not done", body = Problem,
            content_type = "application/problem+json"))))]
pub(crate) async fn outline(Open(session): Open) -> Reply<Outline> {
    look(session, |session, transcript| {
        Ok(views::outline(
            &session.memory().session(),
            transcript,
            usize::MAX,
        ))
    })
    .await
}

/// What was said when, and how much of it is held.
#[cfg_attr(feature = "openapi", utoipa::path(
    get, path = "/v1/sessions/{session}/timeline", tag = "memory",
    params(("session" = String, Path, description = "The session"), Divided),
    responses((status = 200, description = "done", body = Timeline),
        (status = "default", description = "not done", body = Problem,
            content_type = "application/problem+json"))))]
pub(crate) async fn timeline(
    Open(session): Open,
    Query(divided): Query<Divided>,
) -> Reply<Timeline> {
    let parts = within("parts", divided.parts, PARTS_MAX)?;
    look(session, move |session, transcript| {
        let held = session.memory().session();
        Ok(views::timeline(&held, transcript, parts))
    })
    .await
}

/// What has all words searched for: statements, facts, beliefs, passages, and the transcript.
#[cfg_attr(feature = "openapi", utoipa::path(
    get, path = "/v1/sessions/{session}/search", tag = "memory",
    params(("session" = String, Path, description = "The session"), Sought),
    responses((status = 200, description = "done", body = Found),
        (status = "default", description = "not done", body = Problem,
            content_type = "application/problem+json"))))]
pub(crate) async fn search(Open(session): Open, Query(sought): Query<Sought>) -> Reply<Found> {
    let most = within("results", sought.limit, HITS_MAX)?;
    look(session, move |session, transcript| {
        let within = SearchWithin {
            window: Window {
                speaker: sought.speaker.clone(),
                session_ms: sought.from_ms..sought.to_ms,
            },
            most,
        };
        let held = session.memory().session();
        let found = views::search(&held, transcript, &sought.q, &within);
        found.ok_or_else(|| {
            let q = &sought.q;
            Problem::bad(format!(
                "`{q}` has no word to search for; name what was spoken of"
            ))
        })
    })
    .await
}

/// What happened since the session was opened: to the outline, to sound, and what was lost.
#[cfg_attr(feature = "openapi", utoipa::path(
    get, path = "/v1/sessions/{session}/since_opened", tag = "following",
    params(("session" = String, Path, description = "The session")),
    responses((status = 200, description = "done", body = SinceOpened),
        (status = "default", description = "not done", body = Problem,
            content_type = "application/problem+json"))))]
pub(crate) async fn since_opened(Open(session): Open) -> Json<SinceOpened> {
    Json(session.so_far())
}

/// What became of all that was said since the session began: how much is held, what goes next, what
/// went, and why.
#[cfg_attr(feature = "openapi", utoipa::path(
    get, path = "/v1/sessions/{session}/forgetting", tag = "memory",
    params(("session" = String, Path, description = "The session"), Listing),
    responses((status = 200, description = "done", body = Forgetting),
        (status = "default", description = "not done", body = Problem,
            content_type = "application/problem+json"))))]
pub(crate) async fn forgetting(
    Open(session): Open,
    Query(listing): Query<Listing>,
) -> Reply<Forgetting> {
    let most = within("lines", listing.limit, HITS_MAX)?;
    look(session, move |session, transcript| {
        let held = session.memory().session();
        Ok(views::forgetting(&held, transcript, most))
    })
    .await
}
