//! What a session holds: the tree, the transcript, beliefs, profiles, speakers, sources, sound.

use super::extract::{Node, Query, Session as Open};
use crate::blocking::blocking;
use crate::problem::{Problem, Reply};
use crate::sessions::OpenSession;
use axum::Json;
use axum::http::header::CONTENT_TYPE;
use axum::response::IntoResponse;
use serde::Deserialize;
use std::cell::RefCell;
use std::sync::Arc;
use weir_api::{
    Beliefs, Entities, EntityKind, Fact, ShownNode, Source, Speaker, TranscriptLine, Tree,
};
use weir_core::memory::{Kind, NodeId};
use weir_core::session::Session;
use weir_core::stream::AudioSpan;
use weir_core::transcript::{ScanStep, Transcript as _, TranscriptUtterance};
use weir_engine::pipeline::{OpenAudio, clip_wav};
use weir_engine::store::{TranscriptReader, unrecognised};
use weir_engine::views::{self, TranscriptOrder, TranscriptPart};

/// Lines of a transcript at a time.
const LINES_DEFAULT: usize = 100;
const LINES_MAX: usize = 1_000;

/// A part of a transcript, by session time and by the numbers of its utterances.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::IntoParams), into_params(parameter_in = Query))]
#[serde(deny_unknown_fields)]
pub(crate) struct Range {
    /// The first millisecond; absent for the beginning.
    #[serde(default)]
    from_ms: u64,
    /// The first millisecond after it; absent for the end.
    #[serde(default = "forever")]
    to_ms: u64,
    /// The first utterance by its number; absent for the beginning.
    #[serde(default)]
    from_turn: u64,
    /// The first utterance after it; absent for the end.
    #[serde(default = "forever")]
    to_turn: u64,
    /// Most lines, 1 to 1000; absent for 100.
    #[serde(default = "lines_default")]
    limit: usize,
    /// Whether the newest lines come first; absent for the oldest.
    #[serde(default)]
    newest: bool,
}

/// Whose, and what about.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::IntoParams), into_params(parameter_in = Query))]
#[serde(deny_unknown_fields)]
pub(crate) struct Whose {
    /// Only of this speaker.
    #[serde(default)]
    of: Option<String>,
    /// Only about this.
    #[serde(default)]
    about: Option<String>,
}

/// What is named.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::IntoParams), into_params(parameter_in = Query))]
#[serde(deny_unknown_fields)]
pub(crate) struct Named {
    /// The name of one, of which all is said; absent for a list.
    #[serde(default)]
    of: Option<String>,
    /// Only of this kind.
    #[serde(default)]
    kind: Option<EntityKind>,
}

/// Whose profile.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::IntoParams), into_params(parameter_in = Query))]
#[serde(deny_unknown_fields)]
pub(crate) struct WhoseProfile {
    /// Only of this speaker.
    #[serde(default)]
    of: Option<String>,
    /// Whether facts that hold no more are listed too.
    #[serde(default)]
    past: bool,
}

/// An utterance, as a citation names it.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::IntoParams), into_params(parameter_in = Query))]
#[serde(deny_unknown_fields)]
pub(crate) struct Cited {
    /// Name of its stream; absent if only one stream was heard.
    #[serde(default)]
    stream: Option<String>,
    /// Its id.
    utterance: String,
}

fn forever() -> u64 {
    u64::MAX
}

fn lines_default() -> usize {
    LINES_DEFAULT
}

/// Looks at a session on a thread that may block.
pub(super) async fn look<T, F>(session: Arc<OpenSession>, look: F) -> Reply<T>
where
    T: Send + 'static,
    F: FnOnce(&OpenSession, &TranscriptReader) -> Result<T, Problem> + Send + 'static,
{
    let seen = blocking(move || look(&session, &session.transcript()));
    Ok(Json(seen.await?))
}

/// The outline: scenes, their events and statements, and what is not sorted yet.
#[cfg_attr(feature = "openapi", utoipa::path(
    get, path = "/v1/sessions/{session}/tree", tag = "memory",
    params(("session" = String, Path, description = "The session")),
    responses((status = 200, description = "done", body = Tree),
        (status = "default", description = "not done", body = Problem,
            content_type = "application/problem+json"))))]
pub(crate) async fn tree(Open(session): Open) -> Reply<Tree> {
    look(session, |session, transcript| {
        let held = session.memory().session();
        Ok(views::tree(&held, transcript, unrecognised(session.dir())))
    })
    .await
}

