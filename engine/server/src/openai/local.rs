//! Chats that a model of this machine answers, as OpenAI's clients read them.

use super::message::text_of;
use super::stop_words::StopWords;
use crate::problem::Problem;
use crate::state::Shared;
use crate::upload::now_ms;
use crate::upstream::Answering;
use serde_json::{Value, json};
use std::io::Cursor;
use std::ops::RangeInclusive;
use std::sync::Arc;
use std::time::Duration;
use weir_api::ErrorClass;
use weir_engine::pipeline::{BytePipe, Stop};
use weir_models::{
    Ended, Flow, Generate, GenerateError, Generated, Message, Request, Role, Sampling,
};

/// Longest time of a reply.
const LIMIT: Duration = Duration::from_secs(300);
/// Tokens of a reply if the request names none.
const TOKENS_DEFAULT: usize = 512;
/// Below it the most probable tokens are taken: the draw would find no other.
const TEMPERATURE_MIN: f64 = 1e-3;
/// The least `top_p` with which a token is left to draw.
const TOP_P_MIN: f64 = 1e-4;
/// Most texts that end a reply.
const STOP_WORDS_MAX: usize = 4;
/// Pieces of a reply that wait for the client; the model waits then.
const PIECES_MAX: usize = 64;

/// Answers a request. Blocks until the reply is whole, or begins if it is streamed; a whole one
/// ends early when `stop` is set.
pub(super) fn answer(
    server: &Arc<Shared>,
    request: &Value,
    stop_writing: &Stop,
) -> Result<Answering, Problem> {
    let wanted = wanted(request)?;
    let stop = StopWords::new(stop_words(request)?);
    let generator = server.sessions.maker().generator(LIMIT)?;
    let about = About {
        id: format!("chatcmpl-{}", now_ms()),
        created: now_ms() / 1_000,
        model: generator.name().to_owned(),
    };
    if request["stream"] == true {
        return Ok(streamed(Arc::clone(server), generator, wanted, stop, about));
    }
    let sessions = &server.sessions;
    let mut goes_on = |_: &str| match stop_writing.is_set() || sessions.is_closing() {
        true => Flow::Stop,
        false => Flow::On,
    };
    let reply = write(generator, &wanted, stop, &mut goes_on)?;
    let body = about.whole(&reply).to_string().into_bytes();
    Ok(Answering {
        status: 200,
        kind: "application/json".to_owned(),
        body: Box::new(Cursor::new(body)),
    })
}

