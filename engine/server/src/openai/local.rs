//! Chats that a model of this machine answers, as OpenAI's clients read them.

use super::message::text_of;
use crate::problem::Problem;
use crate::state::Shared;
use crate::upload::now_ms;
use crate::upstream::Answering;
use axum::Json;
use axum::response::{IntoResponse as _, Response};
use serde_json::{Value, json};
use std::io::Cursor;
use std::time::Duration;
use weir_api::ErrorClass;
use weir_engine::pipeline::{BytePipe, Stop};
use weir_models::{Ended, Flow, Generate, GenerateError, Generated, Message, Request, Role};

/// Longest time of a reply.
const LIMIT: Duration = Duration::from_secs(300);
/// Tokens of a reply if the request names none.
const TOKENS_DEFAULT: usize = 512;
/// Pieces of a reply that wait for the client; the model waits then.
const PIECES_MAX: usize = 64;

/// The list of models: one.
pub(super) fn models(server: &Shared) -> Response {
    let model = server.sessions.maker().generator_name();
    let one = json!({"id": model, "object": "model", "created": 0, "owned_by": "weir"});
    Json(json!({"object": "list", "data": [one]})).into_response()
}

/// Answers a request. Blocks until the reply is whole, or begins if it is streamed.
pub(super) fn answer(server: &Shared, request: &Value) -> Result<Answering, Problem> {
    let wanted = wanted(request)?;
    let generator = server.sessions.maker().generator(LIMIT)?;
    let about = About {
        id: format!("chatcmpl-{}", now_ms()),
        created: now_ms() / 1_000,
        model: generator.name().to_owned(),
    };
    if request["stream"] == true {
        return Ok(streamed(generator, wanted, about));
    }
    let reply = write(generator, &wanted, &mut |_| Flow::On)?;
    let body = about.whole(&reply).to_string().into_bytes();
    Ok(Answering {
        status: 200,
        kind: "application/json".to_owned(),
        body: Box::new(Cursor::new(body)),
    })
}

fn streamed(generator: Box<dyn Generate>, wanted: Request, about: About) -> Answering {
    let (pieces, read) = BytePipe::new(PIECES_MAX, Stop::default());
    tokio::task::spawn_blocking(move || {
        // a client that has gone ends the reply
        let send = |event: &str| {
            pieces
                .send(format!("data: {event}\n\n").into_bytes())
                .is_ok()
        };
        let mut first = json!({"role": "assistant"});
        let written = write(generator, &wanted, &mut |text| {
            if text.is_empty() {
                return Flow::On;
            }
            let mut delta = std::mem::replace(&mut first, json!({}));
            delta["content"] = json!(text);
            match send(&about.piece(&delta, None).to_string()) {
                true => Flow::On,
                false => Flow::Stop,
            }
        });
        let last = match &written {
            Ok(reply) => about.piece(&json!({}), Some(reason(reply))),
            Err(problem) => json!({"error": {"message": problem.detail()}}),
        };
        let _ = send(&last.to_string()) && send("[DONE]");
    });
    Answering {
        status: 200,
        kind: "text/event-stream".to_owned(),
        body: Box::new(read),
    }
}

fn write(
    mut generator: Box<dyn Generate>,
    wanted: &Request,
    tell: &mut dyn FnMut(&str) -> Flow,
) -> Result<Generated, Problem> {
    generator
        .generate(wanted, tell)
        .map_err(|error| match error {
            GenerateError::ContextOverflow { .. } | GenerateError::Request { .. } => {
                Problem::bad(error)
            }
            error => Problem::of_class(ErrorClass::Model, error),
        })
}

/// What stands in every reply.
struct About {
    id: String,
    created: i64,
    model: String,
}

impl About {
    fn with(&self, object: &str, choice: &Value) -> Value {
        json!({"id": self.id, "object": object, "created": self.created, "model": self.model,
            "choices": [choice]})
    }

