//! Reads a reply, streamed or whole: its text, the reason for its end, and the token counts.

use std::time::Duration;

use serde_json::Value;

use super::error::{EndpointError, EndpointErrorKind as Kind};
use super::exchange::{Exchange, Head, Listener, Phase, broken};
use super::refusal::Target;
use crate::think_filter::{ThinkFilter, without_thought};
use crate::{Ended, Generated, JsonShape, Request, Shape};

/// Bytes of a reply that is not streamed.
pub(super) const WHOLE_BYTES_MAX: usize = 4 << 20;
/// Bytes of a streamed reply; a token of 4 bytes of text takes about 250.
const STREAM_BYTES_MAX: usize = 64 << 20;
/// Bytes of one line of a stream.
const LINE_BYTES_MAX: usize = 1 << 20;
/// Bytes of text of one reply, reasoning included.
const TEXT_BYTES_MAX: usize = 4 << 20;
/// Bytes of an error response that are read.
const REFUSAL_BYTES_MAX: usize = 64 << 10;

/// Why an attempt at a reply failed.
pub(super) struct Failure {
    pub(super) error: EndpointError,
    /// The status and the body with which the server refused, perhaps because of a field.
    pub(super) refusal: Option<(u16, String)>,
    /// The pause that the server asks for.
    pub(super) retry_after: Option<Duration>,
    /// Whether it is a stream that ended before any words.
    pub(super) is_mute: bool,
}

impl From<EndpointError> for Failure {
    fn from(error: EndpointError) -> Self {
        Self {
            error,
            refusal: None,
            retry_after: None,
            is_mute: false,
        }
    }
}

impl Failure {
    fn refused(target: &Target<'_>, status: u16, said: &str) -> Self {
        Self {
            refusal: Some((status, said.to_owned())),
            ..target.refusal(status, said).into()
        }
    }
}

/// A reply that the listener ended before it began.
pub(super) fn nothing_said() -> Generated {
    Generated {
        text: String::new(),
        prompt_tokens: 0,
        reused_tokens: 0,
        reply_tokens: 0,
        ended: Ended::Stopped,
    }
}

/// Reads the reply to `request` until it is complete, fails, or the listener stops.
pub(super) fn read(
    exchange: &mut Exchange<'_>,
    request: &Request,
    streams: bool,
    listener: &mut Listener<'_>,
) -> Result<Generated, Failure> {
    let target = exchange.target;
    let phase = if streams { Phase::First } else { Phase::Whole };
    let Some(head) = success(exchange, phase, listener)? else {
        return Ok(nothing_said());
    };
    let reply = Reply::new(request, target);
    if head.is_stream {
        return reply.stream(exchange, listener);
    }
    if head.length.is_some_and(|length| length > WHOLE_BYTES_MAX) {
        return Err(target.too_large(WHOLE_BYTES_MAX).into());
    }
    match exchange.body(Phase::Whole, WHOLE_BYTES_MAX, listener)? {
        Some(body) => reply.whole(body.trim_start(), listener),
        None => Ok(nothing_said()),
    }
}

/// The head of a successful response; `None` if the listener stopped.
pub(super) fn success(
    exchange: &mut Exchange<'_>,
    phase: Phase,
    listener: &mut Listener<'_>,
) -> Result<Option<Head>, Failure> {
    let target = exchange.target;
    let Some(head) = exchange.head(phase, listener)? else {
        return Ok(None);
    };
    match head.status {
        200..300 => Ok(Some(head)),
        status @ 300..400 => {
            let to = target.quoted(head.location.as_deref().unwrap_or("nowhere"));
            let what = format!(
                "redirects to {to} (status {status}); the key is not sent there; give that address \
                 if it is right"
            );
            Err(target.error(Kind::Redirect, what).into())
        }
        status => match exchange.body(Phase::Trailer, REFUSAL_BYTES_MAX, listener)? {
            Some(said) => Err(Failure {
                retry_after: head.retry_after,
                ..Failure::refused(&target, status, &said)
            }),
            None => Ok(None),
        },
    }
}

