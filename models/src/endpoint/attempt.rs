//! One attempt at a reply: the response head, then the text, streamed or whole.

use std::time::Duration;

use super::EndpointError;
use super::exchange::{Event, Exchange, Head};
use super::options::EndpointOptions;
use super::refusal::Asked;
use super::reply::{Meaning, Reply};
use super::sse::{Line, Lines};
use super::timeouts::{Listener, Listening, Phase};
use crate::{Ended, Generated, Request};

/// Bytes of a reply that is not streamed.
pub(super) const WHOLE_BYTES_MAX: usize = 4 << 20;
/// Bytes of a streamed reply; a token of 4 bytes of text takes about 250.
const STREAM_BYTES_MAX: usize = 64 << 20;
/// Bytes of an error response that are read.
pub(super) const REFUSAL_BYTES_MAX: usize = 64 << 10;

/// Why an attempt failed.
pub(super) enum Failure {
    /// Final or retryable, depending on the error.
    Error(EndpointError),
    /// A stream that ended before any text.
    Unexplained(EndpointError),
    /// The server refused the request, perhaps because of a field in it.
    Refusal {
        status: u16,
        said: String,
        retry_after: Option<Duration>,
    },
}

impl From<EndpointError> for Failure {
    fn from(error: EndpointError) -> Self {
        Self::Error(error)
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

/// The request and its server.
#[derive(Clone, Copy)]
pub(super) struct Attempt<'a> {
    pub(super) request: &'a Request,
    pub(super) options: &'a EndpointOptions,
    pub(super) asked: Asked<'a>,
}

impl Attempt<'_> {
    /// Reads `exchange` until the reply is complete or fails.
    pub(super) fn run(
        self,
        exchange: Exchange,
        streams: bool,
        listener: &mut Listener<'_>,
    ) -> Result<Generated, Failure> {
        let mut listening = Listening::new(exchange, self.options, self.asked.url);
        let phase = if streams { Phase::First } else { Phase::Whole };
        let Some(head) = listening.head(phase, listener)? else {
            return Ok(nothing_said());
        };
        if !(200..300).contains(&head.status) {
            return self.refusal(&head, &mut listening, listener);
        }
        let reply = Reply::new(self.request, self.asked);
        if head.is_stream {
            return Stream::new(reply, self.asked.url).run(&mut listening, listener);
        }
        if head
            .length
            .is_some_and(|length| length > WHOLE_BYTES_MAX as u64)
        {
            return Err(too_large(self.asked.url, WHOLE_BYTES_MAX).into());
        }
        match listening.body(Phase::Whole, WHOLE_BYTES_MAX, listener)? {
            Some(body) => self.whole(reply, &body, listener),
            None => Ok(nothing_said()),
        }
    }

    /// A response that is not a reply.
    fn refusal(
        self,
        head: &Head,
        listening: &mut Listening<'_>,
        listener: &mut Listener<'_>,
    ) -> Result<Generated, Failure> {
        let status = head.status;
        if (300..400).contains(&status) {
            let error = self.asked.redirect(status, head.location.as_deref());
            return Err(error.into());
        }
        match listening.body(Phase::Trailer, REFUSAL_BYTES_MAX, listener)? {
            Some(said) => Err(Failure::Refusal {
                status,
                said,
                retry_after: head.retry_after,
            }),
            None => Ok(nothing_said()),
        }
    }

    /// A reply that is not streamed.
    fn whole(
        self,
        mut reply: Reply<'_>,
        body: &str,
        listener: &mut Listener<'_>,
    ) -> Result<Generated, Failure> {
        let body = body.trim_start();
        if body.starts_with("data:") || body.starts_with(':') {
            // a stream without the content type of a stream
            let mut stream = Stream::new(reply, self.asked.url);
            let mut lines = Lines::default();
            let found = lines.push(body.as_bytes()).into_iter();
            for line in found.chain(lines.end()) {
                stream.take(line, listener)?;
                if stream.is_done || listener.has_stopped {
                    break;
                }
            }
            return stream.end(listener);
        }
        match reply.whole(body)? {
            Meaning::Refusal(status, said) => Err(Failure::Refusal {
                status,
                said,
                retry_after: None,
            }),
            Meaning::Words(words, _) => {
                if !listener.give(&words) {
                    return Ok(reply.stopped());
                }
                finish(reply, true, listener)
            }
        }
    }
}

