//! Conversations of other programs, out of an uploaded file.

use super::extract::Query;
use crate::blocking::{GivenUp, blocking};
use crate::measures;
use crate::problem::{Problem, Reply};
use crate::sessions::SessionName;
use crate::state::Shared;
use crate::upload::stored;
use axum::Json;
use axum::body::Body;
use axum::extract::State;
use serde::Deserialize;
use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;
use weir_api::Import;
use weir_core::limits::IMPORT_FILE_BYTES_MAX;
use weir_engine::control::{ImportInto, carry_in};
use weir_engine::import::{Reading, known_ids, read_file};
use weir_engine::pipeline::Stop;
use weir_engine::time::{zone_here, zone_named};

/// What an uploaded file is.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::IntoParams), into_params(parameter_in = Query))]
#[serde(deny_unknown_fields)]
pub(crate) struct Uploaded {
    /// Its name; a conversation without a title is called so.
    #[serde(default)]
    name: Option<String>,
    /// `srt`, `vtt`, `whisper`, `chatgpt`, `whatsapp`, `telegram` or `slack`; absent for what its
    /// content looks like.
    #[serde(default)]
    format: Option<String>,
    /// `day-first` or `month-first`: dates of WhatsApp, where the file does not tell.
    #[serde(default)]
    dates: Option<String>,
    /// Time zone of dates that name none; absent for the server's.
    #[serde(default)]
    zone: Option<String>,
    /// Other names for speakers, one `NAME=OTHER` a line.
    #[serde(default)]
    rename: Option<String>,
    /// Whether to say what would be imported, and import nothing.
    #[serde(default)]
    dry_run: bool,
}

impl Uploaded {
    fn reading(&self) -> Result<Reading, Problem> {
        let format = self.format.as_deref().map(str::parse).transpose();
        let dates = self.dates.as_deref().map(str::parse).transpose();
        let zone = self.zone.as_deref().map(zone_named).transpose();
        Ok(Reading {
            format: format.map_err(|why: String| Problem::bad(why))?,
            dates: dates.map_err(|why: String| Problem::bad(why))?,
            zone: zone.map_err(Problem::bad)?.unwrap_or_else(zone_here),
        })
    }

    fn names(&self) -> Result<BTreeMap<String, String>, Problem> {
        let lines = self.rename.as_deref().unwrap_or_default().lines();
        let pair = |line: &str| {
            let (from, to) = line.split_once('=').unwrap_or((line, ""));
            match (from.trim(), to.trim()) {
                ("", _) | (_, "") => Err(Problem::bad(format!(
                    "`rename` has the line {line:?}; give two names, such as User=Ana"
                ))),
                (from, to) => Ok((from.to_owned(), to.to_owned())),
            }
        };
        lines.map(pair).collect()
    }
}

/// Imports conversations: subtitles (SRT, WebVTT), JSON of Whisper, exports of ChatGPT, WhatsApp,
/// Telegram and Slack, as a file or a zip archive. With `dry_run` nothing is imported or made, and
/// the reply says what would be. A message that the session has from an earlier import is left out.
/// Returns when all is in memory.
#[cfg_attr(feature = "openapi", utoipa::path(
    post, path = "/v1/sessions/{session}/conversations", tag = "talk",
    params(("session" = String, Path, description = "The session"), Uploaded),
    request_body(content_type = "application/octet-stream"),
    responses((status = 200, description = "done", body = Import),
        (status = "default", description = "not done", body = Problem,
            content_type = "application/problem+json"))))]
pub(crate) async fn conversations(
    State(server): State<Arc<Shared>>,
    name: SessionName,
    Query(about): Query<Uploaded>,
    body: Body,
) -> Reply<Import> {
    let (reading, names) = (about.reading()?, about.names()?);
    // a large export takes as much as a recording
    let _permit = server.listen()?;
    let most = server.config.limits.audio_bytes.min(IMPORT_FILE_BYTES_MAX);
    let file = stored(body.into_data_stream(), most).await?;
    let shown = about.name.filter(|it| !it.trim().is_empty());
    let shown = shown.unwrap_or_else(|| "the file".to_owned());
    // its name goes at once, so that a process that is killed leaves nothing
    let read = move || read_file(file.into_file(), &shown, &reading).map_err(Problem::bad);
    let found = blocking(read).await?;
    let is_there = server.sessions.dir(&name).exists();
    let all = found.plan(&names, &HashSet::new()).preview;
    if !is_there && (about.dry_run || all.new == 0) {
        // neither a look nor a file without words makes a session
        let imported = (!about.dry_run).then_some(0);
        return Ok(Json(Import { imported, ..all }));
    }
    let session = server.sessions.get_or_create(&name).await?;
    let stop = Stop::default();
    let _given_up = GivenUp(stop.clone());
    let imported = blocking(move || {
        let known = known_ids(&session.memory().session(), &session.transcript());
        let mut plan = found.plan(&names, &known);
        if !about.dry_run {
            let into = ImportInto::Here(session.handle());
            let goes_on = &mut |_| !stop.is_set() && !session.is_ending();
            let taken = carry_in(&plan.streams, into, goes_on);
            let taken = taken.map_err(|error| Problem::of_class(error.class, error))?;
            measures::heard(usize::try_from(taken).unwrap_or(usize::MAX));
            plan.preview.imported = Some(taken);
        }
        Ok::<_, Problem>(plan.preview)
    });
    Ok(Json(imported.await?))
}
