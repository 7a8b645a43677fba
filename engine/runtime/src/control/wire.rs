//! Wire types to those of the service, and back.

use crate::pipeline::labels;
use crate::pipeline::{AskRequest, Change, ServiceError, SessionHandle};
use crate::sourcefile::parse_text;
use std::time::Duration;
use weir_api as api;
use weir_core::answer::QuestionTime;
use weir_core::session::{Budgets, SpeakerChange, Target};
use weir_core::sources::Source;
use weir_core::stream::{Span, StreamStart, Utterance};
use weir_models::Encode;

/// Longest time in which a request must begin: an hour.
const LIMIT_MS_MAX: u64 = 3_600_000;

/// A change as a client wrote it. Encodes the passages of a source.
///
/// # Errors
/// [`ServiceError::Malformed`] for a name that is none, or names no speaker or stream, or a text
/// that cannot be a source.
pub fn change_of(change: api::Change, encoder: &dyn Encode) -> Result<Change, ServiceError> {
    check_names(&change)?;
    Ok(match change {
        api::Change::Begin {
            name,
            started_at_unix_ms,
            zone,
            beside,
        } => Change::Begin(StreamStart {
            name,
            started_at_unix_ms,
            zone,
            beside,
        }),
        api::Change::End { stream } => Change::End(stream),
        api::Change::Pause {
            stream,
            resumes_at_unix_ms,
        } => Change::Pause {
            stream,
            resumes_at_unix_ms,
        },
        api::Change::Flush => Change::Flush,
        api::Change::Pin { nodes, pinned } => Change::Pin {
            nodes: all(&nodes)?,
            pinned,
        },
        api::Change::Edit { node, text, was } => edit(&node, text, was)?,
        api::Change::PinFacts { facts, pinned } => Change::PinFacts {
            facts: all(&facts)?,
            pinned,
        },
        api::Change::EditFact { fact, value } => Change::EditFact {
            fact: named(&fact)?,
            value,
        },
        api::Change::Budget(budgets) => Change::Budget(bounds(budgets)),
        api::Change::NameSpeaker { speaker, name } => {
            Change::Speaker(SpeakerChange::Name { speaker, name })
        }
        api::Change::MergeSpeaker { speaker, into } => {
            Change::Speaker(SpeakerChange::Merge { speaker, into })
        }
        api::Change::ForgetSpeaker { speaker } => {
            Change::Speaker(SpeakerChange::Forget { speaker })
        }
        api::Change::AddSource {
            name,
            weight,
            texts,
        } => Change::AddSource(Box::new(source(&name, weight, texts, encoder)?)),
        api::Change::RemoveSource { name } => Change::RemoveSource(name.trim().to_owned()),
        api::Change::Erase { targets } => {
            let targets = targets.into_iter().map(target);
            Change::Erase(targets.collect::<Result<_, _>>()?)
        }
    })
}

/// Refuses new names that cannot be those of a speaker or a stream.
fn check_names(change: &api::Change) -> Result<(), ServiceError> {
    match change {
        api::Change::Begin { name, .. } => labels::check("stream", name),
        api::Change::NameSpeaker { name, .. } => labels::check("speaker", name),
        _ => Ok(()),
    }
}

fn edit(node: &str, text: String, was: Option<String>) -> Result<Change, ServiceError> {
    let node = named(node)?;
    Ok(Change::Edit { node, text, was })
}

fn bounds(budgets: api::Budgets) -> Budgets {
    Budgets {
        tokens: budgets.tokens,
        bytes: budgets.bytes,
        nodes: budgets.nodes,
        transcript_bytes: budgets.transcript_bytes,
    }
}

fn source(
    name: &str,
    weight: f32,
    texts: Vec<api::SourceText>,
    encoder: &dyn Encode,
) -> Result<Source, ServiceError> {
    let parse = |it: api::SourceText| parse_text(&it.file, &it.text);
    let texts = texts.into_iter().map(parse).collect::<Result<_, _>>();
    let texts = texts.map_err(malformed)?;
    Ok(Source::of(name.trim(), weight, texts, encoder)?)
}

/// An utterance as a client wrote it; what it left out is filled in when it is heard.
#[must_use]
pub fn utterance(said: api::Said) -> Utterance {
    let span = said.span.map_or(Span::new(0, 0), |it| Span {
        start_ms: it.start_ms,
        end_ms: it.end_ms,
    });
    Utterance {
        id: said.id.unwrap_or_default(),
        stream: said.stream.unwrap_or_default(),
        speaker: said.speaker.filter(|it| !it.trim().is_empty()),
        span,
        audio: None,
        confidence: None,
        text: said.text,
    }
}

/// Carries out a request of a client on an open session.
pub(super) fn reply(request: api::Request, session: &SessionHandle) -> api::Reply {
    let api::Request {
        change,
        hear,
        ask,
        watch: _,
        within_ms,
        key,
    } = request;
    let limit = Duration::from_millis(within_ms.unwrap_or(LIMIT_MS_MAX).min(LIMIT_MS_MAX));
    let done = match (change, hear, ask) {
        (Some(change), None, None) => change_of(change, session.encoder())
            .and_then(|change| session.change_within(change, key, limit))
            .map(|done| api::Reply::Changed(Box::new(done))),
        (None, Some(said), None) => session
            .hear_within(said.into_iter().map(utterance), key, limit)
            .map(api::Reply::Heard),
        (None, None, Some(asked)) => session
            .ask(question(asked), None)
            .map(|done| api::Reply::Answered(Box::new(done.wire(None)))),
        _ => Err(malformed(
            "a request has one of `change`, `hear`, `ask` and `watch`",
        )),
    };
    done.unwrap_or_else(|error| api::Reply::Failed(api_failure(&error)))
}

/// A question as a client wrote it, asked now and here.
fn question(asked: api::Asked) -> AskRequest {
    AskRequest {
        id: "ask".to_owned(),
        stream: None,
        text: asked.question,
        asked_by: asked.asked_by,
        at: QuestionTime::default(),
    }
}

fn malformed(why: impl std::fmt::Display) -> ServiceError {
    ServiceError::Malformed {
        why: why.to_string(),
    }
}

fn named<T: std::str::FromStr<Err = String>>(id: &str) -> Result<T, ServiceError> {
    id.parse().map_err(malformed)
}

fn all<T: std::str::FromStr<Err = String>>(ids: &[String]) -> Result<Vec<T>, ServiceError> {
    ids.iter().map(|id| named(id)).collect()
}

fn target(target: api::Target) -> Result<Target, ServiceError> {
    Ok(match target {
        api::Target::Node(id) => Target::Node(named(&id)?),
        api::Target::Belief(id) => Target::Belief(named(&id)?),
        api::Target::Fact(id) => Target::Fact(named(&id)?),
        api::Target::Utterance { stream, id } => Target::Utterance { stream, id },
        api::Target::Speaker(name) => Target::Speaker(name),
    })
}

/// A target as a client writes it.
#[must_use]
pub fn api_target(target: &Target) -> api::Target {
    match target {
        Target::Node(id) => api::Target::Node(id.to_string()),
        Target::Belief(id) => api::Target::Belief(id.to_string()),
        Target::Fact(id) => api::Target::Fact(id.to_string()),
        Target::Utterance { stream, id } => api::Target::Utterance {
            stream: stream.clone(),
            id: id.clone(),
        },
        Target::Speaker(name) => api::Target::Speaker(name.clone()),
    }
}

/// An error as a client reads it.
#[must_use]
pub fn api_failure(error: &ServiceError) -> api::Failure {
    api::Failure {
        class: error.class(),
        message: error.to_string(),
    }
}