/// The server's reason for the end of a reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Finish {
    Done,
    StopWord,
    Tokens,
    Tool,
    Filter,
}

/// A reply under construction.
struct Reply<'a> {
    request: &'a Request,
    target: Target<'a>,
    filter: ThinkFilter,
    text: String,
    /// Bytes of text, reasoning included.
    bytes: usize,
    pieces: usize,
    finish: Option<Finish>,
    /// Whether the server marked the end, or nothing after this matters.
    is_done: bool,
    /// Tokens of the prompt, reused ones, and those of the reply.
    usage: Option<[usize; 3]>,
}

impl<'a> Reply<'a> {
    fn new(request: &'a Request, target: Target<'a>) -> Self {
        Self {
            request,
            target,
            filter: match request.shape {
                Shape::Text => ThinkFilter::new(&request.stop),
                Shape::Json(_) => ThinkFilter::held(&request.stop),
            },
            text: String::new(),
            bytes: 0,
            pieces: 0,
            finish: None,
            is_done: false,
            usage: None,
        }
    }

    fn phase(&self) -> Phase {
        match self.finish {
            Some(_) => Phase::Trailer,
            None if self.pieces > 0 => Phase::Between,
            None => Phase::First,
        }
    }

    /// Reads a streamed reply.
    fn stream(
        mut self,
        exchange: &mut Exchange<'_>,
        listener: &mut Listener<'_>,
    ) -> Result<Generated, Failure> {
        let (mut unread, mut bytes, mut is_over) = (Vec::new(), 0, false);
        while !is_over && !self.is_done && !listener.has_stopped {
            match exchange.part(self.phase(), listener) {
                Ok(Some(part)) => {
                    is_over = part.is_empty();
                    bytes += part.len();
                    unread.extend_from_slice(&part);
                }
                Ok(None) => return Ok(self.generated(Ended::Stopped)),
                // the connection broke after the last words
                Err(_) if self.finish.is_some() => break,
                Err(error) => {
                    let is_mute = error.kind() == Kind::Broken && self.pieces == 0;
                    let failure = Failure::from(error);
                    return Err(Failure { is_mute, ..failure });
                }
            }
            let whole = match unread.iter().rposition(|byte| *byte == b'\n') {
                _ if is_over => unread.len(),
                end => end.map_or(0, |end| end + 1),
            };
            let lines: Vec<u8> = unread.drain(..whole).collect();
            let was = (self.pieces, self.phase());
            self.lines(&lines, listener)?;
            if was != (self.pieces, self.phase()) {
                exchange.progress();
            }
            for (length, most) in [(unread.len(), LINE_BYTES_MAX), (bytes, STREAM_BYTES_MAX)] {
                if length > most {
                    return Err(self.target.too_large(most).into());
                }
            }
        }
        // after one of our stop words the server may still be writing
        if self.is_done && !is_over && !listener.has_stopped && !self.filter.is_stopped() {
            exchange.settle();
        }
        self.end(listener)
    }

    /// Takes whole lines of a stream of events (WHATWG HTML, section 9.2). Every server of this API
    /// puts an event into one line, so lines are not joined.
    fn lines(&mut self, bytes: &[u8], listener: &mut Listener<'_>) -> Result<(), Failure> {
        for line in bytes.split(|byte| matches!(byte, b'\n' | b'\r')) {
            if self.is_done || listener.has_stopped {
                break;
            }
            match self.line(line, listener) {
                // lines after the last words do not matter
                Err(_) if self.finish.is_some() => self.is_done = true,
                taken => taken?,
            }
        }
        Ok(())
    }

