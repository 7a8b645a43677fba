//! Errors as problem details (RFC 9457), with the class of the service.

use axum::Json;
use axum::http::header::{CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use std::fmt::Display;
use std::path::{MAIN_SEPARATOR, Path};
use weir_api::ErrorClass;
use weir_engine::{MemoryError, ServiceError};

/// Why a request was not carried out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Problem {
    /// `about:blank`: the status and the class say what kind of problem it is.
    #[serde(rename = "type")]
    kind: &'static str,
    /// The status in words.
    title: String,
    /// The status code.
    status: u16,
    /// What a client can do about it.
    class: ErrorClass,
    /// What is wrong, and the legal values.
    detail: String,
}

/// The reply to a request, or a problem.
pub(crate) type Reply<T> = Result<Json<T>, Problem>;

impl Problem {
    pub(crate) fn new(status: StatusCode, class: ErrorClass, detail: impl Display) -> Self {
        Self {
            kind: "about:blank",
            title: status.canonical_reason().unwrap_or("Error").to_owned(),
            status: status.as_u16(),
            class,
            detail: detail.to_string(),
        }
    }

    pub(crate) fn of_class(class: ErrorClass, detail: impl Display) -> Self {
        let status = match class {
            ErrorClass::BadInput => StatusCode::BAD_REQUEST,
            ErrorClass::Conflict => StatusCode::CONFLICT,
            ErrorClass::Busy => StatusCode::TOO_MANY_REQUESTS,
            ErrorClass::Gone => StatusCode::SERVICE_UNAVAILABLE,
            ErrorClass::Storage => StatusCode::INSUFFICIENT_STORAGE,
            ErrorClass::Model | ErrorClass::Internal => StatusCode::INTERNAL_SERVER_ERROR,
        };
        Self::new(status, class, detail)
    }

    pub(crate) fn bad(detail: impl Display) -> Self {
        Self::of_class(ErrorClass::BadInput, detail)
    }

    pub(crate) fn busy(detail: impl Display) -> Self {
        Self::of_class(ErrorClass::Busy, detail)
    }

    pub(crate) fn internal(detail: impl Display) -> Self {
        Self::of_class(ErrorClass::Internal, detail)
    }

    pub(crate) fn not_found(detail: impl Display) -> Self {
        Self::new(StatusCode::NOT_FOUND, ErrorClass::BadInput, detail)
    }

    /// The same without the name of a folder, if it has it: clients need not know where the server
    /// keeps its files.
    pub(crate) fn without(&self, folder: &Path) -> Option<Self> {
        let inside = format!("{}{MAIN_SEPARATOR}", folder.display());
        self.detail.contains(&inside).then(|| Self {
            detail: self.detail.replace(&inside, ""),
            ..self.clone()
        })
    }

    /// What a client can do about it.
    pub(crate) fn class(&self) -> ErrorClass {
        self.class
    }

    /// What is wrong.
    pub(crate) fn detail(&self) -> &str {
        &self.detail
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let status = StatusCode::from_u16(self.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let mut response = (status, Json(&self)).into_response();
        let headers = response.headers_mut();
        headers.insert(
            CONTENT_TYPE,
            HeaderValue::from_static("application/problem+json"),
        );
        match status {
            StatusCode::UNAUTHORIZED => {
                headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
            }
            StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE => {
                headers.insert(RETRY_AFTER, HeaderValue::from_static("1"));
            }
            _ => {}
        }
        // for what is done with all of them
        response.extensions_mut().insert(self);
        response
    }
}

impl From<ServiceError> for Problem {
    fn from(error: ServiceError) -> Self {
        Self::of_class(error.class(), error)
    }
}

impl From<MemoryError> for Problem {
    fn from(error: MemoryError) -> Self {
        Self::of_class(error.class(), error)
    }
}
