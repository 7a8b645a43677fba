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
use std::borrow::Cow;
use std::io::{self, Write as _};

/// What the page may do: use files and interfaces of this server, and play sound that it fetched.
const MAY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; \
    img-src 'self' data:; media-src 'self' blob:; font-src 'self'; manifest-src 'self'; \
    worker-src 'self'; \
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
    let data = slim(name, file.data);
    match packed {
        true => match gzip(&data) {
            Ok(data) => (about, data).into_response(),
            Err(error) => Problem::internal(error).into_response(),
        },
        false => (about, data.into_owned()).into_response(),
    }
}

/// Blanks of a style sheet that mean nothing; none of ours has such a text in quotes.
const CSS_BLANKS: [(&str, &str); 6] = [
    (": ", ":"),
    ("; ", ";"),
    (" {", "{"),
    ("{ ", "{"),
    (" }", "}"),
    (", ", ","),
];

/// Without what only those who write the page need: indentation, and lines that are comments.
fn slim<'a>(name: &str, data: Cow<'a, [u8]>) -> Cow<'a, [u8]> {
    let is_ours = !name.starts_with("vendor/") && (name.ends_with(".js") || name.ends_with(".css"));
    let Some(text) = std::str::from_utf8(&data).ok().filter(|_| is_ours) else {
        return data;
    };
    let lines = text.lines().map(str::trim_start);
    let kept = lines.filter(|line| !line.is_empty() && !line.starts_with("//"));
    let mut slim = String::with_capacity(text.len());
    for line in kept {
        slim.push_str(line);
        slim.push('\n');
    }
    if name.ends_with(".css") {
        for (wide, narrow) in CSS_BLANKS {
            slim = slim.replace(wide, narrow);
        }
    }
    Cow::Owned(slim.into_bytes())
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
        Some("woff2") => "font/woff2",
        _ => "text/plain; charset=utf-8",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_sent_has_no_comments_and_no_indentation() {
        let source = "// Why.\nconst a = `\n  <b>`;\n\n  /// How.\n  run(a); // now\n";
        let sent = |name| slim(name, Cow::Borrowed(source.as_bytes())).into_owned();
        assert_eq!(sent("app.js"), b"const a = `\n<b>`;\nrun(a); // now\n");
        assert_eq!(sent("vendor/preact.js"), source.as_bytes(), "as it came");
        assert_eq!(sent("icon.svg"), source.as_bytes());
        let style = "/* one */\n.a, .b > i { left: calc(1px + 2px); margin: 0 1px }\n";
        let sent = slim("style.css", Cow::Borrowed(style.as_bytes())).into_owned();
        let expected = "/* one */\n.a,.b > i{left:calc(1px + 2px);margin:0 1px}\n";
        assert_eq!(sent, expected.as_bytes());
    }

    /// A text in several lines would lose its indentation on the way.
    #[test]
    fn every_file_of_the_page_can_be_sent() {
        for name in Files::iter() {
            let file = Files::get(&name).expect("it is listed");
            assert!(!slim(&name, file.data).is_empty(), "{name}");
            let known = content_type(&name) != "text/plain; charset=utf-8";
            assert!(known || name.starts_with("vendor/"), "{name}");
        }
    }
}
