//! The checks before a request reaches its route.
//!
//! A page on the web must not reach a server on this machine: its requests carry its own `Origin`,
//! and a name that was pointed at this machine to get around that stands in `Host`. So the host
//! must be one that the server knows, or an address, and an origin must be the server's own or
//! listed.

use crate::body::paced;
use crate::problem::Problem;
use crate::state::Shared;
use crate::tokens::Scope;
use axum::extract::{ConnectInfo, Request, State};
use axum::http::header::{AUTHORIZATION, CONNECTION, CONTENT_LENGTH, COOKIE, HOST, ORIGIN};
use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, Uri};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use weir_api::ErrorClass;

/// Name of the cookie with a token, for pages: an `EventSource` sends no other header.
const TOKEN_COOKIE: &str = "weir_token";

/// Lets a request through that comes from where it may, and not too fast. Whether the server lives
/// is told also when it has no place left.
pub(crate) async fn admitted(
    State(server): State<Arc<Shared>>,
    ConnectInfo(client): ConnectInfo<SocketAddr>,
    request: Request,
    next: Next,
) -> Response {
    let (head, body) = request.into_parts();
    let (body, ended) = paced(body);
    let request = Request::from_parts(head, body);
    let needs_place = !matches!(request.uri().path(), "/health" | "/ready");
    let checked = check_host(&server, &request)
        .and_then(|()| check_origin(&server, request.headers(), request.uri()))
        .and_then(|()| check_site(request.method(), request.headers()))
        .and_then(|()| server.paced(client.ip()))
        .and_then(|()| match needs_place {
            true => server.begin(client.ip()).map(Some),
            false => Ok(None),
        });
    let mut response = match checked {
        Ok(_working) => next.run(request).await,
        Err(refused) => {
            drop(request);
            refused.into_response()
        }
    };
    if !ended.is_so() {
        // what is left of the body would be read as the next request
        let close = HeaderValue::from_static("close");
        response.headers_mut().insert(CONNECTION, close);
    }
    response
}

/// The host that a request names: in its target, else in its header.
fn host(request: &Request) -> Option<Authority> {
    let of_target = request.uri().authority().cloned();
    of_target.or_else(|| request.headers().get(HOST)?.to_str().ok()?.parse().ok())
}

fn check_host(server: &Shared, request: &Request) -> Result<(), Problem> {
    let forbidden = |what: String| {
        let status = StatusCode::MISDIRECTED_REQUEST;
        Err(Problem::new(status, ErrorClass::BadInput, what))
    };
    if request.headers().get_all(HOST).iter().count() > 1 {
        return Err(Problem::bad("a request has one `Host` header"));
    }
    match host(request) {
        Some(host) if is_known(server, host.host()) => Ok(()),
        Some(host) => forbidden(format!(
            "this server is not known as `{}`; it is known as localhost, by its addresses, and by \
             the names it was started with",
            host.host()
        )),
        None => forbidden("a request names its host".to_owned()),
    }
}

fn is_known(server: &Shared, host: &str) -> bool {
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    let named = || {
        server
            .config
            .hosts
            .iter()
            .any(|it| it.eq_ignore_ascii_case(host))
    };
    bare.parse::<IpAddr>().is_ok() || host.eq_ignore_ascii_case("localhost") || named()
}

fn check_origin(server: &Shared, headers: &HeaderMap, target: &Uri) -> Result<(), Problem> {
    let Some(origin) = headers.get(ORIGIN) else {
        return Ok(());
    };
    let origin = origin.to_str().unwrap_or_default();
    let own = || {
        let of_header = headers.get(HOST).and_then(|host| host.to_str().ok());
        let host = of_header.or(target.authority().map(Authority::as_str));
        let from = origin.split_once("://").map(|(_, from)| from);
        from.is_some() && from == host
    };
    if own() || server.config.origins.iter().any(|it| it == origin) {
        return Ok(());
    }
    Err(Problem::new(
        StatusCode::FORBIDDEN,
        ErrorClass::BadInput,
        format!("pages of `{origin}` may not use this server"),
    ))
}

