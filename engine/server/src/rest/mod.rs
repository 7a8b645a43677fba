//! The routes below `/v1`, by subject. Each says what it needs, so that the description of the
//! interface (OpenAPI) is made of the routes themselves.

mod asking;
mod extract;
mod following;
mod holding;
mod looking;
mod recalling;
mod service;
mod sessions;
mod sound;
mod talk;
mod transfer;

pub(crate) use asking::{Asked, answered, settings};
pub(crate) use extract::Body;
pub(crate) use recalling::{RecallFor, Recalled, recalled};
pub(crate) use sound::{Hearing, Pcm, of_stream};
pub(crate) use talk::changed;

use crate::guard::{needs, sized};
use crate::state::Shared;
use crate::tokens::Scope;
use axum::Router;
use axum::middleware::from_fn_with_state;
use std::sync::Arc;
use utoipa::OpenApi as _;
use utoipa::openapi::security::{Http, HttpAuthScheme, SecurityScheme};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

/// What is not in the routes themselves.
#[derive(utoipa::OpenApi)]
#[openapi(
    info(
        title = "Weir",
        description = "A memory of talk: hear, ask, recall, change, follow. Errors are problem \
                       details (RFC 9457) with a class that says what a client can do.",
    ),
    modifiers(&Tokens),
    security((), ("token" = [])),
)]
struct About;

/// A server that other machines can reach needs a token.
struct Tokens;

impl utoipa::Modify for Tokens {
    fn modify(&self, described: &mut utoipa::openapi::OpenApi) {
        let token = SecurityScheme::Http(Http::new(HttpAuthScheme::Bearer));
        let components = described.components.get_or_insert_default();
        components.add_security_scheme("token", token);
    }
}

type Routes = OpenApiRouter<Arc<Shared>>;

/// Routes that look and ask.
fn reading() -> Routes {
    OpenApiRouter::new()
        .routes(routes!(sessions::list))
        .routes(routes!(sessions::stats))
        .routes(routes!(asking::ask))
        .routes(routes!(recalling::recall))
        .routes(routes!(following::events))
        .routes(routes!(holding::tree))
        .routes(routes!(looking::outline))
        .routes(routes!(looking::timeline))
        .routes(routes!(looking::search))
        .routes(routes!(looking::since_opened))
        .routes(routes!(holding::node))
        .routes(routes!(holding::transcript))
        .routes(routes!(holding::beliefs))
        .routes(routes!(holding::profile))
        .routes(routes!(holding::speakers))
        .routes(routes!(holding::sources))
        .routes(routes!(holding::clip))
        .routes(routes!(transfer::export))
}

/// Routes that hear and change.
fn writing() -> Routes {
    OpenApiRouter::new()
        .routes(routes!(talk::hear))
        .routes(routes!(sound::live))
        .routes(routes!(talk::change))
        .routes(routes!(talk::edit))
        .routes(routes!(talk::forget))
}

/// Routes that take recordings, whose bodies are long.
fn recording() -> Routes {
    OpenApiRouter::new().routes(routes!(sound::recording))
}

/// Routes that make and delete whole sessions.
fn administering() -> Routes {
    OpenApiRouter::new().routes(routes!(sessions::create, sessions::delete))
}

/// Routes that take whole sessions, whose bodies are long.
fn importing() -> Routes {
    OpenApiRouter::new().routes(routes!(transfer::import))
}

/// Routes that need no token.
fn open() -> Routes {
    OpenApiRouter::with_openapi(About::openapi())
        .routes(routes!(service::health))
        .routes(routes!(service::ready))
}

/// All routes, and the description of the interface.
pub(crate) fn routes(server: &Arc<Shared>) -> (Router<Arc<Shared>>, utoipa::openapi::OpenApi) {
    let guarded = |routes: Routes, scope: Scope| {
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
        .split_for_parts()
}

/// The description of the interface as pretty JSON, with a line end.
///
/// # Errors
/// Never: it is data of this program.
pub fn openapi() -> Result<String, serde_json::Error> {
    let all = open()
        .merge(reading())
        .merge(writing())
        .merge(administering());
    let all = all.merge(recording()).merge(importing());
    let described = all.split_for_parts().1;
    serde_json::to_string_pretty(&described).map(|it| it + "\n")
}
