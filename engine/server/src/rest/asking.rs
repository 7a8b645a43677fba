//! Questions and their answers.

use super::extract::{Body, Session};
use crate::blocking::{blocking, received};
use crate::measures;
use crate::problem::Problem;
use crate::sessions::OpenSession;
use crate::state::Shared;
use axum::Json;
use axum::extract::State;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse as _, Response};
use futures_util::{StreamExt as _, stream};
use serde::{Deserialize, Serialize};
use std::convert::Infallible;
use std::sync::Arc;
use tokio::sync::mpsc;
use weir_api::{Answered, ErrorClass};
use weir_core::answer::AnswerText;
use weir_core::limits;
use weir_engine::pipeline::{self, AskRequest, AskSettings};
use weir_engine::time::zone_named;
use weir_engine::{QuestionTime, ServiceError};

/// Most bytes of the name of a conversation.
const CONVERSATION_MAX: usize = 64;
/// Pieces of an answer that wait for a client.
const PIECES_MAX: usize = 16;

/// A question.
#[derive(Debug, Clone, Default, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
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
    /// Any name, at most 64 bytes, for the conversation that it belongs to: a question such as "And
    /// Bob?" is completed from those before it. The answer names the question that was understood.
    #[serde(default)]
    pub(crate) conversation: Option<String>,
    /// Whether the claims of the answer are checked; absent for the server's own setting.
    #[serde(default)]
    pub(crate) check: Option<bool>,
    /// Whether the answer comes as events (`text`, then `answer`) while a model writes it.
    #[serde(default)]
    pub(crate) stream: bool,
}

/// The text of an answer while a model writes it; only the answer counts.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub(crate) struct Written {
    /// Complete sentences, each supported by what it cites.
    checked: String,
    /// The beginning of the next sentence, not checked yet.
    tentative: String,
}

/// Answers a question from memory, with its evidence: who said it, when, in which second of audio.
#[cfg_attr(feature = "openapi", utoipa::path(
    post, path = "/v1/sessions/{session}/ask", tag = "asking",
    params(("session" = String, Path, description = "The session")),
    request_body = Asked,
    responses((status = 200, description = "done", body = Answered),
        (status = "default", description = "not done", body = Problem,
            content_type = "application/problem+json"))))]
pub(crate) async fn ask(
    State(server): State<Arc<Shared>>,
    Session(session): Session,
    Body(asked): Body<Asked>,
) -> Result<Response, Problem> {
    let usual = settings(&server, asked.context_tokens)?;
    let settings = AskSettings {
        check: asked.check.unwrap_or(usual.check),
        ..usual
    };
    let talk = asked.conversation.as_ref();
    if let Some(talk) = talk.filter(|it| it.len() > CONVERSATION_MAX) {
        let why = format!(
            "the name of a conversation has {} bytes; {CONVERSATION_MAX} are possible",
            talk.len()
        );
        return Err(Problem::bad(why));
    }
    if asked.stream {
        return Ok(in_pieces(session, asked, settings).into_response());
    }
    Ok(Json(answered(session, asked, settings).await?).into_response())
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

pub(super) fn request(asked: Asked) -> Result<AskRequest, ServiceError> {
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

/// Asks a question, completed from those before it in its conversation; `ask` gets the request.
/// Returns the answer, or `None` if `ask` gave the question up.
fn ask_in_talk(
    session: &OpenSession,
    mut asked: Asked,
    ask: impl FnOnce(AskRequest) -> Result<Option<pipeline::Answered>, ServiceError>,
) -> Result<Option<Answered>, ServiceError> {
    ServiceError::of_question(&asked.question)?;
    let talk = asked.conversation.take();
    if let Some(talk) = &talk {
        let user = asked.asked_by.as_deref();
        asked.question = session.talks().completed(talk, user, asked.question);
    }
    let Some(answered) = ask(request(asked)?)? else {
        return Ok(None);
    };
    if let Some(talk) = &talk {
        session.talks().answered(talk, &answered);
    }
    let answered = answered.wire(None);
    measures::answered(&answered.result);
    Ok(Some(answered))
}

/// The answer to a question.
pub(crate) async fn answered(
    session: Arc<OpenSession>,
    asked: Asked,
    settings: AskSettings,
) -> Result<Answered, Problem> {
    let answered = blocking(move || {
        ask_in_talk(&session, asked, |request| {
            session.handle().ask(request, Some(settings)).map(Some)
        })
    });
    let given_up = || Problem::of_class(ErrorClass::Gone, "the question was given up");
    answered.await?.ok_or_else(given_up)
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
            pieces
                .blocking_send(Event::default().event(kind).data(data))
                .is_ok()
        };
        let written = |request| {
            let pending = session.handle().start_to_ask(request, Some(settings))?;
            for AnswerText { checked, tentative } in pending.texts() {
                let piece = Written { checked, tentative };
                if !send("text", serde_json::to_string(&piece)) {
                    return Ok(None);
                }
            }
            pending.wait().map(Some)
        };
        match ask_in_talk(&session, asked, written) {
            Ok(Some(done)) => send("answer", serde_json::to_string(&done)),
            Ok(None) => false,
            Err(error) => {
                let problem: Problem = ServiceError::into(error);
                send("problem", serde_json::to_string(&problem))
            }
        };
    });
    Sse::new(received(written).map(Ok)).keep_alive(KeepAlive::default())
}