/// One node with its evidence.
#[cfg_attr(feature = "openapi", utoipa::path(
    get, path = "/v1/sessions/{session}/nodes/{node}", tag = "memory",
    params(("session" = String, Path, description = "The session"),
        ("node" = String, Path, description = "The node, such as `n7.0`")),
    responses((status = 200, description = "done", body = ShownNode),
        (status = "default", description = "not done", body = Problem,
            content_type = "application/problem+json"))))]
pub(crate) async fn node(Open(session): Open, Node(id): Node) -> Reply<ShownNode> {
    look(session, move |session, transcript| {
        let held = session.memory().session();
        let found = held.tree().node(id).ok_or_else(|| no_node(id))?;
        Ok(ShownNode {
            standing: views::standing(&held, id),
            ..views::shown_node(held.tree(), found, transcript)
        })
    })
    .await
}

/// The problem of a path that names a node which is not held.
pub(super) fn no_node(id: NodeId) -> Problem {
    Problem::not_found(format!("no node {id}; it was forgotten or never was"))
}

/// A part of the transcript, word for word.
#[cfg_attr(feature = "openapi", utoipa::path(
    get, path = "/v1/sessions/{session}/transcript", tag = "memory",
    params(("session" = String, Path, description = "The session"), Range),
    responses((status = 200, description = "done", body = Vec<TranscriptLine>),
        (status = "default", description = "not done", body = Problem,
            content_type = "application/problem+json"))))]
pub(crate) async fn transcript(
    Open(session): Open,
    Query(range): Query<Range>,
) -> Reply<Vec<TranscriptLine>> {
    if !(1..=LINES_MAX).contains(&range.limit) {
        let why = format!("{} lines; 1 to {LINES_MAX} are possible", range.limit);
        return Err(Problem::bad(why));
    }
    look(session, move |session, transcript| {
        let order = match range.newest {
            true => TranscriptOrder::NewestFirst,
            false => TranscriptOrder::OldestFirst,
        };
        let part = TranscriptPart {
            session_ms: range.from_ms..range.to_ms,
            turns: range.from_turn..range.to_turn,
        };
        let mut lines = views::transcript_range(transcript, &part, order, range.limit);
        // the transcript keeps the labels, so that a name can be forgotten
        let held = session.memory().session();
        for speaker in lines.iter_mut().filter_map(|it| it.speaker.as_mut()) {
            *speaker = held.speaker_names().current(speaker).to_owned();
        }
        Ok(lines)
    })
    .await
}

/// What the speakers feel about things, and why.
#[cfg_attr(feature = "openapi", utoipa::path(
    get, path = "/v1/sessions/{session}/beliefs", tag = "people",
    params(("session" = String, Path, description = "The session"), Whose),
    responses((status = 200, description = "done", body = Beliefs),
        (status = "default", description = "not done", body = Problem,
            content_type = "application/problem+json"))))]
pub(crate) async fn beliefs(Open(session): Open, Query(whose): Query<Whose>) -> Reply<Beliefs> {
    look(session, move |session, transcript| {
        let held = session.memory().session();
        let (of, about) = (whose.of.as_deref(), whose.about.as_deref());
        let chosen = views::select_beliefs(held.beliefs(), of, about);
        Ok(views::beliefs(&held, transcript, &chosen))
    })
    .await
}

/// Whom and what the statements name; by name what is said of one, or nothing if none or several
/// have that name.
#[cfg_attr(feature = "openapi", utoipa::path(
    get, path = "/v1/sessions/{session}/entities", tag = "memory",
    params(("session" = String, Path, description = "The session"), Named),
    responses((status = 200, description = "done", body = Entities),
        (status = "default", description = "not done", body = Problem,
            content_type = "application/problem+json"))))]
pub(crate) async fn entities(Open(session): Open, Query(named): Query<Named>) -> Reply<Entities> {
    look(session, move |session, transcript| {
        let held = session.memory().session();
        Ok(views::entities(
            &held,
            transcript,
            named.of.as_deref(),
            named.kind,
        ))
    })
    .await
}

/// What the speakers said of themselves.
#[cfg_attr(feature = "openapi", utoipa::path(
    get, path = "/v1/sessions/{session}/profile", tag = "people",
    params(("session" = String, Path, description = "The session"), WhoseProfile),
    responses((status = 200, description = "done", body = Vec<Fact>),
        (status = "default", description = "not done", body = Problem,
            content_type = "application/problem+json"))))]
