//! Parts of a request, refused with a problem where they are wrong.

use crate::problem::Problem;
use crate::sessions::{Absent, OpenSession, SessionName};
use crate::state::Shared;
use axum::Json;
use axum::extract::ws::WebSocketUpgrade;
use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::extract::{FromRequest, FromRequestParts, RawPathParams, Request};
use axum::http::request::Parts;
use serde::de::DeserializeOwned;
use std::sync::Arc;
use weir_api::{Budgets, ErrorClass};
use weir_core::memory::NodeId;

/// A session that exists.
pub(crate) struct Session(pub(crate) Arc<OpenSession>);

/// The body of a request as JSON.
pub(crate) struct Body<T>(pub(crate) T);

/// What stands behind the `?` of an address.
pub(crate) struct Query<T>(pub(crate) T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequestParts<S> for Query<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let read = axum::extract::Query::<T>::from_request_parts(parts, state).await;
        let axum::extract::Query(query) = read.map_err(|wrong| Problem::bad(wrong.body_text()))?;
        Ok(Self(query))
    }
}

/// A connection that becomes a WebSocket.
pub(crate) struct Upgrade(pub(crate) WebSocketUpgrade);

impl<S: Send + Sync> FromRequestParts<S> for Upgrade {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let upgrade = WebSocketUpgrade::from_request_parts(parts, state).await;
        let refused = |it: WebSocketUpgradeRejection| {
            Problem::new(it.status(), ErrorClass::BadInput, it.body_text())
        };
        upgrade.map(Self).map_err(refused)
    }
}

/// The node that a path names.
pub(crate) struct Node(pub(crate) NodeId);

impl<S: Send + Sync> FromRequestParts<S> for Node {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let path = RawPathParams::from_request_parts(parts, state).await;
        let path = path.map_err(Problem::bad)?;
        let named = path.iter().find(|(key, _)| *key == "node");
        let (_, id) = named.ok_or_else(|| Problem::internal("the route names no node"))?;
        id.parse()
            .map(Self)
            .map_err(|why: String| Problem::bad(why))
    }
}

/// The session that a path names.
pub(crate) async fn name(parts: &mut Parts, server: &Arc<Shared>) -> Result<SessionName, Problem> {
    let path = RawPathParams::from_request_parts(parts, server).await;
    let path = path.map_err(Problem::bad)?;
    let named = path.iter().find(|(key, _)| *key == "session");
    let (_, name) = named.ok_or_else(|| Problem::internal("the route names no session"))?;
    name.parse().map_err(Problem::bad)
}

impl FromRequestParts<Arc<Shared>> for SessionName {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, server: &Arc<Shared>) -> Result<Self, Problem> {
        name(parts, server).await
    }
}

impl FromRequestParts<Arc<Shared>> for Session {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, server: &Arc<Shared>) -> Result<Self, Problem> {
        let name = name(parts, server).await?;
        let found = server
            .sessions
            .get(&name, Absent::Refuse, Budgets::default());
        found.await.map(Self)
    }
}

impl<T: DeserializeOwned> FromRequest<Arc<Shared>> for Body<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, server: &Arc<Shared>) -> Result<Self, Problem> {
        let read = Json::<T>::from_request(request, server).await;
        let Json(body) = read.map_err(|wrong| {
            Problem::new(wrong.status(), ErrorClass::BadInput, wrong.body_text())
        })?;
        Ok(Self(body))
    }
}
