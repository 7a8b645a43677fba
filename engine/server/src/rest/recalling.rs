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
use weir_core::limits;
use weir_core::memory::{Kind, Node};
use weir_core::text::one_line;
use weir_engine::pipeline::{AnswerBy, AskSettings};
use weir_engine::views;
use weir_models::{CountTokens as _, WordPieceCounter};

/// With a filter so many times the tokens are recalled, and what passes it is kept.
const WIDER: usize = 4;

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
    fn is_filtered(&self) -> bool {
        self.speaker.is_some() || self.from_ms.is_some() || self.to_ms.is_some()
    }
}

/// A statement of a context.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub(crate) struct Recollection {
    /// Its name, for looking at it, correcting and forgetting it.
    pub(crate) id: String,
    /// Who said it; null if unknown.
    pub(crate) speaker: Option<String>,
    /// Its words, with their speaker.
    pub(crate) text: String,
    /// The day it was said; null if unknown.
    pub(crate) date: Option<String>,
    /// Session time when it was said, in milliseconds.
    pub(crate) said_ms: u64,
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
    /// The statements in it that are sorted into the tree.
    pub(crate) statements: Vec<Recollection>,
    /// The utterances that answer best, best first.
    pub(crate) citations: Vec<CitationResult>,
    /// Time of each step, in microseconds.
    pub(crate) timings_us: TimingsUs,
}

/// Recalls what memory holds for a query, as a context for a model. With a filter the context is
/// the statements that pass it.
#[cfg_attr(feature = "openapi", utoipa::path(
    post, path = "/v1/sessions/{session}/recall", tag = "asking",
    params(("session" = String, Path, description = "The session")),
    request_body = RecallFor,
    responses((status = 200, description = "done", body = Recalled),
        (status = "default", description = "not done", body = Problem))))]
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
    let mut settings = AskSettings {
        answer_by: AnswerBy::Quotes,
        ..settings(server, wanted.max_tokens)?
    };
    let tokens = settings.context_tokens;
    if wanted.is_filtered() {
        settings.context_tokens = (tokens * WIDER).min(limits::CONTEXT_TOKENS_MAX);
    }
    let asked = Asked {
        question: wanted.query.clone(),
        asked_by: wanted.asked_by.clone(),
        ..Asked::default()
    };
    blocking(move || {
        let found = session.handle().ask(request(asked)?, Some(settings))?;
        let statements = statements(&session, &found.recall.context.nodes, &wanted);
        let result = found.wire(None).result;
        let recalled = Recalled {
            context: result.context,
            tokens: result.context_tokens,
            answerable: !result.abstained,
            statements,
            citations: result.citations,
            timings_us: result.timings_us,
        };
        Ok::<_, Problem>(match wanted.is_filtered() {
            true => filtered(recalled, &wanted, tokens),
            false => recalled,
        })
    })
    .await
}

/// The statements among nodes that pass the filters, in the order said.
fn statements(
    session: &OpenSession,
    nodes: &[weir_core::memory::NodeId],
    wanted: &RecallFor,
) -> Vec<Recollection> {
    let (held, transcript) = (session.memory().session(), session.transcript());
    let tree = held.tree();
    // key words are no words that anybody said
    let readable = |it: &&Node| !it.is_key() || views::words_of(it, &transcript).is_some();
    let units = nodes
        .iter()
        .filter_map(|id| tree.node(*id))
        .filter(|it| it.kind == Kind::Unit)
        .filter(readable);
    let during = wanted.from_ms.unwrap_or(0)..wanted.to_ms.unwrap_or(u64::MAX);
    let passing = units.filter(|it| {
        views::is_speaker(wanted.speaker.as_deref(), it.speaker.as_deref())
            && during.contains(&it.said_ms)
    });
    let mut statements: Vec<Recollection> = passing
        .map(|it| Recollection {
            id: it.id.to_string(),
            speaker: it.speaker.clone(),
            text: one_line(&views::display_text(tree, it, &transcript)).into_owned(),
            date: views::When::of(tree, it)
                .days()
                .map(|(day, _)| day.to_string()),
            said_ms: it.said_ms,
        })
        .collect();
    statements.sort_by_key(|it| it.said_ms);
    statements
}

/// A context of the statements and citations that pass the filter, as far as they fit.
fn filtered(mut recalled: Recalled, wanted: &RecallFor, tokens: usize) -> Recalled {
    let counter = WordPieceCounter::shared();
    let (mut lines, mut used) = (Vec::new(), 0);
    recalled.statements.retain(|it| {
        let line = match &it.date {
            Some(date) => format!("{date}, {}", it.text),
            None => it.text.clone(),
        };
        let more = counter.count(&line);
        let fits = used + more <= tokens;
        if fits {
            used += more;
            lines.push(line);
        }
        fits
    });
    recalled
        .citations
        .retain(|it| views::is_speaker(wanted.speaker.as_deref(), it.speaker.as_deref()));
    Recalled {
        context: lines.join("\n"),
        tokens: used,
        ..recalled
    }
}
