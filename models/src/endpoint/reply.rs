//! Assembles replies, streamed or whole.

use serde_json::Value;

use super::EndpointError;
use super::refusal::Asked;
use crate::think_filter::{ThinkFilter, without_thought};
use crate::{Ended, Generated, JsonShape, Request, Shape};

/// Bytes of text of one reply, reasoning included.
const TEXT_BYTES_MAX: usize = 4 << 20;

/// The server's reason for the end of a reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Finish {
    Said,
    StopWord,
    Tokens,
    Tool,
    Filter,
}

/// A reply under construction.
pub(super) struct Reply<'a> {
    request: &'a Request,
    asked: Asked<'a>,
    spoken: ThinkFilter,
    text: String,
    bytes: usize,
    pieces: usize,
    finish: Option<Finish>,
    usage: Option<[usize; 3]>,
}

/// Meaning of a JSON piece from the server.
pub(super) enum Meaning {
    /// Text to pass on, perhaps empty; whether the piece had any text or reasoning.
    Words(String, bool),
    /// An error in place of a piece: a status and the message.
    Refusal(u16, String),
}

impl<'a> Reply<'a> {
    pub(super) fn new(request: &'a Request, asked: Asked<'a>) -> Self {
        Self {
            request,
            asked,
            spoken: match request.shape {
                Shape::Text => ThinkFilter::new(&request.stop),
                Shape::Json(_) => ThinkFilter::held(&request.stop),
            },
            text: String::new(),
            bytes: 0,
            pieces: 0,
            finish: None,
            usage: None,
        }
    }

    /// Whether the server gave the reason for the end.
    pub(super) fn is_finished(&self) -> bool {
        self.finish.is_some()
    }

    /// Whether a stop word came, so that nothing after it matters.
    pub(super) fn is_stopped(&self) -> bool {
        self.spoken.is_stopped()
    }

    /// Takes a piece of a streamed reply.
    pub(super) fn piece(&mut self, data: &str) -> Result<Meaning, EndpointError> {
        let whole = self.json(data)?;
        if let Some(refusal) = refusal(&whole, data) {
            return Ok(refusal);
        }
        self.note(&whole);
        let choice = &whole["choices"][0];
        let delta = &choice["delta"];
        let text = match delta.is_object() {
            true => content(&delta["content"]),
            false => content(&choice["text"]),
        };
        let thinks = ["reasoning_content", "reasoning", "tool_calls"]
            .iter()
            .any(|name| !delta[name].is_null() && delta[name] != "");
        let is_said = thinks || !text.is_empty();
        if is_said {
            self.pieces += 1;
        }
        Ok(Meaning::Words(self.say(&text)?, is_said))
    }

    /// Takes a reply that was not streamed.
    pub(super) fn whole(&mut self, body: &str) -> Result<Meaning, EndpointError> {
        let whole = self.json(body)?;
        if let Some(refusal) = refusal(&whole, body) {
            return Ok(refusal);
        }
        self.note(&whole);
        let choice = &whole["choices"][0];
        let message = &choice["message"];
        if !message.is_object() {
            let reason = format!("no choices[0].message: {}", self.asked.quoted(body));
            return Err(self.asked.malformed(reason));
        }
        let is_tool = message["tool_calls"]
            .as_array()
            .is_some_and(|all| !all.is_empty());
        if message["content"].is_null() && is_tool {
            return Err(self.called_a_tool());
        }
        if message["content"].is_null() && self.finish != Some(Finish::Tokens) {
            let reason = format!("no choices[0].message.content: {}", self.asked.quoted(body));
            return Err(self.asked.malformed(reason));
        }
        self.finish = self.finish.or(Some(Finish::Said));
        self.pieces = 1;
        let text = content(&message["content"]);
        Ok(Meaning::Words(self.say(without_thought(&text))?, true))
    }

    /// The finished reply, and the text of it that was not passed on yet. `is_done` means that the
    /// server marked the end.
    pub(super) fn end(mut self, is_done: bool) -> Result<(Generated, String), EndpointError> {
        let finish = match self.finish {
            _ if self.is_stopped() => Finish::StopWord,
            Some(finish) => finish,
            None if is_done && self.pieces > 0 => Finish::Said,
            None => {
                return Err(EndpointError::Broken {
                    url: self.asked.url.to_owned(),
                    reason: format!("its reply has no end (pieces that came: {})", self.pieces),
                });
            }
        };
        let rest = self.spoken.end();
        self.text.push_str(&rest);
        let ended = match finish {
            _ if self.is_stopped() => Ended::StopWord,
            Finish::Said => Ended::Done,
            Finish::StopWord => Ended::StopWord,
            Finish::Tokens => Ended::TokensMax,
            Finish::Tool => return Err(self.called_a_tool()),
            Finish::Filter => {
                return Err(EndpointError::Filtered {
                    url: self.asked.url.to_owned(),
                    model: self.asked.model.to_owned(),
                });
            }
        };
        match &self.request.shape {
            Shape::Text => Ok((self.generated(ended), rest)),
            Shape::Json(shape) => {
                self.text = self.shaped(shape, ended)?;
                let text = self.text.clone();
                Ok((self.generated(Ended::Done), text))
            }
        }
    }

