//! The application: all routes with the checks and bounds around them.

use crate::guard::{admitted, needs};
use crate::mcp;
use crate::measures;
use crate::openai;
use crate::page;
use crate::problem::Problem;
use crate::rest;
use crate::state::Shared;
use crate::tokens::Scope;
use axum::Router;
use axum::extract::{DefaultBodyLimit, MatchedPath, Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::middleware::{Next, from_fn, from_fn_with_state};
use axum::response::{IntoResponse as _, Response};
use axum::routing::get;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use tower_http::cors::{AllowHeaders, AllowMethods, CorsLayer};
use tower_http::timeout::RequestBodyTimeoutLayer;
use weir_api::ErrorClass;

/// What the page of the interface may load: nothing from elsewhere.
const PAGES_MAY: &str = "default-src 'self'; style-src 'self' 'unsafe-inline'; \
    img-src 'self' data:; frame-ancestors 'none'";

/// Pages of other sites get nothing as sound or as a picture.
const CROSS_ORIGIN_RESOURCE_POLICY: HeaderName =
    HeaderName::from_static("cross-origin-resource-policy");

/// By it a client finds its request in the log.
const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// All routes with the checks and bounds around them.
pub(crate) fn application(shared: &Arc<Shared>) -> Router {
    let talking = || from_fn_with_state((Arc::clone(shared), Scope::Write), needs);
    let looking = from_fn_with_state((Arc::clone(shared), Scope::Read), needs);
    let limits = &shared.config.limits;
    let origins = shared
        .config
        .origins
        .iter()
        .filter_map(|it| HeaderValue::from_str(it).ok());
    let cors = CorsLayer::new()
        .allow_origin(origins.collect::<Vec<_>>())
        .allow_methods(AllowMethods::mirror_request())
        .allow_headers(AllowHeaders::mirror_request());
    let json = [(header::CONTENT_TYPE, "application/json")];
    rest::routes(shared)
        .merge(openai::routes(limits.audio_bytes).layer(talking()))
        .merge(openai::listing().layer(looking.clone()))
        .merge(mcp::routes(shared).layer(looking.clone()))
        .merge(measures::routes().layer(looking))
        .route(
            "/openapi.json",
            get(move || async move { (json, rest::OPENAPI) }),
        )
        .merge(docs())
        .merge(page::routes())
        .fallback(unknown)
        .method_not_allowed_fallback(not_so)
        .layer(DefaultBodyLimit::max(limits.body_bytes))
        .layer(RequestBodyTimeoutLayer::new(limits.read))
        .layer(from_fn_with_state(Arc::clone(shared), told))
        .layer(cors)
        .layer(from_fn_with_state(Arc::clone(shared), admitted))
        .layer(from_fn(logged))
        .with_state(Arc::clone(shared))
}

/// The page of the interface.
#[cfg(feature = "docs")]
fn docs() -> Router<Arc<Shared>> {
    use utoipa_swagger_ui::{Config, SwaggerUi};
    // it would ask a server on the internet what it thinks of the description
    let config = Config::new(["/openapi.json"]).validator_url("none");
    SwaggerUi::new("/docs").config(config).into()
}

/// In the place of the page of the interface, which this build leaves out: the description.
#[cfg(not(feature = "docs"))]
fn docs() -> Router<Arc<Shared>> {
    let described = || async { axum::response::Redirect::temporary("/openapi.json") };
    Router::new().route("/docs", get(described))
}

async fn unknown(request: Request) -> Problem {
    Problem::not_found(format!(
        "there is no `{}` here; /openapi.json lists what is",
        request.uri().path()
    ))
}

async fn not_so(request: Request) -> Problem {
    Problem::new(
        StatusCode::METHOD_NOT_ALLOWED,
        ErrorClass::BadInput,
        format!(
            "{} is not possible here; /openapi.json lists what is",
            request.method()
        ),
    )
}

/// Logs what went wrong here with the names of files, and leaves the folder out of what the client
/// is told.
async fn told(State(server): State<Arc<Shared>>, request: Request, next: Next) -> Response {
    let response = next.run(request).await;
    let Some(problem) = response.extensions().get::<Problem>() else {
        return response;
    };
    if response.status().is_server_error() {
        log::warn!("{}: {}", response.status(), problem.detail());
    }
    let shown = problem.without(server.sessions.folder());
    shown.map_or(response, |it| it.into_response())
}

/// Logs a request by its id, method, path and status: no words of talk, no token. The id is that of
/// the client, if it sent one, and goes back with the response.
async fn logged(request: Request, next: Next) -> Response {
    let began = std::time::Instant::now();
    let id = request_id(request.headers());
    let what = format!("{} {}", request.method(), request.uri().path());
    let route = request
        .extensions()
        .get::<MatchedPath>()
        .map(|it| it.as_str().to_owned());
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    for (name, value) in [
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::CACHE_CONTROL, "no-store"),
        (header::CONTENT_SECURITY_POLICY, PAGES_MAY),
        (CROSS_ORIGIN_RESOURCE_POLICY, "same-origin"),
    ] {
        // the page has its own
        headers
            .entry(name)
            .or_insert(HeaderValue::from_static(value));
    }
    let status = response.status().as_u16();
    measures::request(route.unwrap_or_default(), status, began.elapsed());
    let took = began.elapsed().as_millis();
    log::info!("{what}: {status} after {took} ms, request {id}");
    if let Ok(id) = HeaderValue::from_str(&id) {
        response.headers_mut().insert(REQUEST_ID, id);
    }
    response
}

/// The id that the client gave a request, of at most 64 letters, digits, `-` and `_`; else the next
/// number.
fn request_id(headers: &HeaderMap) -> String {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    let is_plain = |it: u8| it.is_ascii_alphanumeric() || b"-_".contains(&it);
    let given = headers.get(REQUEST_ID).and_then(|it| it.to_str().ok());
    match given.filter(|it| (1..=64).contains(&it.len()) && it.bytes().all(is_plain)) {
        Some(given) => given.to_owned(),
        None => NEXT.fetch_add(1, Ordering::Relaxed).to_string(),
    }
}
