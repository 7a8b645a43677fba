//! The web page: the files of the folder `page`, which the program carries. A debug build reads
//! them from the folder instead, so that a change is seen without building.

use crate::problem::Problem;
use axum::extract::Path;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use axum::routing::get;
use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use rust_embed::RustEmbed;

/// What the page may do: use files and interfaces of this server, and play sound that it fetched.
const MAY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; \
    img-src 'self' data:; media-src 'self' blob:; manifest-src 'self'; worker-src 'self'; \
    base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

#[derive(RustEmbed)]
#[folder = "page"]
struct Files;

/// `/`, and the files of the page below `/page`.
pub(crate) fn routes<S: Clone + Send + Sync + 'static>() -> axum::Router<S> {
    let first = |headers: HeaderMap| async move { file("index.html", &headers) };
    let other = |Path(name): Path<String>, headers: HeaderMap| async move { file(&name, &headers) };
    axum::Router::new()
        .route("/", get(first))
        .route("/page/{*file}", get(other))
}

/// A file of the page. A browser asks each time whether its copy is current.
fn file(name: &str, headers: &HeaderMap) -> Response {
    let Some(file) = Files::get(name) else {
        return Problem::not_found(format!("the page has no file `{name}`")).into_response();
    };
    let hash = BASE64_URL_SAFE_NO_PAD.encode(file.metadata.sha256_hash());
    let tag = format!("\"{hash}\"");
    let about: [(HeaderName, &str); 4] = [
        (header::CONTENT_TYPE, content_type(name)),
        (header::CACHE_CONTROL, "no-cache"),
        (header::CONTENT_SECURITY_POLICY, MAY),
        (header::ETAG, &tag),
    ];
    let known = headers
        .get(header::IF_NONE_MATCH)
        .map(HeaderValue::as_bytes);
    if known == Some(tag.as_bytes()) {
        return (StatusCode::NOT_MODIFIED, about).into_response();
    }
    (about, file.data).into_response()
}

fn content_type(name: &str) -> &'static str {
    match name.rsplit_once('.').map(|(_, ending)| ending) {
        Some("html") => "text/html; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("svg") => "image/svg+xml",
        Some("json") => "application/json",
        _ => "text/plain; charset=utf-8",
    }
}