    fn line(&mut self, line: &[u8], listener: &mut Listener<'_>) -> Result<(), Failure> {
        let line = std::str::from_utf8(line)
            .map_err(|_| self.target.malformed("a stream that is not UTF-8"))?;
        let line = line.trim_start_matches('\u{feff}').split_once(':');
        match line.map(|(name, value)| (name, value.trim())) {
            Some(("data", "[DONE]")) => self.is_done = true,
            Some(("data", data)) if !data.is_empty() => self.piece(data, listener)?,
            // older llama.cpp servers report errors so
            Some(("error", said)) => {
                let error = format!("{{\"error\":{said}}}");
                let is_json = serde_json::from_str::<Value>(&error).is_ok();
                self.piece(if is_json { &error } else { said }, listener)?;
            }
            _ => {}
        }
        Ok(())
    }

    /// Takes a piece of a streamed reply.
    fn piece(&mut self, data: &str, listener: &mut Listener<'_>) -> Result<(), Failure> {
        let whole = self.json(data)?;
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
        self.pieces += usize::from(thinks || !text.is_empty());
        let words = self.say(&text)?;
        listener.give(&words);
        self.is_done = self.filter.is_stopped();
        Ok(())
    }

    /// Takes a reply that is not streamed.
    fn whole(mut self, body: &str, listener: &mut Listener<'_>) -> Result<Generated, Failure> {
        if body.starts_with("data:") || body.starts_with(':') {
            // a stream without the content type of a stream
            self.lines(body.as_bytes(), listener)?;
            return self.end(listener);
        }
        let whole = self.json(body)?;
        self.note(&whole);
        let message = &whole["choices"][0]["message"];
        let calls = message["tool_calls"].as_array();
        let lacks = |field: &str| {
            let said = self.target.quoted(body);
            self.target
                .malformed(format!("no choices[0].{field}: {said}"))
        };
        if !message.is_object() {
            return Err(lacks("message").into());
        }
        if message["content"].is_null() && calls.is_some_and(|calls| !calls.is_empty()) {
            return Err(self.called_a_tool().into());
        }
        if message["content"].is_null() && self.finish != Some(Finish::Tokens) {
            return Err(lacks("message.content").into());
        }
        self.finish = self.finish.or(Some(Finish::Done));
        self.pieces = 1;
        let text = content(&message["content"]);
        let words = self.say(without_thought(&text))?;
        listener.give(&words);
        self.end(listener)
    }

    /// Ends the reply and passes on the text held back.
    fn end(mut self, listener: &mut Listener<'_>) -> Result<Generated, Failure> {
        if listener.has_stopped {
            return Ok(self.generated(Ended::Stopped));
        }
        if self.finish.is_none() && !self.filter.is_stopped() && !(self.is_done && self.pieces > 0)
        {
            let reason = format!("its reply has no end (pieces that came: {})", self.pieces);
            let failure = Failure::from(broken(&self.target, &reason));
            let is_mute = self.pieces == 0;
            return Err(Failure { is_mute, ..failure });
        }
        let rest = self.filter.end();
        self.text.push_str(&rest);
        let ended = match self.finish {
            _ if self.filter.is_stopped() => Ended::StopWord,
            Some(Finish::Done) | None => Ended::Done,
            Some(Finish::StopWord) => Ended::StopWord,
            Some(Finish::Tokens) => Ended::TokensMax,
            Some(Finish::Tool) => return Err(self.called_a_tool().into()),
            Some(Finish::Filter) => {
                let (url, model) = (self.target.url, self.target.model);
                let message = format!(
                    "the content filter of {url} withheld the reply of {model}; rephrase the \
                     request"
                );
                return Err(EndpointError::new(Kind::Filtered, message).into());
            }
        };
        let Shape::Json(shape) = &self.request.shape else {
            listener.give(&rest);
            return Ok(self.generated(ended));
        };
        self.text = self.shaped(shape, ended)?;
        listener.give(&self.text);
        Ok(self.generated(Ended::Done))
    }

