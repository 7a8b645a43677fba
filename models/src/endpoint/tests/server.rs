//! A scripted server, correct or faulty. Each request takes one act of the script, whose last one
//! is repeated.

use std::io;

use serde_json::{Value, json};
use weir_fixtures::http::{After, Connection, HttpServer};

/// What to do with a request.
#[derive(Debug, Clone)]
pub(super) enum Act {
    /// Answer with a status, further header lines (each ends with `\r\n`) and a body.
    Answer(u16, String, String),
    /// Announce a body of this length, send the beginning and close.
    Cut(u16, usize, &'static str),
    /// Answer 200 and a stream of events; close the connection if it has no end.
    Stream(Vec<Step>),
    /// Send these bytes and close.
    Bytes(&'static [u8]),
    /// Keep the connection open and send nothing.
    Silence,
}

/// A part of a stream.
#[derive(Debug, Clone)]
pub(super) enum Step {
    /// One chunk.
    Chunk(Vec<u8>),
    /// A chunk again and again until the client disconnects.
    Endless(Vec<u8>),
    /// The last chunk.
    End,
    /// Keep the connection open and send nothing more.
    Hold,
}

/// A reply with these words that is not streamed.
pub(super) fn say(words: &str) -> Act {
    let choice = json!({"message": {"content": words}, "finish_reason": "stop"});
    raw(&json!({"choices": [choice]}).to_string())
}

/// An answer 200 with this body.
pub(super) fn raw(body: &str) -> Act {
    status(200, body)
}

pub(super) fn status(status: u16, body: &str) -> Act {
    Act::Answer(status, String::new(), body.to_owned())
}

pub(super) fn stream(steps: impl IntoIterator<Item = Step>) -> Act {
    Act::Stream(steps.into_iter().collect())
}

/// A streamed reply of these pieces that ends for this reason.
pub(super) fn streamed(pieces: &[&str], why: &str) -> Act {
    let pieces = pieces.iter().map(|piece| words(piece));
    stream(pieces.chain([finish(why), done(), Step::End]))
}

/// A piece of a reply.
pub(super) fn words(words: &str) -> Step {
    piece(words, None)
}

/// The piece with the reason for the end.
pub(super) fn finish(why: &str) -> Step {
    piece("", Some(why))
}

pub(super) fn piece(words: &str, why: Option<&str>) -> Step {
    let choice = json!({"delta": {"content": words}, "finish_reason": why});
    data(&json!({"choices": [choice]}).to_string())
}

pub(super) fn done() -> Step {
    data("[DONE]")
}

/// An event with this data.
pub(super) fn data(data: &str) -> Step {
    Step::Chunk(format!("data: {data}\n\n").into_bytes())
}

pub(super) fn start(script: &[Act]) -> HttpServer {
    let script = script.to_vec();
    HttpServer::start(move |_, at, out| perform(&script[at.min(script.len() - 1)], out))
}

fn perform(act: &Act, out: &mut Connection) -> io::Result<After> {
    match act {
        Act::Answer(status, more, body) => out.answer(*status, more, body.as_bytes())?,
        Act::Cut(status, length, body) => {
            out.head(*status, &format!("content-length: {length}\r\n"))?;
            out.send(body.as_bytes())?;
            return Ok(After::Close);
        }
        Act::Bytes(bytes) => {
            out.send(bytes)?;
            return Ok(After::Close);
        }
        Act::Silence => return out.hold(),
        Act::Stream(steps) => {
            let kind = "content-type: text/event-stream; charset=utf-8\r\n";
            out.head(200, &format!("{kind}transfer-encoding: chunked\r\n"))?;
            for step in steps {
                match step {
                    Step::Chunk(bytes) => out.chunk(bytes)?,
                    Step::Endless(bytes) => loop {
                        out.chunk(bytes)?;
                    },
                    Step::End => {
                        // a little late, as behind a proxy
                        std::thread::sleep(std::time::Duration::from_millis(5));
                        out.chunk(b"")?;
                        return Ok(After::Keep);
                    }
                    Step::Hold => return out.hold(),
                }
            }
            return Ok(After::Close);
        }
    }
    Ok(After::Keep)
}

/// The bodies of the requests so far.
pub(super) fn sent(server: &HttpServer) -> Vec<Value> {
    let requests = server.requests().into_iter();
    let body = |body: Vec<u8>| serde_json::from_slice(&body).expect("JSON");
    requests.map(|request| body(request.body)).collect()
}
