//! The web page: the files of the folder `page`, which the program carries. A debug build reads
//! them from the folder instead, so that a change is seen without building.

use crate::problem::Problem;
use axum::extract::Path;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use axum::routing::get;
use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use flate2::Compression;
use flate2::write::GzEncoder;
use rust_embed::RustEmbed;
use std::io::{self, Write as _};

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
    let accepted = headers.get(header::ACCEPT_ENCODING);
    let packed = accepted
        .and_then(|it| it.to_str().ok())
        .is_some_and(|it| it.contains("gzip"));
    let encoding = if packed { "gzip" } else { "identity" };
    let tag = format!("\"{hash}-{encoding}\"");
    let about: [(HeaderName, &str); 6] = [
        (header::CONTENT_TYPE, content_type(name)),
        (header::CONTENT_ENCODING, encoding),
        (header::VARY, "accept-encoding"),
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
    match packed {
        true => match gzip(&file.data) {
            Ok(data) => (about, data).into_response(),
            Err(error) => Problem::internal(error).into_response(),
        },
        false => (about, file.data).into_response(),
    }
}

/// A third of the bytes, for browsers on other machines.
fn gzip(data: &[u8]) -> io::Result<Vec<u8>> {
    let mut packed = GzEncoder::new(Vec::with_capacity(data.len() / 2), Compression::default());
    packed.write_all(data)?;
    packed.finish()
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