fn streamed(
    server: Arc<Shared>,
    generator: Box<dyn Generate>,
    wanted: Request,
    stop: StopWords,
    about: About,
) -> Answering {
    let (pieces, read) = BytePipe::new(PIECES_MAX, Stop::default());
    tokio::task::spawn_blocking(move || {
        // a client that has gone ends the reply
        let send = |event: &str| {
            pieces
                .send(format!("data: {event}\n\n").into_bytes())
                .is_ok()
        };
        let mut first = json!({"role": "assistant"});
        let written = write(generator, &wanted, stop, &mut |text| {
            if text.is_empty() {
                return Flow::On;
            }
            let mut delta = std::mem::replace(&mut first, json!({}));
            delta["content"] = json!(text);
            let goes_on = !server.sessions.is_closing();
            match send(&about.piece(&delta, None).to_string()) && goes_on {
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
    mut stop: StopWords,
    tell: &mut dyn FnMut(&str) -> Flow,
) -> Result<Generated, Problem> {
    let written = generator.generate(wanted, &mut |piece| {
        let (more, goes_on) = stop.take(piece);
        match tell(more) {
            Flow::On if goes_on => Flow::On,
            _ => Flow::Stop,
        }
    });
    let mut written = written.map_err(|error| match error {
        GenerateError::ContextOverflow { .. } | GenerateError::Request { .. } => {
            Problem::bad(error)
        }
        error => Problem::of_class(ErrorClass::Model, error),
    })?;
    let (rest, text) = stop.finish();
    tell(&rest);
    written.text = text;
    Ok(written)
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

/// Refuses what the model of this machine cannot follow.
fn followed(request: &Value) -> Result<(), Problem> {
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
    if request.get("n").is_some_and(|n| !n.is_null() && *n != 1) {
        return refused("n");
    }
    for penalty in ["presence_penalty", "frequency_penalty"] {
        if request[penalty].as_f64().is_some_and(|it| it != 0.0) {
            return refused(penalty);
        }
    }
    if request["logprobs"] == true {
        return refused("logprobs");
    }
    if request["logit_bias"]
        .as_object()
        .is_some_and(|it| !it.is_empty())
    {
        return refused("logit_bias");
    }
    Ok(())
}

/// A request as the model reads it. Tools are offered to a model that may use none.
fn wanted(request: &Value) -> Result<Request, Problem> {
    followed(request)?;
    let tokens = number(request, "max_completion_tokens", 1..=u64::MAX)?;
    let tokens = match tokens {
        Some(tokens) => Some(tokens),
        None => number(request, "max_tokens", 1..=u64::MAX)?,
    };
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
    Ok(Request {
        sampling: sampling(request)?,
        ..Request::new(messages, tokens)
    })
}

/// A whole number of a request.
fn number(request: &Value, key: &str, legal: RangeInclusive<u64>) -> Result<Option<u64>, Problem> {
    match request.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(value) => match value.as_u64().filter(|it| legal.contains(it)) {
            Some(number) => Ok(Some(number)),
            None => Err(Problem::bad(format!(
                "`{key}`: a whole number from {}, not {value}",
                legal.start()
            ))),
        },
    }
}

/// How the tokens are drawn: the most probable ones where the request names no temperature, or 0.
fn sampling(request: &Value) -> Result<Option<Sampling>, Problem> {
    let within = |key: &str, most: f64| match request.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(value) => match value.as_f64().filter(|it| (0.0..=most).contains(it)) {
            Some(number) => Ok(Some(number)),
            None => Err(Problem::bad(format!(
                "`{key}`: a number from 0 to {most}, not {value}"
            ))),
        },
    };
    let (temperature, top_p) = (within("temperature", 2.0)?, within("top_p", 1.0)?);
    let seed = number(request, "seed", 0..=u64::MAX)?;
    Ok(temperature
        .filter(|it| *it >= TEMPERATURE_MIN)
        .map(|temperature| Sampling {
            temperature,
            // the draw needs at least one token
            top_p: top_p.unwrap_or(1.0).max(TOP_P_MIN),
            seed: seed.unwrap_or_else(|| now_ms().unsigned_abs()),
        }))
}

/// The texts that end a reply.
fn stop_words(request: &Value) -> Result<Vec<String>, Problem> {
    let given = match request.get("stop") {
        None | Some(Value::Null) => return Ok(Vec::new()),
        Some(Value::Array(given)) => given.as_slice(),
        Some(one) => std::slice::from_ref(one),
    };
    let words: Option<Vec<String>> = given
        .iter()
        .map(|it| it.as_str().filter(|it| !it.is_empty()).map(str::to_owned))
        .collect();
    words
        .filter(|it| it.len() <= STOP_WORDS_MAX)
        .ok_or_else(|| {
            Problem::bad(format!(
                "`stop`: a text or up to {STOP_WORDS_MAX}, none of them empty"
            ))
        })
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
    fn tokens_are_drawn_where_a_temperature_is_named() {
        let of = |more: Value| {
            let mut request = json!({"messages": [{"role": "user", "content": "Hi."}]});
            let more = more.as_object().expect("members").clone();
            request.as_object_mut().expect("members").extend(more);
            wanted(&request).expect("it is a chat").sampling
        };
        assert_eq!(of(json!({})), None);
        assert_eq!(of(json!({"temperature": 0, "seed": 4})), None);
        let drawn = Sampling {
            temperature: 0.7,
            top_p: 0.9,
            seed: 4,
        };
        let named = json!({"temperature": 0.7, "top_p": 0.9, "seed": 4});
        assert_eq!(of(named), Some(drawn));
        assert!(stop_words(&json!({"stop": "x"})).is_ok_and(|it| it == ["x"]));
        assert!(stop_words(&json!({"stop": ["x", ""]})).is_err());
    }

    #[test]
    fn what_the_model_cannot_follow_is_refused_by_name() {
        for (key, value) in [
            ("tool_choice", json!("required")),
            ("tool_choice", json!({"type": "function"})),
            ("response_format", json!({"type": "json_object"})),
            ("n", json!(2)),
            ("max_tokens", json!(-5)),
            ("max_tokens", json!("9")),
            ("max_completion_tokens", json!(0)),
            ("temperature", json!(3)),
            ("top_p", json!(-0.1)),
            ("seed", json!(-1)),
            ("presence_penalty", json!(0.5)),
            ("logprobs", json!(true)),
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
