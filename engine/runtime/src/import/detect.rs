//! How the format of an export is told from its content, or from the names of its files.

use super::error::{ImportError, ImportProblem, json};
use super::files::Files;
use super::format::Format;
use super::{slack, whatsapp};
use serde::Deserialize;
use serde::de::IgnoredAny;

/// The keys that tell one export from another.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Keys {
    segments: Option<IgnoredAny>,
    transcription: Option<IgnoredAny>,
    mapping: Option<IgnoredAny>,
    messages: Option<IgnoredAny>,
    chats: Option<IgnoredAny>,
    ts: Option<IgnoredAny>,
}

impl Keys {
    fn format(&self) -> Option<Format> {
        let all = [
            (&self.mapping, Format::ChatGpt),
            (&self.transcription, Format::Whisper),
            (&self.segments, Format::Whisper),
            (&self.messages, Format::Telegram),
            (&self.chats, Format::Telegram),
            (&self.ts, Format::Slack),
        ];
        let found = all.into_iter().find(|(key, _)| key.is_some());
        found.map(|(_, format)| format)
    }
}

/// The format of an export.
pub(super) fn detect(files: &mut Files) -> Result<Format, ImportError> {
    let shown = files.shown.clone();
    let unknown = || ImportProblem::Unknown.at(&shown, None);
    if !files.is_one() {
        return of_names(&files.names).ok_or_else(unknown);
    }
    let name = files.names[0].clone();
    let text = files.text(&name)?;
    let start = text.trim_start();
    if start.starts_with("WEBVTT") {
        return Ok(Format::Vtt);
    }
    if text.lines().take(50).any(whatsapp::is_head) {
        return Ok(Format::WhatsApp);
    }
    let found = match start.chars().next() {
        Some('{') => serde_json::from_str::<Keys>(&text).map(|it| it.format()),
        Some('[') => serde_json::from_str::<Vec<Keys>>(&text).map(|all| {
            let named = all.iter().find_map(Keys::format);
            named.filter(|it| matches!(it, Format::ChatGpt | Format::Slack))
        }),
        _ => Ok(text
            .lines()
            .any(|it| it.contains("-->"))
            .then_some(Format::Srt)),
    };
    match found {
        Ok(Some(format)) => Ok(format),
        Err(error) if !error.is_data() => Err(json(&shown, Format::Whisper, &error)),
        _ => Err(unknown()),
    }
}

/// The format of several files, by their names.
fn of_names(names: &[String]) -> Option<Format> {
    let last = |name: &String| name.rsplit('/').next().unwrap_or_default().to_owned();
    let has = |wanted: fn(&str) -> bool| names.iter().any(|name| wanted(&last(name)));
    if has(|it| it.starts_with("conversations") && it.ends_with(".json")) {
        return Some(Format::ChatGpt);
    }
    if has(|it| it == "channels.json" || it == "users.json" || it == "dms.json")
        && names.iter().any(|it| slack::is_day(it))
    {
        return Some(Format::Slack);
    }
    if has(|it| it == "result.json") {
        return Some(Format::Telegram);
    }
    has(|it| it.ends_with(".txt")).then_some(Format::WhatsApp)
}
