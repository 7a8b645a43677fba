//! Telegram's `result.json`: one chat, or all of an account.

use super::draft::{At, Draft};
use super::error::{ImportError, ImportProblem, json};
use super::files::Files;
use super::format::Format;
use crate::time::unix_ms;
use jiff::tz::TimeZone;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Value;
use weir_api::LeftOutReason as Reason;

#[derive(Deserialize)]
struct Chats {
    #[serde(default)]
    list: Vec<Chat>,
}

/// One chat, or a whole export, which has lists of chats and may be one itself.
#[derive(Deserialize)]
struct Chat {
    chats: Option<Chats>,
    left_chats: Option<Chats>,
    name: Option<String>,
    r#type: Option<String>,
    id: Option<i64>,
    #[serde(default)]
    messages: Vec<Message>,
}

#[derive(Deserialize)]
struct Message {
    r#type: Option<String>,
    date: Option<String>,
    date_unixtime: Option<String>,
    from: Option<String>,
    #[serde(default)]
    text: Value,
    media_type: Option<IgnoredAny>,
    photo: Option<IgnoredAny>,
    file: Option<IgnoredAny>,
    location_information: Option<IgnoredAny>,
    contact_information: Option<IgnoredAny>,
    poll: Option<IgnoredAny>,
}

impl Message {
    fn has_media(&self) -> bool {
        let all = [
            &self.media_type,
            &self.photo,
            &self.file,
            &self.location_information,
            &self.contact_information,
            &self.poll,
        ];
        all.into_iter().any(Option::is_some)
    }
}

/// Reads the one file, or `result.json` of a folder.
pub(super) fn read(
    files: &mut Files,
    zone: &TimeZone,
    draft: &mut Draft,
) -> Result<(), ImportError> {
    for name in files.named(|it| it == "result.json") {
        let text = files.text(&name)?;
        let place = files.place(&name);
        let export = serde_json::from_str::<Chat>(&text);
        let mut export = export.map_err(|error| json(&place, Format::Telegram, &error))?;
        let lists = [export.chats.take(), export.left_chats.take()];
        let lists = lists.into_iter().flatten();
        let chats = lists.flat_map(|it| it.list).chain([export]);
        for chat in chats.filter(|it| !it.messages.is_empty()) {
            take(&chat, zone, draft).map_err(|problem| problem.at(&place, None))?;
        }
    }
    Ok(())
}

fn take(chat: &Chat, zone: &TimeZone, draft: &mut Draft) -> Result<(), ImportProblem> {
    let title = chat
        .name
        .as_deref()
        .unwrap_or(match chat.r#type.as_deref() {
            Some("saved_messages") => "Saved Messages",
            _ => "Telegram",
        });
    draft.begin(title, chat.id.map(|id| id.to_string()).unwrap_or_default());
    for message in &chat.messages {
        let text = words(&message.text);
        if message.r#type.as_deref().is_some_and(|it| it != "message") {
            draft.leave(Reason::System);
        } else if text.trim().is_empty() && message.has_media() {
            draft.leave(Reason::Media);
        } else {
            draft.say(message.from.as_deref(), &text, at(message, zone))?;
        }
    }
    Ok(())
}

/// A text, or pieces of text with and without a kind.
fn words(text: &Value) -> String {
    let piece = |it: &Value| {
        it.as_str()
            .or_else(|| it["text"].as_str())
            .map(str::to_owned)
    };
    match text {
        Value::Array(pieces) => pieces.iter().filter_map(piece).collect(),
        text => piece(text).unwrap_or_default(),
    }
}

/// Older exports have only the clock of the machine that made them.
fn at(message: &Message, zone: &TimeZone) -> At {
    let exact = message.date_unixtime.as_deref();
    let exact = exact.and_then(|it| it.parse::<i64>().ok()?.checked_mul(1_000));
    let local = || unix_ms(message.date.as_deref()?, zone).ok();
    exact.or_else(local).map_or(At::Unknown, At::Wall)
}
