//! Questions: answered here, or with a context for somebody else's model.

use super::extract::{Body, Session};
use crate::problem::{Problem, Reply};
use crate::sessions::OpenSession;
use crate::state::{Shared, blocking};
use axum::Json;
use axum::extract::State;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse as _, Response};
use futures_util::stream;
use serde::{Deserialize, Serialize};
use std::convert::Infallible;
use std::sync::Arc;
use tokio::sync::mpsc;
use utoipa::ToSchema;
use weir_api::{Answered, CitationResult, TimingsUs};
use weir_core::answer::AnswerText;
use weir_core::limits;
use weir_engine::pipeline::{AnswerBy, AskRequest, AskSettings};
use weir_engine::time::zone_named;
use weir_engine::{QuestionTime, ServiceError};

/// Pieces of an answer that wait for a client.
const PIECES_MAX: usize = 16;

/// A question.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Asked {
    /// Its words.
    pub(crate) question: String,
    /// Who asks, for "I" and "my"; absent if unknown.
    #[serde(default)]
    pub(crate) asked_by: Option<String>,
    /// When it is asked, in Unix milliseconds; absent for now.
    #[serde(default)]
    pub(crate) asked_at_unix_ms: Option<i64>,
    /// IANA name of the asker's time zone; absent for that of the talk.
    #[serde(default)]
    pub(crate) zone: Option<String>,
    /// Tokens of memory that the answer may use.
    #[serde(default)]
    pub(crate) context_tokens: Option<usize>,
    /// Whether the answer comes as events (`text`, then `answer`) while a model writes it.
    #[serde(default)]
    pub(crate) stream: bool,
}

/// What is to be recalled.
#[derive(Debug, Clone, Deserialize, ToSchema)]
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
}

/// A context for a model.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub(crate) struct Recalled {
    /// The text: what memory holds that concerns the query, each line with its speaker and day.
    pub(crate) context: String,
    /// Its tokens.
    pub(crate) tokens: usize,
    /// Whether memory supports an answer.
    pub(crate) answerable: bool,
    /// The utterances that answer best, best first.
    pub(crate) citations: Vec<CitationResult>,
    /// Time of each step, in microseconds.
    pub(crate) timings_us: TimingsUs,
}

/// The text of an answer while a model writes it; only the answer counts.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Written {
    /// Complete sentences, each supported by what it cites.
    checked: String,
    /// The beginning of the next sentence, not checked yet.
    tentative: String,
}

/// Answers a question from memory, with its evidence: who said it, when, in which second of audio.
#[utoipa::path(post, path = "/v1/sessions/{session}/ask", tag = "asking",
    params(("session" = String, Path, description = "The session")),
    request_body = Asked,
    responses((status = 200, body = Answered), (status = "default", body = Problem)))]
pub(crate) async fn ask(
    State(server): State<Arc<Shared>>,
    Session(session): Session,
    Body(asked): Body<Asked>,
) -> Result<Response, Problem> {
    let settings = settings(&server, asked.context_tokens)?;
    if asked.stream {
        return Ok(in_pieces(session, asked, settings).into_response());
    }
    Ok(Json(answered(session, asked, settings).await?).into_response())
}

/// Recalls what memory holds for a query, as a context for a model.
#[utoipa::path(post, path = "/v1/sessions/{session}/recall", tag = "asking",
    params(("session" = String, Path, description = "The session")),
    request_body = RecallFor,
    responses((status = 200, body = Recalled), (status = "default", body = Problem)))]
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
        ..settings(server, wanted.max_tokens)?
    };
    let asked = Asked {
        question: wanted.query,
        asked_by: wanted.asked_by,
        asked_at_unix_ms: None,
        zone: None,
        context_tokens: None,
        stream: false,
    };
    let result = answered(session, asked, settings).await?.result;
    Ok(Recalled {
        context: result.context,
        tokens: result.context_tokens,
        answerable: !result.abstained,
        citations: result.citations,
        timings_us: result.timings_us,
    })
}

/// The server's settings for one question.
pub(crate) fn settings(server: &Shared, tokens: Option<usize>) -> Result<AskSettings, Problem> {
    let usual = server.sessions.maker().settings().clone();
    let Some(context_tokens) = tokens else {
        return Ok(usual);
    };
    let legal = limits::CONTEXT_TOKENS_MIN..=limits::CONTEXT_TOKENS_MAX;
    match legal.contains(&context_tokens) {
        true => Ok(AskSettings {
            context_tokens,
            ..usual
        }),
        false => Err(Problem::bad(format!(
            "{context_tokens} tokens of context; {} to {} are possible",
            legal.start(),
            legal.end()
        ))),
    }
}

fn request(asked: Asked) -> Result<AskRequest, ServiceError> {
    Ok(AskRequest {
        id: "ask".to_owned(),
        stream: None,
        text: asked.question,
        asked_by: asked.asked_by,
        at: QuestionTime {
            unix_ms: asked.asked_at_unix_ms,
            zone: asked.zone.as_deref().map(zone_named).transpose()?,
        },
    })
}

/// The answer to a question.
pub(crate) async fn answered(
    session: Arc<OpenSession>,
    asked: Asked,
    settings: AskSettings,
) -> Result<Answered, Problem> {
    blocking(move || {
        let answered = session.handle().ask(request(asked)?, Some(settings))?;
        Ok::<_, ServiceError>(answered.wire(None))
    })
    .await
}

/// The answer as events: its text while a model writes it, then the answer. A client that goes
/// away gives the question up.
fn in_pieces(
    session: Arc<OpenSession>,
    asked: Asked,
    settings: AskSettings,
) -> Sse<impl stream::Stream<Item = Result<Event, Infallible>>> {
    let (pieces, written) = mpsc::channel::<Event>(PIECES_MAX);
    tokio::task::spawn_blocking(move || {
        let send = |kind: &str, json: Result<String, serde_json::Error>| {
            let data = json.unwrap_or_else(|error| error.to_string());
            pieces.blocking_send(Event::default().event(kind).data(data)).is_ok()
        };
        let answered = || {
            let pending = session.handle().start_to_ask(request(asked)?, Some(settings))?;
            for AnswerText { checked, tentative } in pending.texts() {
                let piece = Written { checked, tentative };
                if !send("text", serde_json::to_string(&piece)) {
                    return Ok(None);
                }
            }
            pending.wait().map(Some)
        };
        match answered() {
            Ok(Some(done)) => send("answer", serde_json::to_string(&done.wire(None))),
            Ok(None) => false,
            Err(error) => {
                let problem: Problem = ServiceError::into(error);
                send("problem", serde_json::to_string(&problem))
            }
        };
    });
    let events = stream::unfold(written, |mut written| async {
        written.recv().await.map(|event| (Ok(event), written))
    });
    Sse::new(events).keep_alive(KeepAlive::default())
}