pub(crate) async fn profile(
    Open(session): Open,
    Query(whose): Query<WhoseProfile>,
) -> Reply<Vec<Fact>> {
    look(session, move |session, transcript| {
        let held = session.memory().session();
        let facts = views::select_facts(held.profiles(), whose.of.as_deref(), whose.past);
        Ok(facts
            .into_iter()
            .map(|it| views::fact(it, &held, transcript))
            .collect())
    })
    .await
}

/// Who was heard.
#[cfg_attr(feature = "openapi", utoipa::path(
    get, path = "/v1/sessions/{session}/speakers", tag = "people",
    params(("session" = String, Path, description = "The session")),
    responses((status = 200, description = "done", body = Vec<Speaker>),
        (status = "default", description = "not done", body = Problem,
            content_type = "application/problem+json"))))]
pub(crate) async fn speakers(Open(session): Open) -> Reply<Vec<Speaker>> {
    look(session, |session, transcript| {
        let held = session.memory().session();
        Ok(views::speakers(&held, transcript, &[], &str::to_owned))
    })
    .await
}

/// Texts that questions are answered from beside what was heard.
#[cfg_attr(feature = "openapi", utoipa::path(
    get, path = "/v1/sessions/{session}/sources", tag = "memory",
    params(("session" = String, Path, description = "The session")),
    responses((status = 200, description = "done", body = Vec<Source>),
        (status = "default", description = "not done", body = Problem,
            content_type = "application/problem+json"))))]
pub(crate) async fn sources(Open(session): Open) -> Reply<Vec<Source>> {
    look(session, |session, _| {
        let held = session.memory().session();
        Ok(held.sources().held().map(views::source).collect())
    })
    .await
}

/// The sound of an utterance, as WAV of 16 kHz mono; at most 60 seconds.
#[cfg_attr(feature = "openapi", utoipa::path(
    get, path = "/v1/sessions/{session}/clip", tag = "memory",
    params(("session" = String, Path, description = "The session"), Cited),
    responses((status = 200, description = "done", content_type = "audio/wav"),
        (status = "default", description = "not done", body = Problem,
            content_type = "application/problem+json"))))]
pub(crate) async fn clip(
    Open(session): Open,
    Query(cited): Query<Cited>,
) -> Result<impl IntoResponse, Problem> {
    let wav = look(session, move |session, transcript| {
        let held = session.memory().session();
        let found = sound_of(&held, transcript, &cited);
        let (stream, audio) = found.ok_or_else(|| {
            let id = &cited.utterance;
            Problem::not_found(format!("no sound of the utterance `{id}` is known"))
        })?;
        let open: OpenAudio = Arc::new(|path| weir_asr::open_file(path));
        clip_wav(session.dir(), &stream, &audio, &open).map_err(Problem::not_found)
    });
    Ok(([(CONTENT_TYPE, "audio/wav")], wav.await?.0))
}

/// The stream and the sound of an utterance, from the evidence held, else from the transcript. A
/// client names an utterance and never a file, so that it hears no other file of this machine.
fn sound_of(
    session: &Session,
    transcript: &TranscriptReader,
    cited: &Cited,
) -> Option<(String, AudioSpan)> {
    let is = |stream: &str, id: &str| {
        cited.stream.as_deref().is_none_or(|it| it == stream) && cited.utterance == id
    };
    let mut evidence = session
        .tree()
        .of_kind(Kind::Unit)
        .flat_map(|unit| &unit.evidence);
    let held = evidence.find(|it| is(&it.stream, &it.utterance));
    if let Some(held) = held {
        return Some((held.stream.clone(), held.audio.clone()?));
    }
    let found = RefCell::new(None);
    let id = cited.utterance.as_bytes();
    let mut glance = |stored: &[u8]| match found.borrow().is_some() {
        true => ScanStep::Stop,
        false if stored.windows(id.len().max(1)).any(|it| it == id) => ScanStep::Read,
        false => ScanStep::Skip,
    };
    let mut read = |said: TranscriptUtterance| {
        if is(&said.found.stream, &said.found.utterance) {
            let audio = said.place.and_then(|it| it.audio);
            found.replace(Some(audio.map(|audio| (said.found.stream, audio))));
        }
    };
    transcript.newest_first(&mut glance, &mut read);
    found.into_inner().flatten()
}