    fn piece(&self, delta: &Value, ended: Option<&str>) -> Value {
        let choice = json!({"index": 0, "delta": delta, "finish_reason": ended});
        self.with("chat.completion.chunk", &choice)
    }

    fn whole(&self, reply: &Generated) -> Value {
        let message = json!({"role": "assistant", "content": reply.text});
        let choice = json!({"index": 0, "message": message, "finish_reason": reason(reply)});
        let mut whole = self.with("chat.completion", &choice);
        whole["usage"] = json!({"prompt_tokens": reply.prompt_tokens,
            "completion_tokens": reply.reply_tokens,
            "total_tokens": reply.prompt_tokens + reply.reply_tokens});
        whole
    }
}

fn reason(reply: &Generated) -> &'static str {
    match reply.ended {
        Ended::TokensMax => "length",
        Ended::Done | Ended::Stopped => "stop",
    }
}

/// A request as the model reads it. Tools are offered to a model that may use none; what must be
/// used, or shaped, is refused.
fn wanted(request: &Value) -> Result<Request, Problem> {
    let refused = |what: &str| {
        Err(Problem::bad(format!(
            "the model of this machine cannot follow `{what}`; leave it out"
        )))
    };
    match request.get("tool_choice") {
        None | Some(Value::Null) => {}
        Some(Value::String(how)) if how != "required" => {}
        Some(_) => return refused("tool_choice"),
    }
    let shape = request
        .pointer("/response_format/type")
        .and_then(Value::as_str);
    if shape.is_some_and(|it| it != "text") {
        return refused("response_format");
    }
    if request["n"].as_u64().is_some_and(|n| n > 1) {
        return refused("n");
    }
    let tokens = ["max_completion_tokens", "max_tokens"];
    let tokens = tokens.iter().find_map(|it| request[*it].as_u64());
    let tokens = tokens.map_or(TOKENS_DEFAULT, |it| {
        usize::try_from(it).unwrap_or(usize::MAX)
    });
    let mut messages: Vec<Message> = Vec::new();
    let given = request.get("messages").and_then(Value::as_array);
    for message in given.into_iter().flatten() {
        let role = match message["role"].as_str() {
            Some("system" | "developer") => Role::System,
            Some("assistant") => Role::Assistant,
            _ => Role::User,
        };
        let text = text_of(message.get("content"));
        match messages.last_mut() {
            // templates of chats want one message of each side in turn
            Some(last) if last.role == role => {
                last.content.push_str("\n\n");
                last.content.push_str(&text);
            }
            _ => messages.push(Message::new(role, text)),
        }
    }
    Ok(Request::new(messages, tokens))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_come_one_of_each_side_in_turn() {
        let request = json!({"max_tokens": 9, "tools": [], "tool_choice": "auto", "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "developer", "content": "Be kind."},
            {"role": "user", "content": [{"type": "text", "text": "Hi."}]},
        ]});
        let request = wanted(&request).expect("it is a chat");
        assert_eq!(request.tokens_max, 9);
        let messages: Vec<_> = request
            .messages
            .iter()
            .map(|it| (it.role, &*it.content))
            .collect();
        assert_eq!(
            messages,
            [(Role::System, "Be brief.\n\nBe kind."), (Role::User, "Hi.")]
        );
    }

    #[test]
    fn what_the_model_cannot_follow_is_refused_by_name() {
        for (key, value) in [
            ("tool_choice", json!("required")),
            ("tool_choice", json!({"type": "function"})),
            ("response_format", json!({"type": "json_object"})),
            ("n", json!(2)),
        ] {
            let mut request = json!({"messages": [{"role": "user", "content": "Hi."}]});
            request[key] = value;
            let refused = wanted(&request).expect_err("it is refused");
            assert!(
                refused.detail().contains(&format!("`{key}`")),
                "{}",
                refused.detail()
            );
        }
    }
}