/// Refuses what a browser asks for on behalf of a page of another site without its `Origin`: sound,
/// pictures and frames. To go to an address is allowed.
fn check_site(method: &Method, headers: &HeaderMap) -> Result<(), Problem> {
    let value = |name: &str| headers.get(name).and_then(|it| it.to_str().ok());
    let is_foreign = matches!(value("sec-fetch-site"), Some("cross-site" | "same-site"));
    let goes_there = method == Method::GET
        && value("sec-fetch-mode") == Some("navigate")
        && value("sec-fetch-dest") == Some("document");
    if !is_foreign || goes_there || headers.contains_key(ORIGIN) {
        return Ok(());
    }
    Err(Problem::new(
        StatusCode::FORBIDDEN,
        ErrorClass::BadInput,
        "a page of another site asked for this without its origin; a page that may use this server \
         sets `crossorigin`",
    ))
}

/// A scope that a route needs, with the server that knows the tokens.
pub(crate) type Needs = (Arc<Shared>, Scope);

/// Lets a request through whose token has the scope. Without tokens, all may do everything: then
/// the server listens on loopback alone.
pub(crate) async fn needs(
    State((server, scope)): State<Needs>,
    mut request: Request,
    next: Next,
) -> Response {
    match check_token(&server, request.headers(), scope) {
        Ok(may) => {
            request.extensions_mut().insert(may);
            next.run(request).await
        }
        Err(refused) => refused.into_response(),
    }
}

/// What the client of a request may do, for routes on which that differs by what is asked.
#[derive(Debug, Clone, Copy)]
pub(crate) struct May {
    /// Whether it may hear and change.
    pub(crate) write: bool,
}

impl May {
    /// Without tokens, and for the program itself.
    pub(crate) const ALL: Self = Self { write: true };
}

/// The problem of a token without the scope.
pub(crate) fn lacks(scope: Scope) -> Problem {
    let why = match scope {
        Scope::Read => "the token lacks the scope `read`",
        Scope::Write => "the token lacks the scope `write`",
        Scope::Admin => "the token lacks the scope `admin`",
    };
    Problem::new(StatusCode::FORBIDDEN, ErrorClass::BadInput, why)
}

fn check_token(server: &Shared, headers: &HeaderMap, scope: Scope) -> Result<May, Problem> {
    if server.tokens.is_empty() {
        return Ok(May::ALL);
    }
    let unknown = |why: &str| {
        let status = StatusCode::UNAUTHORIZED;
        Err(Problem::new(status, ErrorClass::BadInput, why))
    };
    let Some(secret) = secret(headers) else {
        return unknown("this server needs a token: send it as `Authorization: Bearer TOKEN`");
    };
    match server.tokens.scopes(secret) {
        Some(scopes) if scopes.contains(&scope) => Ok(May {
            write: scopes.contains(&Scope::Write),
        }),
        Some(_) => Err(lacks(scope)),
        None => unknown("the token is not known"),
    }
}

/// Refuses a body that says that it is too long, before any of it is read.
pub(crate) async fn sized(State(most): State<usize>, request: Request, next: Next) -> Response {
    let length = request.headers().get(CONTENT_LENGTH);
    let length = length.and_then(|it| it.to_str().ok()?.parse::<u64>().ok());
    match length {
        Some(length) if length > most as u64 => Problem::new(
            StatusCode::PAYLOAD_TOO_LARGE,
            ErrorClass::BadInput,
            format!("a body of {length} bytes; {most} are possible here"),
        )
        .into_response(),
        _ => next.run(request).await,
    }
}

/// The token of a request: in the header, else in the cookie.
fn secret(headers: &HeaderMap) -> Option<&str> {
    let bearer = headers.get(AUTHORIZATION).and_then(|it| {
        let (kind, secret) = it.to_str().ok()?.split_once(' ')?;
        kind.eq_ignore_ascii_case("bearer").then(|| secret.trim())
    });
    bearer.or_else(|| {
        let cookies = headers.get_all(COOKIE).iter();
        let mut pairs = cookies
            .filter_map(|it| it.to_str().ok())
            .flat_map(|it| it.split(';'));
        pairs.find_map(|pair| match pair.trim().split_once('=') {
            Some((TOKEN_COOKIE, secret)) => Some(secret),
            _ => None,
        })
    })
}
