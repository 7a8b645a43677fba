//! What memory holds for a question or a message, as a context for somebody else's model.

use super::asking::{Asked, request, settings};
use super::extract::{Body, Session};
use crate::blocking::blocking;
use crate::problem::{Problem, Reply};
use crate::sessions::OpenSession;
use crate::state::Shared;
use axum::Json;
use axum::extract::State;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use weir_api::{CitationResult, TimingsUs};
use weir_core::answer::ShownStatement;
use weir_core::text::one_line;
use weir_core::window::Window;
use weir_engine::pipeline::{AnswerBy, AskSettings};

/// What is to be recalled.
#[derive(Debug, Clone, Default, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub(crate) struct RecallFor {
    /// What it is for: a question or a message.
    pub(crate) query: String,
    /// Most tokens of the context.
    #[serde(default)]
    pub(crate) max_tokens: Option<usize>,
    /// Who asks, for "I" and "my"; absent if unknown.
    #[serde(default)]
    pub(crate) asked_by: Option<String>,
    /// Only what this speaker said.
    #[serde(default)]
    pub(crate) speaker: Option<String>,
    /// Only what was said from then on, in session time.
    #[serde(default)]
    pub(crate) from_ms: Option<u64>,
    /// Only what was said before then, in session time.
    #[serde(default)]
    pub(crate) to_ms: Option<u64>,
}

impl RecallFor {
    /// The part of the talk that is meant; `None` for all that is known.
    fn window(&self) -> Option<Window> {
        let all = Window::default();
        let window = Window {
            speaker: self.speaker.clone(),
            session_ms: self.from_ms.unwrap_or(0)..self.to_ms.unwrap_or(all.session_ms.end),
        };
        (window != all).then_some(window)
    }
}

/// A statement of a context.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub(crate) struct Recollection {
    /// Its name, for looking at it, correcting and forgetting it; null while it waits to be sorted
    /// into the tree.
    pub(crate) id: Option<String>,
    /// The id of its utterance; null if unknown.
    pub(crate) utterance: Option<String>,
    /// Who said it; null if unknown.
    pub(crate) speaker: Option<String>,
    /// Its words on one line, with their speaker.
    pub(crate) text: String,
    /// The day it was said; null if unknown.
    pub(crate) date: Option<String>,
    /// Session time when it was said, in milliseconds.
    pub(crate) said_ms: u64,
    /// How often it was said, in these or other words.
    pub(crate) times: u32,
}

impl Recollection {
    fn of(shown: &ShownStatement) -> Self {
        Self {
            id: shown.node.map(|it| it.to_string()),
            utterance: shown.utterance.clone(),
            speaker: shown.speaker.clone(),
            text: match &shown.speaker {
                Some(speaker) => format!("{}: {}", one_line(speaker), shown.text),
                None => shown.text.clone(),
            },
            date: shown.day.map(|it| it.to_string()),
            said_ms: shown.said_ms,
            times: shown.times,
        }
    }
}

/// A context for a model.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub(crate) struct Recalled {
    /// The text: what memory holds that concerns the query, each line with its speaker and day.
    pub(crate) context: String,
    /// Its tokens.
    pub(crate) tokens: usize,
    /// Whether memory supports an answer.
    pub(crate) answerable: bool,
    /// The statements in it, best first.
    pub(crate) statements: Vec<Recollection>,
    /// The utterances that answer best, best first.
    pub(crate) citations: Vec<CitationResult>,
    /// Time of each step, in microseconds.
    pub(crate) timings_us: TimingsUs,
}

/// Recalls what memory holds for a query, as a context for a model. With a filter, the part of the
/// talk that passes it is all that is known.
#[cfg_attr(feature = "openapi", utoipa::path(
    post, path = "/v1/sessions/{session}/recall", tag = "asking",
    params(("session" = String, Path, description = "The session")),
    request_body = RecallFor,
    responses((status = 200, description = "done", body = Recalled),
        (status = "default", description = "not done", body = Problem,
            content_type = "application/problem+json"))))]
pub(crate) async fn recall(
    State(server): State<Arc<Shared>>,
    Session(session): Session,
    Body(wanted): Body<RecallFor>,
) -> Reply<Recalled> {
    Ok(Json(recalled(&server, session, wanted).await?))
}

/// What memory holds for a query.
pub(crate) async fn recalled(
    server: &Shared,
    session: Arc<OpenSession>,
    wanted: RecallFor,
) -> Result<Recalled, Problem> {
    let settings = AskSettings {
        answer_by: AnswerBy::Quotes,
        window: wanted.window(),
        ..settings(server, wanted.max_tokens)?
    };
    let asked = Asked {
        question: wanted.query,
        asked_by: wanted.asked_by,
        ..Asked::default()
    };
    blocking(move || {
        let found = session.handle().ask(request(asked)?, Some(settings))?;
        let statements = found.recall.context.statements.iter();
        let statements = statements.map(Recollection::of).collect();
        let result = found.wire(None).result;
        Ok::<_, Problem>(Recalled {
            context: result.context,
            tokens: result.context_tokens,
            answerable: !result.abstained,
            statements,
            citations: result.citations,
            timings_us: result.timings_us,
        })
    })
    .await
}
