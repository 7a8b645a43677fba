//! An export of Slack: a folder for each channel with a file for each day, and who is who.

use super::draft::{At, Draft};
use super::error::{ImportError, ImportProblem, json};
use super::files::Files;
use super::format::Format;
use super::subtitles::unescaped;
use serde::Deserialize;
use serde::de::{DeserializeOwned, IgnoredAny};
use std::collections::{BTreeMap, HashMap};
use weir_api::LeftOutReason as Reason;

/// Kinds of messages in which somebody speaks; all others say what happened in the channel.
const SPOKEN: [&str; 5] = [
    "bot_message", "me_message", "thread_broadcast", "file_share", "reply_broadcast",
];
/// Lists of channels, private ones and direct messages.
const CHANNELS: [&str; 4] = ["channels.json", "groups.json", "dms.json", "mpims.json"];

#[derive(Deserialize)]
struct User {
    id: String,
    name: Option<String>,
    real_name: Option<String>,
    profile: Option<Profile>,
}

#[derive(Deserialize)]
struct Profile {
    display_name: Option<String>,
    real_name: Option<String>,
}

#[derive(Deserialize)]
struct Channel {
    id: String,
    name: Option<String>,
    #[serde(default)]
    members: Vec<String>,
}

#[derive(Deserialize)]
struct Message {
    r#type: Option<String>,
    subtype: Option<String>,
    user: Option<String>,
    username: Option<String>,
    user_profile: Option<Profile>,
    bot_id: Option<String>,
    #[serde(default)]
    text: String,
    ts: Option<String>,
    files: Option<IgnoredAny>,
    attachments: Option<IgnoredAny>,
}

/// Whether a name is that of a day of a channel: `general/2024-01-31.json`.
pub(super) fn is_day(name: &str) -> bool {
    let day = name
        .rsplit_once('/')
        .and_then(|(_, day)| day.strip_suffix(".json"));
    day.is_some_and(|day| {
        let is_digit = |(at, c): (usize, u8)| matches!(at, 4 | 7) == (c == b'-');
        day.len() == 10
            && day.bytes().enumerate().all(is_digit)
            && day.bytes().all(|c| c == b'-' || c.is_ascii_digit())
    })
}

/// Reads all channels, or the one day that was given.
pub(super) fn read(files: &mut Files, draft: &mut Draft) -> Result<(), ImportError> {
    let people = list::<User>(files, &["users.json"])?;
    let people = people.into_iter().map(|it| (it.id.clone(), name_of(it)));
    let people: HashMap<String, String> = people.collect();
    let channels = list::<Channel>(files, &CHANNELS)?;
    let mut days = BTreeMap::<String, Vec<String>>::new();
    for name in &files.names {
        let folder = match files.is_one() {
            true => Some(files.stem()),
            false => name.rsplit_once('/').map(|(path, _)| last(path).to_owned()),
        };
        let folder = folder.filter(|_| files.is_one() || is_day(name));
        days.entry(folder.unwrap_or_default())
            .or_default()
            .push(name.clone());
    }
    // what lies beside the channels is no talk
    days.remove("");
    for (folder, names) in days {
        let is_of = |it: &&Channel| it.name.as_ref() == Some(&folder) || it.id == folder;
        let channel = channels.iter().find(is_of);
        draft.begin(
            &title(&folder, channel, &people),
            channel.map_or(&folder, |it| &it.id),
        );
        for name in names {
            let text = files.text(&name)?;
            let place = files.place(&name);
            let messages = serde_json::from_str::<Vec<Message>>(&text);
            for message in messages.map_err(|error| json(&place, Format::Slack, &error))? {
                let said = take(&message, &people, draft);
                said.map_err(|problem| problem.at(&place, None))?;
            }
        }
    }
    Ok(())
}

fn last(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// The lists of these names, as far as they are there.
fn list<T: DeserializeOwned>(files: &mut Files, wanted: &[&str]) -> Result<Vec<T>, ImportError> {
    let mut all = Vec::new();
    if files.is_one() {
        return Ok(all);
    }
    for name in files.named(|it| wanted.contains(&it)) {
        let text = files.text(&name)?;
        let read = serde_json::from_str::<Vec<T>>(&text);
        all.extend(read.map_err(|error| json(&files.place(&name), Format::Slack, &error))?);
    }
    Ok(all)
}

/// The first name that is one.
fn first<const N: usize>(names: [Option<String>; N]) -> Option<String> {
    names.into_iter().flatten().find(|it| !it.trim().is_empty())
}

fn name_of(user: User) -> String {
    let (shown, real) = user
        .profile
        .map_or((None, None), |it| (it.display_name, it.real_name));
    first([shown, real, user.real_name, user.name]).unwrap_or(user.id)
}

/// A channel by its name, direct messages by who talks there.
fn title(folder: &str, channel: Option<&Channel>, people: &HashMap<String, String>) -> String {
    match channel {
        Some(Channel {
            name: None,
            members,
            ..
        }) if !members.is_empty() => {
            let names = members
                .iter()
                .map(|it| people.get(it).unwrap_or(it).as_str());
            names.collect::<Vec<_>>().join(", ")
        }
        _ => format!("#{folder}"),
    }
}

fn take(
    message: &Message,
    people: &HashMap<String, String>,
    draft: &mut Draft,
) -> Result<(), ImportProblem> {
    let is_message = message.r#type.as_deref().is_none_or(|it| it == "message");
    let is_spoken = message
        .subtype
        .as_deref()
        .is_none_or(|it| SPOKEN.contains(&it));
    if message.subtype.as_deref() == Some("tombstone") {
        draft.leave(Reason::Deleted);
    } else if !is_message || !is_spoken {
        draft.leave(Reason::System);
    } else if message.text.trim().is_empty()
        && (message.files.is_some() || message.attachments.is_some())
    {
        draft.leave(Reason::Media);
    } else {
        let known = message.user.as_ref().and_then(|id| people.get(id));
        let profile = message.user_profile.as_ref();
        let speaker = first([
            known.cloned(),
            profile.and_then(|it| it.display_name.clone()),
            profile.and_then(|it| it.real_name.clone()),
            message.username.clone(),
            message.user.clone(),
            message.bot_id.clone(),
        ]);
        let at = message.ts.as_deref().and_then(|it| it.parse().ok());
        draft.say(
            speaker.as_deref(),
            &words(&message.text, people),
            At::seconds(at),
        )?;
    }
    Ok(())
}

/// The words of a message: `<@U1>` is a name, `<#C1|general>` a channel, `<http://a|b>` a link.
fn words(text: &str, people: &HashMap<String, String>) -> String {
    let (mut said, mut rest) = (String::new(), text);
    while let Some((before, after)) = rest.split_once('<') {
        let Some((mark, after)) = after.split_once('>') else {
            break;
        };
        said.push_str(before);
        let (what, label) = mark
            .split_once('|')
            .map_or((mark, None), |(a, b)| (a, Some(b)));
        let label = label.filter(|it| !it.is_empty());
        let named = match what.chars().next() {
            Some('@') => {
                let name = people.get(&what[1..]).map(String::as_str);
                format!(
                    "@{}",
                    name.or(label).unwrap_or(&what[1..]).trim_start_matches('@')
                )
            }
            Some('#') => format!("#{}", label.unwrap_or(&what[1..])),
            Some('!') => format!("@{}", label.unwrap_or(&what[1..]).trim_start_matches('@')),
            _ => label.unwrap_or(what).to_owned(),
        };
        said.push_str(&named);
        rest = after;
    }
    said.push_str(rest);
    unescaped(&said)
}
