//! Reads a reply, streamed or whole: its text, the reason for its end, and the token counts.

use std::io::{self, BufRead, BufReader, Read};
use std::sync::Arc;
use std::sync::mpsc::SyncSender;
use std::time::Duration;

use serde_json::Value;
use ureq::Agent;

use super::error::{EndpointError, Failure, Kind};
use super::options::Server;
use super::response::{header, read_whole, send};
use crate::think_filter::ThinkFilter;
use crate::{Ended, Generated, JsonShape, Shape};

/// Bytes of a streamed reply; a token of 4 bytes of text takes about 250.
const STREAM_BYTES_MAX: u64 = 64 << 20;
/// Bytes of one line of a stream.
const LINE_BYTES_MAX: u64 = 1 << 20;
/// Bytes of text of one reply, reasoning included.
const TEXT_BYTES_MAX: u64 = 4 << 20;

/// What comes from the thread.
pub(super) enum Event {
    /// A piece of the reply, perhaps without words to pass on.
    Piece(String),
    /// The reply is complete, whatever the listener says of its last words. A later one has more
    /// token counts.
    Reply(Generated, String),
    /// The response ended, or failed; last.
    End(Result<(), Failure>),
}

/// The server's reason for the end of a reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Finish {
    Done,
    Tokens,
    Tool,
    Filter,
}

/// A reply under construction, on its own thread.
pub(super) struct Reply {
    server: Arc<Server>,
    shape: Shape,
    events: SyncSender<Event>,
    filter: ThinkFilter,
    /// Whether its text is passed on only at its end.
    is_held: bool,
    text: String,
    /// Bytes of text, reasoning included.
    bytes: u64,
    pieces: usize,
    finish: Option<Finish>,
    /// Whether the server marked the end.
    is_done: bool,
    /// Tokens of the prompt, reused ones, and those of the reply.
    usage: Option<[usize; 3]>,
    /// Once it is complete.
    ended: Option<Ended>,
}

impl Reply {
    pub(super) fn new(server: Arc<Server>, shape: Shape, events: SyncSender<Event>) -> Self {
        Self {
            server,
            is_held: shape != Shape::Text,
            shape,
            events,
            filter: ThinkFilter::default(),
            text: String::new(),
            bytes: 0,
            pieces: 0,
            finish: None,
            is_done: false,
            usage: None,
            ended: None,
        }
    }

    /// Sends a request and reads the response to its end; `limit` is for messages.
    pub(super) fn read(mut self, agent: &Agent, body: &str, limit: Duration) {
        let ended = self.response(agent, body, limit);
        let _ = self.events.send(Event::End(ended));
    }

    fn response(&mut self, agent: &Agent, body: &str, limit: Duration) -> Result<(), Failure> {
        let server = Arc::clone(&self.server);
        let (head, body) = send(&server, agent, Some(body), limit)?;
        let kind = header(&head, "content-type").unwrap_or_default();
        let is_stream = kind.to_ascii_lowercase().starts_with("text/event-stream");
        self.is_held |= !is_stream;
        if self.is_held {
            self.filter = ThinkFilter::held();
        }
        if is_stream {
            return self.stream(body.into_reader(), limit);
        }
        let body = read_whole(&server, body, limit)?;
        self.whole(body.trim_start())?;
        self.complete()
    }

    /// A failed send means that nobody waits any more.
    fn tell(&self, event: Event) -> Result<(), Failure> {
        let sent = self.events.send(event);
        Ok(sent.map_err(|_| self.server.broken("nobody waits for it"))?)
    }

    /// Reads a stream of events (WHATWG HTML, section 9.2). Every server of this API puts an event
    /// into one line, so lines are not joined.
    fn stream(&mut self, body: impl Read, limit: Duration) -> Result<(), Failure> {
        let mut lines = BufReader::new(body.take(STREAM_BYTES_MAX));
        let mut line = Vec::new();
        while !self.is_done {
            line.clear();
            let read = (&mut lines)
                .take(LINE_BYTES_MAX)
                .read_until(b'\n', &mut line);
            let read = read.map_err(|error| self.server.fault(error, limit))?;
            if read as u64 == LINE_BYTES_MAX {
                return Err(self.server.too_large(LINE_BYTES_MAX).into());
            }
            if read == 0 {
                break;
            }
            self.lines(&line)?;
            if self.finish.is_some() && self.ended.is_none() {
                self.complete()?;
            }
        }
        if lines.get_ref().limit() == 0 {
            return Err(self.server.too_large(STREAM_BYTES_MAX).into());
        }
        self.complete()?;
        // the connection can be reused after the end
        let _ = io::copy(&mut lines, &mut io::sink());
        Ok(())
    }

