//! The routes below `/v1`, by subject. Each says what it needs: with feature `openapi` the
//! description of the interface is made of the routes themselves, and a test compares it with the
//! one that is kept.

mod asking;
#[cfg(all(test, feature = "openapi"))]
mod described;
mod extract;
mod following;
mod holding;
mod importing;
mod looking;
mod recalling;
mod service;
mod sessions;
mod sound;
mod talk;
mod transfer;

pub(crate) use asking::{Asked, answered, settings};
pub(crate) use extract::{Body, Query, Upgrade};
pub(crate) use recalling::{RecallFor, Recalled, recalled};
pub(crate) use sound::{Hearing, Pcm, of_stream};
pub(crate) use talk::changed;

use crate::guard::{needs, sized};
use crate::state::Shared;
use crate::tokens::Scope;
use axum::middleware::from_fn_with_state;
use axum::{Router, routing};
use std::sync::Arc;

/// The description of the interface (OpenAPI), as it is kept.
pub const OPENAPI: &str = include_str!("../../openapi.json");

/// Defines a function that makes the routes of a part, and a table of them.
macro_rules! part {
    (
        $(#[$about:meta])* $part:ident, $table:ident:
        $($method:ident $path:literal $($of:ident)::+;)+
    ) => {
        $(#[$about])*
        fn $part() -> Router<Arc<Shared>> {
            Router::new()$(.route($path, routing::$method($($of)::+)))+
        }

        /// The methods and paths of these routes.
        #[cfg(all(test, feature = "openapi"))]
        const $table: &[(&str, &str)] = &[$((stringify!($method), $path)),+];
    };
}

part! {
    /// Routes that look and ask.
    reading, READING:
    get "/v1/sessions" sessions::list;
    get "/v1/sessions/{session}" sessions::stats;
    get "/v1/sessions/{session}/about" sessions::about;
    post "/v1/sessions/{session}/ask" asking::ask;
    post "/v1/sessions/{session}/recall" recalling::recall;
    get "/v1/sessions/{session}/events" following::events;
    get "/v1/sessions/{session}/tree" holding::tree;
    get "/v1/sessions/{session}/outline" looking::outline;
    get "/v1/sessions/{session}/timeline" looking::timeline;
    get "/v1/sessions/{session}/search" looking::search;
    get "/v1/sessions/{session}/since_opened" looking::since_opened;
    get "/v1/sessions/{session}/forgetting" looking::forgetting;
    get "/v1/sessions/{session}/nodes/{node}" holding::node;
    get "/v1/sessions/{session}/transcript" holding::transcript;
    get "/v1/sessions/{session}/beliefs" holding::beliefs;
    get "/v1/sessions/{session}/entities" holding::entities;
    get "/v1/sessions/{session}/profile" holding::profile;
    get "/v1/sessions/{session}/speakers" holding::speakers;
    get "/v1/sessions/{session}/sources" holding::sources;
    get "/v1/sessions/{session}/clip" holding::clip;
    get "/v1/sessions/{session}/export" transfer::export;
}

part! {
    /// Routes that hear and change.
    writing, WRITING:
    post "/v1/sessions/{session}/utterances" talk::hear;
    get "/v1/sessions/{session}/live" sound::live;
    post "/v1/sessions/{session}/changes" talk::change;
    patch "/v1/sessions/{session}/nodes/{node}" talk::edit;
    delete "/v1/sessions/{session}/nodes/{node}" talk::forget;
}

part! {
    /// Routes that take recordings and exports of other programs, whose bodies are long.
    recording, RECORDING:
    post "/v1/sessions/{session}/recordings" sound::recording;
    post "/v1/sessions/{session}/conversations" importing::conversations;
}

part! {
    /// Routes that make and delete whole sessions.
    administering, ADMINISTERING:
    put "/v1/sessions/{session}" sessions::create;
    delete "/v1/sessions/{session}" sessions::delete;
}

part! {
    /// Routes that take whole sessions, whose bodies are long.
    importing, IMPORTING:
    post "/v1/sessions/{session}/import" transfer::import;
}

part! {
    /// Routes that need no token.
    open, OPEN:
    get "/health" service::health;
    get "/ready" service::ready;
}

/// All routes.
pub(crate) fn routes(server: &Arc<Shared>) -> Router<Arc<Shared>> {
    let guarded = |routes: Router<Arc<Shared>>, scope: Scope| {
        let needed = (Arc::clone(server), scope);
        routes.layer(from_fn_with_state(needed, needs))
    };
    open()
        .merge(guarded(reading(), Scope::Read))
        .merge(guarded(writing(), Scope::Write))
        .merge(guarded(administering(), Scope::Admin))
        .layer(from_fn_with_state(server.config.limits.body_bytes, sized))
        .merge(guarded(recording(), Scope::Write))
        .merge(guarded(importing(), Scope::Admin))
}
