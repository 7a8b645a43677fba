//! The export of ChatGPT: each conversation is a tree of messages, of which one path is shown.

use super::draft::{At, Draft};
use super::error::{ImportError, ImportProblem, json};
use super::files::Files;
use super::format::Format;
use serde::Deserialize;
use serde_json::Value;
use std::collections::{HashMap, HashSet};
use weir_api::LeftOutReason as Reason;
use weir_core::stream::ASSISTANT;

/// The speaker of the user's messages, as in the chats of the server.
const USER: &str = "User";

#[derive(Deserialize)]
struct Conversation {
    title: Option<String>,
    conversation_id: Option<String>,
    id: Option<String>,
    current_node: Option<String>,
    #[serde(default)]
    mapping: HashMap<String, Node>,
}

#[derive(Deserialize)]
struct Node {
    message: Option<Message>,
    parent: Option<String>,
}

#[derive(Deserialize)]
struct Message {
    author: Author,
    create_time: Option<f64>,
    content: Option<Content>,
    recipient: Option<String>,
    metadata: Option<Metadata>,
}

#[derive(Deserialize)]
struct Author {
    role: String,
}

#[derive(Deserialize)]
struct Content {
    content_type: Option<String>,
    parts: Option<Vec<Value>>,
}

#[derive(Deserialize)]
struct Metadata {
    is_visually_hidden_from_conversation: Option<bool>,
}

/// Reads `conversations.json`, or the parts `conversations-000.json` of a large export.
pub(super) fn read(files: &mut Files, draft: &mut Draft) -> Result<(), ImportError> {
    let is_part = |name: &str| name.starts_with("conversations") && name.ends_with(".json");
    for name in files.named(is_part) {
        let text = files.text(&name)?;
        let place = files.place(&name);
        let all = match text.trim_start().starts_with('{') {
            true => serde_json::from_str(&text).map(|one| vec![one]),
            false => serde_json::from_str::<Vec<Conversation>>(&text),
        };
        for conversation in all.map_err(|error| json(&place, Format::ChatGpt, &error))? {
            let read = take(&conversation, draft);
            read.map_err(|problem| problem.at(&place, None))?;
        }
    }
    Ok(())
}

fn take(conversation: &Conversation, draft: &mut Draft) -> Result<(), ImportProblem> {
    let Conversation {
        title,
        conversation_id,
        id,
        ..
    } = conversation;
    let title = title.as_deref().map(str::trim).filter(|it| !it.is_empty());
    let key = conversation_id.as_ref().or(id.as_ref());
    draft.begin(title.unwrap_or("ChatGPT"), key.cloned().unwrap_or_default());
    let shown = path(conversation);
    let on_path: HashSet<&str> = shown.iter().copied().collect();
    let nodes = conversation.mapping.iter();
    let others =
        nodes.filter(|(id, node)| node.message.is_some() && !on_path.contains(id.as_str()));
    others.for_each(|_| draft.leave(Reason::Branch));
    let messages = shown
        .iter()
        .filter_map(|id| conversation.mapping[*id].message.as_ref());
    for message in messages {
        match words(message) {
            Err(reason) => draft.leave(reason),
            Ok(text) => {
                let speaker = match message.author.role.as_str() {
                    "assistant" => ASSISTANT,
                    _ => USER,
                };
                draft.say(Some(speaker), &text, At::seconds(message.create_time))?;
            }
        }
    }
    Ok(())
}

/// The path that is shown, from its first message; without one, the path to the newest leaf.
fn path(conversation: &Conversation) -> Vec<&str> {
    let mapping = &conversation.mapping;
    let newest = || {
        let parents: HashSet<&String> = mapping
            .values()
            .filter_map(|it| it.parent.as_ref())
            .collect();
        let leaves = mapping.iter().filter(|(id, _)| !parents.contains(id));
        let time = |node: &Node| node.message.as_ref().and_then(|it| it.create_time);
        let latest = leaves.max_by(|(a, x), (b, y)| {
            let times = time(x).unwrap_or(0.0).total_cmp(&time(y).unwrap_or(0.0));
            times.then_with(|| a.cmp(b))
        });
        latest.map(|(id, _)| id)
    };
    let current = conversation.current_node.as_ref();
    let mut next = current
        .filter(|id| mapping.contains_key(*id))
        .or_else(newest);
    let (mut path, mut seen) = (Vec::new(), HashSet::new());
    while let Some((id, node)) = next.and_then(|id| mapping.get_key_value(id)) {
        // a damaged tree may be a circle
        if !seen.insert(id) {
            break;
        }
        path.push(id.as_str());
        next = node.parent.as_ref();
    }
    path.reverse();
    path
}

/// The words of a message that is shown, or why it has none.
fn words(message: &Message) -> Result<String, Reason> {
    let hidden = message.metadata.as_ref();
    let hidden = hidden.and_then(|it| it.is_visually_hidden_from_conversation);
    let to_all = message.recipient.as_deref().is_none_or(|it| it == "all");
    match message.author.role.as_str() {
        "system" => return Err(Reason::System),
        "tool" => return Err(Reason::Tool),
        _ if hidden == Some(true) => return Err(Reason::Hidden),
        _ if !to_all => return Err(Reason::Tool),
        _ => {}
    }
    let content = message.content.as_ref().ok_or(Reason::Empty)?;
    match content.content_type.as_deref() {
        None | Some("text" | "multimodal_text") => {}
        Some("user_editable_context" | "model_editable_context") => return Err(Reason::Hidden),
        Some(_) => return Err(Reason::Tool),
    }
    let parts = content.parts.as_deref().unwrap_or_default();
    // a part is text, or a thing that may have been spoken
    let text = |part: &Value| {
        part.as_str()
            .or_else(|| part["text"].as_str())
            .map(str::to_owned)
    };
    let texts: Vec<String> = parts.iter().filter_map(text).collect();
    let text = texts.join("\n");
    match text.trim().is_empty() && parts.iter().any(Value::is_object) {
        true => Err(Reason::Media),
        false => Ok(text),
    }
}
