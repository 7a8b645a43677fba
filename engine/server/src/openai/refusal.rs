//! Errors as OpenAI's clients read them.

use crate::problem::Problem;
use axum::Json;
use axum::response::{IntoResponse, Response};
use serde_json::json;

/// A problem as OpenAI's clients read it: with an `error` beside the usual members.
pub(super) struct Refusal(Problem);

impl From<Problem> for Refusal {
    fn from(problem: Problem) -> Self {
        Self(problem)
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let error = json!({"message": self.0.detail(), "type": self.0.class(), "code": null});
        let mut body = serde_json::to_value(&self.0).unwrap_or_default();
        body["error"] = error;
        let (parts, _) = self.0.into_response().into_parts();
        let mut response = Json(body).into_response();
        *response.status_mut() = parts.status;
        response
    }
}