    /// The reply so far, ended by its listener.
    pub(super) fn stopped(self) -> Generated {
        self.generated(Ended::Stopped)
    }

    fn generated(self, ended: Ended) -> Generated {
        let [prompt_tokens, reused_tokens, reply_tokens] =
            self.usage.unwrap_or([0, 0, self.pieces]);
        let is_held_back = self.holds_back() && ended == Ended::Stopped;
        Generated {
            text: if is_held_back {
                String::new()
            } else {
                self.text
            },
            prompt_tokens,
            reused_tokens,
            reply_tokens,
            ended,
        }
    }

    /// JSON is passed on only when it is complete and valid.
    fn holds_back(&self) -> bool {
        matches!(self.request.shape, Shape::Json(_))
    }

    fn say(&mut self, text: &str) -> Result<String, EndpointError> {
        self.bytes += text.len();
        if self.bytes > TEXT_BYTES_MAX {
            return Err(EndpointError::TooLarge {
                url: self.asked.url.to_owned(),
                bytes_max: TEXT_BYTES_MAX,
            });
        }
        let words = self.spoken.push(text);
        if self.spoken.takes_back() {
            self.text.clear();
        }
        self.text.push_str(&words);
        Ok(if self.holds_back() {
            String::new()
        } else {
            words
        })
    }

    /// Reads the other fields: the reason for the end, and the token counts.
    fn note(&mut self, whole: &Value) {
        let choice = &whole["choices"][0];
        // some servers write null as the string "null" in all pieces except the last
        let reason = choice["finish_reason"].as_str();
        if let Some(reason) = reason.filter(|reason| !matches!(*reason, "" | "null")) {
            self.finish = Some(match reason {
                "length" | "max_tokens" => Finish::Tokens,
                "tool_calls" | "function_call" => Finish::Tool,
                "content_filter" => Finish::Filter,
                // vLLM names the stop word
                _ if choice["stop_reason"].is_string() => Finish::StopWord,
                _ => Finish::Said,
            });
        }
        let usage = &whole["usage"];
        let number = |at: &str| {
            let number = usage.pointer(at).and_then(Value::as_u64);
            number.and_then(|number| usize::try_from(number).ok())
        };
        if let (Some(prompt), Some(reply)) =
            (number("/prompt_tokens"), number("/completion_tokens"))
        {
            let reused = number("/prompt_tokens_details/cached_tokens").unwrap_or(0);
            self.usage = Some([prompt, reused.min(prompt), reply]);
        }
    }

    /// Returns the text as JSON of the shape, with small defects repaired.
    fn shaped(&self, shape: &JsonShape, ended: Ended) -> Result<String, EndpointError> {
        let text = unfenced(&self.text);
        let misfit = |reason: String| EndpointError::Misfit {
            model: self.asked.model.to_owned(),
            reason,
            said: self.asked.quoted(text),
        };
        let mut value: Value = match serde_json::from_str(text) {
            Ok(value) => value,
            Err(_) if ended == Ended::TokensMax => {
                let usage = self.usage.unwrap_or([0, 0, self.pieces]);
                return Err(EndpointError::Unfinished {
                    model: self.asked.model.to_owned(),
                    tokens: usage[2],
                });
            }
            Err(error) => return Err(misfit(format!("it is no JSON ({error})"))),
        };
        JsonShape::calm(&mut value);
        shape.mend(&mut value);
        // before a long name is truncated, so that no part of a key is left in it
        let shown = |text: &str| self.asked.key.redacted(text);
        match shape.misfit(&value, &shown) {
            None => Ok(shape.write(&value)),
            Some(reason) => Err(misfit(shown(&reason))),
        }
    }

    fn json(&self, text: &str) -> Result<Value, EndpointError> {
        serde_json::from_str(text).map_err(|error| {
            self.asked.malformed(format!(
                "what is not JSON ({error}): {}",
                self.asked.said(text)
            ))
        })
    }

    fn called_a_tool(&self) -> EndpointError {
        let model = self.asked.model;
        self.asked.malformed(format!(
            "no words: {model} called a tool, and was given none"
        ))
    }
}

/// Text as servers send it: a string, or a list of parts.
fn content(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(parts) => {
            let texts = parts.iter().filter_map(|part| part["text"].as_str());
            texts.collect()
        }
        _ => String::new(),
    }
}

/// The error in place of a reply.
fn refusal(whole: &Value, text: &str) -> Option<Meaning> {
    let has = |name: &str| whole.get(name).is_some_and(|value| !value.is_null());
    let is_bare = !has("choices") && (has("message") || has("detail"));
    if !has("error") && !is_bare {
        return None;
    }
    let code = whole["error"]["code"]
        .as_u64()
        .or_else(|| whole["code"].as_u64());
    let status = code.and_then(|code| u16::try_from(code).ok());
    let status = status
        .filter(|status| (400..600).contains(status))
        .unwrap_or(500);
    Some(Meaning::Refusal(status, text.to_owned()))
}

/// JSON without a Markdown code fence around it.
fn unfenced(text: &str) -> &str {
    let text = text.trim();
    let inner = text
        .strip_prefix("```json")
        .or_else(|| text.strip_prefix("```"))
        .and_then(|rest| rest.strip_suffix("```"));
    inner.map_or(text, str::trim)
}