    fn lines(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        for line in bytes.split(|byte| matches!(byte, b'\n' | b'\r')) {
            let line = std::str::from_utf8(line)
                .map_err(|_| self.server.malformed("a stream that is not UTF-8"))?;
            let line = line.trim_start_matches('\u{feff}').split_once(':');
            match line.map(|(name, value)| (name, value.trim())) {
                Some(("data", "[DONE]")) => {
                    self.is_done = true;
                    return Ok(());
                }
                Some(("data", data)) if !data.is_empty() => self.piece(data)?,
                // older llama.cpp servers report errors so
                Some(("error", said)) => {
                    let error = format!("{{\"error\":{said}}}");
                    let is_json = serde_json::from_str::<Value>(&error).is_ok();
                    self.piece(if is_json { &error } else { said })?;
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Takes a piece of a streamed reply.
    fn piece(&mut self, data: &str) -> Result<(), Failure> {
        let choice = self.choice(data)?;
        let delta = &choice["delta"];
        let text = match delta.is_object() {
            true => content(&delta["content"]),
            false => content(&choice["text"]),
        };
        let thinks = ["reasoning_content", "reasoning", "tool_calls"]
            .iter()
            .any(|name| !delta[name].is_null() && delta[name] != "");
        if !thinks && text.is_empty() {
            return Ok(());
        }
        self.pieces += 1;
        let words = self.say(&text)?;
        self.tell(Event::Piece(match self.is_held {
            true => String::new(),
            false => words,
        }))
    }

    /// Takes a reply that is not streamed.
    fn whole(&mut self, body: &str) -> Result<(), Failure> {
        if body.starts_with("data:") || body.starts_with(':') {
            // a stream without the content type of a stream
            return self.lines(body.as_bytes());
        }
        let choice = self.choice(body)?;
        let message = &choice["message"];
        if message["content"].is_null() && self.finish != Some(Finish::Tokens) {
            let calls = message["tool_calls"].as_array();
            return Err(match calls.is_some_and(|calls| !calls.is_empty()) {
                true => self.called_a_tool(),
                false => {
                    let said = self.server.quoted(body);
                    let what = format!("no choices[0].message.content: {said}");
                    self.server.malformed(what)
                }
            }
            .into());
        }
        self.finish = self.finish.or(Some(Finish::Done));
        self.pieces = 1;
        self.say(&content(&message["content"]))?;
        Ok(())
    }

    /// The first choice of a reply or a piece, whose other fields are noted: the reason for the
    /// end, and the token counts. An error in the place of one fails.
    fn choice(&mut self, text: &str) -> Result<Value, Failure> {
        let mut whole = self.server.json(text)?;
        let has = |name: &str| whole.get(name).is_some_and(|value| !value.is_null());
        if has("error") || (!has("choices") && (has("message") || has("detail"))) {
            let code = whole["error"]["code"].as_u64().or(whole["code"].as_u64());
            let status = code.and_then(|code| u16::try_from(code).ok());
            let status = status.filter(|status| (400..600).contains(status));
            return Err(self.server.refused(status.unwrap_or(500), text.to_owned()));
        }
        let number = |at: &str| {
            let number = whole["usage"].pointer(at).and_then(Value::as_u64);
            number.and_then(|number| usize::try_from(number).ok())
        };
        if let (Some(prompt), Some(reply)) =
            (number("/prompt_tokens"), number("/completion_tokens"))
        {
            let reused = number("/prompt_tokens_details/cached_tokens").unwrap_or(0);
            self.usage = Some([prompt, reused.min(prompt), reply]);
        }
        let choice = whole.pointer_mut("/choices/0").map(Value::take);
        let choice = choice.unwrap_or_default();
        match choice["finish_reason"].as_str() {
            // some servers write null as the string "null" in all pieces except the last
            None | Some("" | "null") => {}
            Some("length" | "max_tokens") => self.finish = Some(Finish::Tokens),
            Some("tool_calls" | "function_call") => self.finish = Some(Finish::Tool),
            Some("content_filter") => self.finish = Some(Finish::Filter),
            Some(_) => self.finish = Some(Finish::Done),
        }
        Ok(choice)
    }

    /// Takes text of the reply and returns it without reasoning.
    fn say(&mut self, text: &str) -> Result<String, EndpointError> {
        self.bytes += text.len() as u64;
        if self.bytes > TEXT_BYTES_MAX {
            return Err(self.server.too_large(TEXT_BYTES_MAX));
        }
        let words = self.filter.push(text);
        if self.filter.takes_back() {
            self.text.clear();
        }
        self.text.push_str(&words);
        Ok(words)
    }

    /// Passes on the complete reply, the first time with the text held back.
    fn complete(&mut self) -> Result<(), Failure> {
        let mut last = String::new();
        let ended = match self.ended {
            Some(ended) => ended,
            None => {
                let ended = self.ending()?;
                last = self.filter.end();
                self.text.push_str(&last);
                if let Shape::Json(shape) = &self.shape {
                    self.text = self.shaped(shape, ended)?;
                }
                if self.is_held {
                    last.clone_from(&self.text);
                }
                // JSON is complete, or an error
                match self.shape {
                    Shape::Text => ended,
                    Shape::Json(_) => Ended::Done,
                }
            }
        };
        self.ended = Some(ended);
        let [prompt_tokens, reused_tokens, reply_tokens] = self.tokens();
        let reply = Generated {
            text: self.text.clone(),
            prompt_tokens,
            reused_tokens,
            reply_tokens,
            ended,
        };
        self.tell(Event::Reply(reply, last))
    }

    fn ending(&self) -> Result<Ended, EndpointError> {
        match self.finish {
            Some(Finish::Tokens) => Ok(Ended::TokensMax),
            Some(Finish::Done) => Ok(Ended::Done),
            None if self.is_done && self.pieces > 0 => Ok(Ended::Done),
            None => {
                let reason = format!("its reply has no end (pieces that came: {})", self.pieces);
                Err(self.server.broken(&reason))
            }
            Some(Finish::Tool) => Err(self.called_a_tool()),
            Some(Finish::Filter) => {
                let what = format!(
                    "withheld the reply of {} by its content filter; rephrase the request",
                    self.server.model
                );
                Err(self.server.error(Kind::Final, what))
            }
        }
    }

    fn tokens(&self) -> [usize; 3] {
        self.usage.unwrap_or([0, 0, self.pieces])
    }

    /// The text as JSON of the shape, with small defects repaired.
    fn shaped(&self, shape: &JsonShape, ended: Ended) -> Result<String, EndpointError> {
        let text = unfenced(&self.text);
        let model = &self.server.model;
        // before a long name is truncated, so that no part of a key is left in it
        let shown = |text: &str| self.server.key.redacted(text);
        let misfit = |reason: String| {
            let message = format!(
                "{model} replied in the wrong JSON shape: {}; use a server with structured \
                 output, or a larger model; the reply: {}",
                shown(&reason),
                self.server.quoted(text)
            );
            Kind::Final.error(message)
        };
        match serde_json::from_str(text) {
            Ok(value) => shape.write_mended(value, &shown).map_err(misfit),
            Err(_) if ended == Ended::TokensMax => {
                let [.., tokens] = self.tokens();
                let message = format!(
                    "the reply of {model} was incomplete after {tokens} tokens; allow more"
                );
                Err(Kind::Unfinished { tokens }.error(message))
            }
            Err(error) => Err(misfit(format!("it is no JSON ({error})"))),
        }
    }

    fn called_a_tool(&self) -> EndpointError {
        let model = &self.server.model;
        let what = format!("no words: {model} called a tool, and was given none");
        self.server.malformed(what)
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