    fn generated(self, ended: Ended) -> Generated {
        let tokens = self.usage.unwrap_or([0, 0, self.pieces]);
        let [prompt_tokens, reused_tokens, reply_tokens] = tokens;
        // JSON that the listener ended is not passed on
        let is_half = self.holds_back() && ended == Ended::Stopped;
        Generated {
            text: if is_half { String::new() } else { self.text },
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

    /// Takes text of the reply and returns the part to pass on.
    fn say(&mut self, text: &str) -> Result<String, EndpointError> {
        self.bytes += text.len();
        if self.bytes > TEXT_BYTES_MAX {
            return Err(self.target.too_large(TEXT_BYTES_MAX));
        }
        let words = self.filter.push(text);
        if self.filter.takes_back() {
            self.text.clear();
        }
        self.text.push_str(&words);
        let is_held = self.holds_back();
        Ok(if is_held { String::new() } else { words })
    }

    /// The JSON of a reply or a piece; a failure if it is an error in place of one.
    fn json(&self, text: &str) -> Result<Value, Failure> {
        let whole = self.target.json(text)?;
        let has = |name: &str| whole.get(name).is_some_and(|value| !value.is_null());
        let is_bare = !has("choices") && (has("message") || has("detail"));
        if !has("error") && !is_bare {
            return Ok(whole);
        }
        let code = whole["error"]["code"].as_u64().or(whole["code"].as_u64());
        let status = code.and_then(|code| u16::try_from(code).ok());
        let status = status.filter(|status| (400..600).contains(status));
        Err(Failure::refused(&self.target, status.unwrap_or(500), text))
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
                _ => Finish::Done,
            });
        }
        let number = |at: &str| {
            let number = whole["usage"].pointer(at).and_then(Value::as_u64);
            number.and_then(|number| usize::try_from(number).ok())
        };
        let (prompt, reply) = (number("/prompt_tokens"), number("/completion_tokens"));
        if let (Some(prompt), Some(reply)) = (prompt, reply) {
            let reused = number("/prompt_tokens_details/cached_tokens").unwrap_or(0);
            self.usage = Some([prompt, reused.min(prompt), reply]);
        }
    }

    /// The text as JSON of the shape, with small defects repaired.
    fn shaped(&self, shape: &JsonShape, ended: Ended) -> Result<String, EndpointError> {
        let text = unfenced(&self.text);
        let model = self.target.model;
        let misfit = |reason: String| {
            let message = format!(
                "{model} replied in the wrong JSON shape: {reason}; use a server with structured \
                 output, or a larger model; the reply: {}",
                self.target.quoted(text)
            );
            EndpointError::new(Kind::Misfit, message)
        };
        let mut value: Value = match serde_json::from_str(text) {
            Ok(value) => value,
            Err(_) if ended == Ended::TokensMax => {
                let [.., tokens] = self.usage.unwrap_or([0, 0, self.pieces]);
                let message = format!(
                    "the reply of {model} was incomplete after {tokens} tokens; allow more"
                );
                return Err(EndpointError::new(Kind::Unfinished { tokens }, message));
            }
            Err(error) => return Err(misfit(format!("it is no JSON ({error})"))),
        };
        JsonShape::calm(&mut value);
        shape.mend(&mut value);
        // before a long name is truncated, so that no part of a key is left in it
        let shown = |text: &str| self.target.key.redacted(text);
        match shape.misfit(&value, &shown) {
            None => Ok(shape.write(&value)),
            Some(reason) => Err(misfit(shown(&reason))),
        }
    }

    fn called_a_tool(&self) -> EndpointError {
        let model = self.target.model;
        let what = format!("no words: {model} called a tool, and was given none");
        self.target.malformed(what)
    }
}

/// Text as servers send it: a string, or a list of parts.
fn content(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts
            .iter()
            .filter_map(|part| part["text"].as_str())
            .collect(),
        _ => String::new(),
    }
}

/// JSON without a Markdown code fence around it.
fn unfenced(text: &str) -> &str {
    let text = text.trim();
    let inner = text
        .strip_prefix("```json")
        .or_else(|| text.strip_prefix("```"));
    inner
        .and_then(|rest| rest.strip_suffix("```"))
        .map_or(text, str::trim)
}