/// A streamed reply.
struct Stream<'a> {
    reply: Reply<'a>,
    url: &'a str,
    bytes: usize,
    /// Whether the server marked the end, or nothing after this matters.
    is_done: bool,
    phase: Phase,
}

impl<'a> Stream<'a> {
    fn new(reply: Reply<'a>, url: &'a str) -> Self {
        Self {
            reply,
            url,
            bytes: 0,
            is_done: false,
            phase: Phase::First,
        }
    }

    fn run(
        mut self,
        listening: &mut Listening<'_>,
        listener: &mut Listener<'_>,
    ) -> Result<Generated, Failure> {
        let mut lines = Lines::default();
        let mut is_over = false;
        while !is_over && !self.is_done && !listener.has_stopped {
            let found = match listening.next(self.phase, listener) {
                Ok(Some(Event::Bytes(part))) => {
                    self.bytes += part.len();
                    lines.push(&part)
                }
                Ok(Some(_)) => {
                    is_over = true;
                    lines.end().into_iter().collect()
                }
                Ok(None) => break,
                // the connection broke after the last words
                Err(_) if self.reply.is_finished() => break,
                Err(error @ EndpointError::Broken { .. }) if self.phase == Phase::First => {
                    return Err(Failure::Unexplained(error));
                }
                Err(error) => return Err(error.into()),
            };
            if self.bytes > STREAM_BYTES_MAX {
                return Err(too_large(self.url, STREAM_BYTES_MAX).into());
            }
            if found.is_empty() {
                // a server that keeps the connection alive: check whether the listener wants to
                // stop
                listener.give("");
            }
            for line in found {
                let was = self.phase;
                if self.take(line, listener)? || self.phase != was {
                    listening.progress();
                }
                if self.is_done || listener.has_stopped {
                    break;
                }
            }
        }
        // after one of our stop words the server may still be writing
        if self.is_done && !is_over && !listener.has_stopped && !self.reply.is_stopped() {
            listening.settle();
        }
        self.end(listener)
    }

    /// Processes a line; returns whether it contained text.
    fn take(
        &mut self,
        line: Result<Line, super::sse::BadLine>,
        listener: &mut Listener<'_>,
    ) -> Result<bool, Failure> {
        match self.hear(line, listener) {
            // lines after the last words do not matter
            Err(_) if self.reply.is_finished() => {
                self.is_done = true;
                Ok(false)
            }
            heard => heard,
        }
    }

    fn hear(
        &mut self,
        line: Result<Line, super::sse::BadLine>,
        listener: &mut Listener<'_>,
    ) -> Result<bool, Failure> {
        let data = match line.map_err(|bad| bad.error(self.url))? {
            Line::Data(data) if data == "[DONE]" => {
                self.is_done = true;
                return Ok(false);
            }
            Line::Data(data) if data.is_empty() => return Ok(false),
            Line::Data(data) => data,
            Line::Error(said) => {
                let error = format!("{{\"error\":{said}}}");
                let is_json = serde_json::from_str::<serde_json::Value>(&error).is_ok();
                if is_json { error } else { said }
            }
        };
        match self.reply.piece(&data)? {
            Meaning::Refusal(status, said) => Err(Failure::Refusal {
                status,
                said,
                retry_after: None,
            }),
            Meaning::Words(words, is_said) => {
                listener.give(&words);
                self.is_done = self.reply.is_stopped();
                if self.reply.is_finished() {
                    self.phase = Phase::Trailer;
                } else if is_said {
                    self.phase = Phase::Between;
                }
                Ok(is_said)
            }
        }
    }

    fn end(self, listener: &mut Listener<'_>) -> Result<Generated, Failure> {
        if listener.has_stopped {
            return Ok(self.reply.stopped());
        }
        let said_nothing = self.phase == Phase::First;
        match finish(self.reply, self.is_done, listener) {
            Err(Failure::Error(error @ EndpointError::Broken { .. })) if said_nothing => {
                Err(Failure::Unexplained(error))
            }
            ended => ended,
        }
    }
}

/// Ends a reply and passes on the text held back.
fn finish(
    reply: Reply<'_>,
    is_done: bool,
    listener: &mut Listener<'_>,
) -> Result<Generated, Failure> {
    let (generated, rest) = reply.end(is_done)?;
    listener.give(&rest);
    Ok(generated)
}

fn too_large(url: &str, bytes_max: usize) -> EndpointError {
    EndpointError::TooLarge {
        url: url.to_owned(),
        bytes_max,
    }
}
