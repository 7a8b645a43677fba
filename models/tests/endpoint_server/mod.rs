//! A scripted server on the loopback, correct or faulty; after the script ends, its last line is
//! repeated. Every connection carries one request.

#![allow(dead_code, reason = "each crate's tests use their part")]

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread::JoinHandle;
use std::time::Duration;

/// What to do with a request.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Act {
    /// Reply with these words, not streamed.
    Say(&'static str),
    /// Answer 200 with this body.
    Raw(&'static str),
    /// Answer with a status and a body.
    Status(u16, &'static str),
    /// Answer with a status, further header lines (each ends with `\r\n`) and a body.
    With(u16, &'static str, &'static str),
    /// Redirect to the address of [`Server::set_elsewhere`].
    Redirect,
    /// Answer 200 and a stream of events.
    Stream(&'static [Step]),
    /// Send these bytes and close.
    Bytes(&'static [u8]),
    /// Close the connection.
    Close,
    /// Keep it open and send nothing.
    Silence,
}

/// A part of a stream; each is a separate chunk.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Step {
    /// A piece of a reply with these words.
    Words(&'static str),
    /// The piece with the reason for the end.
    Finish(&'static str),
    /// An event with this data.
    Data(&'static str),
    /// These raw bytes.
    Bytes(&'static [u8]),
    /// A piece with these words, one byte a chunk.
    Dribble(&'static str),
    /// These bytes repeatedly until the client disconnects.
    Endless(&'static [u8]),
    /// The normal end: `[DONE]` and the last chunk.
    Done,
    /// The last chunk without `[DONE]`.
    End,
    /// Keep the connection open and send nothing more.
    Hold,
}

#[derive(Default)]
struct Shared {
    script: Vec<Act>,
    elsewhere: Mutex<String>,
    requests: Mutex<Vec<Value>>,
    paths: Mutex<Vec<String>>,
    authorizations: Mutex<Vec<String>>,
    silent: Mutex<Vec<TcpStream>>,
    closing: AtomicBool,
    gone: AtomicUsize,
}

/// The running server; dropping it ends it.
pub(crate) struct Server {
    pub(crate) url: String,
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

impl Server {
    pub(crate) fn start(script: &[Act]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let url = format!("http://{}", listener.local_addr().expect("bound"));
        let shared = Arc::new(Shared {
            script: script.to_vec(),
            ..Shared::default()
        });
        let for_thread = Arc::clone(&shared);
        let thread = std::thread::spawn(move || for_thread.accept(&listener));
        Self {
            url,
            shared,
            thread: Some(thread),
        }
    }

    /// Target of [`Act::Redirect`].
    pub(crate) fn set_elsewhere(&self, url: &str) {
        url.clone_into(&mut locked(&self.shared.elsewhere));
    }

    /// Bodies of the requests so far; null for those without one.
    pub(crate) fn requests(&self) -> Vec<Value> {
        locked(&self.shared.requests).clone()
    }

    /// The requested paths.
    pub(crate) fn paths(&self) -> Vec<String> {
        locked(&self.shared.paths).clone()
    }

    /// Their authorization headers, if any.
    pub(crate) fn authorizations(&self) -> Vec<String> {
        locked(&self.shared.authorizations).clone()
    }

    /// Whether a client left an endless stream within ten seconds.
    pub(crate) fn is_left(&self) -> bool {
        for _ in 0..1000 {
            if self.shared.gone.load(Ordering::SeqCst) > 0 {
                return true;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        false
    }

    /// Whether the client closes silent connections within ten seconds.
    pub(crate) fn is_hung_up(&self) -> bool {
        let silent = || locked(&self.shared.silent);
        for _ in 0..1000 {
            if !silent().is_empty() {
                break;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        let silent = silent();
        let is_closed = |mut stream: &TcpStream| {
            let limit = Some(Duration::from_secs(10));
            stream.set_read_timeout(limit).expect("a limit above zero");
            match stream.read(&mut [0; 1]) {
                Ok(count) => count == 0,
                Err(error) => error.kind() == std::io::ErrorKind::ConnectionReset,
            }
        };
        !silent.is_empty() && silent.iter().all(is_closed)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.shared.closing.store(true, Ordering::SeqCst);
        locked(&self.shared.silent).clear();
        // wakes the thread out of accept()
        let _ = TcpStream::connect(self.url.trim_start_matches("http://"));
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl Shared {
    fn accept(&self, listener: &TcpListener) {
        for stream in listener.incoming() {
            if self.closing.load(Ordering::SeqCst) {
                return;
            }
            // a client that disconnected is not an error of the server
            let _ = stream.and_then(|stream| self.answer(stream));
        }
    }

    fn answer(&self, mut stream: TcpStream) -> std::io::Result<()> {
        let body = self.read(&stream)?;
        let mut requests = locked(&self.requests);
        let act = self.script[requests.len().min(self.script.len() - 1)];
        requests.push(serde_json::from_slice(&body).unwrap_or_default());
        drop(requests);
        let (status, more, body) = match act {
            Act::Say(words) => {
                let choice = json!({"message": {"content": words}, "finish_reason": "stop"});
                (200, String::new(), json!({"choices": [choice]}).to_string())
            }
            Act::Raw(body) => (200, String::new(), body.to_owned()),
            Act::Status(status, body) => (status, String::new(), body.to_owned()),
            Act::With(status, more, body) => (status, more.to_owned(), body.to_owned()),
            Act::Redirect => {
                let to = locked(&self.elsewhere);
                (
                    302,
                    format!("location: {to}/v1/chat/completions\r\n"),
                    String::new(),
                )
            }
            Act::Stream(steps) => return self.stream(stream, steps),
            Act::Bytes(bytes) => return stream.write_all(bytes),
            Act::Close => return Ok(()),
            Act::Silence => {
                locked(&self.silent).push(stream);
                return Ok(());
            }
        };
        write!(stream, "HTTP/1.1 {status} X\r\n{more}")?;
        if !more.contains("content-length") {
            write!(stream, "content-length: {}\r\n", body.len())?;
        }
        write!(stream, "connection: close\r\n\r\n{body}")
    }

    fn stream(&self, mut out: TcpStream, steps: &[Step]) -> std::io::Result<()> {
        out.set_nodelay(true)?;
        write!(
            out,
            "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream; charset=utf-8\r\n\
             transfer-encoding: chunked\r\nconnection: close\r\n\r\n"
        )?;
        for step in steps {
            match step {
                Step::Words(words) => chunk(&mut out, event(words, None).as_bytes())?,
                Step::Finish(why) => chunk(&mut out, event("", Some(why)).as_bytes())?,
                Step::Data(data) => chunk(&mut out, format!("data: {data}\n\n").as_bytes())?,
                Step::Bytes(bytes) => chunk(&mut out, bytes)?,
                Step::Dribble(words) => {
                    for byte in event(words, None).as_bytes() {
                        chunk(&mut out, &[*byte])?;
                    }
                }
                Step::Endless(bytes) => loop {
                    if self.closing.load(Ordering::SeqCst) {
                        return Ok(());
                    }
                    if let Err(error) = chunk(&mut out, bytes) {
                        self.gone.fetch_add(1, Ordering::SeqCst);
                        return Err(error);
                    }
                },
                Step::Done => write!(out, "e\r\ndata: [DONE]\n\n\r\n0\r\n\r\n")?,
                Step::End => write!(out, "0\r\n\r\n")?,
                Step::Hold => {
                    locked(&self.silent).push(out);
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    fn read(&self, stream: &TcpStream) -> std::io::Result<Vec<u8>> {
        let mut reader = BufReader::new(stream);
        let mut first = String::new();
        reader.read_line(&mut first)?;
        let path = first.split(' ').nth(1).unwrap_or_default().to_owned();
        locked(&self.paths).push(path);
        let mut length = 0;
        loop {
            let mut line = String::new();
            reader.read_line(&mut line)?;
            let line = line.trim_end();
            if line.is_empty() {
                break;
            }
            let (name, value) = line.split_once(": ").unwrap_or((line, ""));
            match name.to_lowercase().as_str() {
                "content-length" => length = value.parse().expect("a number"),
                "authorization" => {
                    let mut seen = locked(&self.authorizations);
                    seen.push(value.to_owned());
                }
                _ => {}
            }
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body)?;
        Ok(body)
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().expect("no thread failed")
}

/// A piece of a streamed reply.
fn event(words: &str, finish: Option<&str>) -> String {
    let choice = json!({"index": 0, "delta": {"content": words}, "finish_reason": finish});
    format!("data: {}\n\n", json!({"choices": [choice]}))
}

fn chunk(out: &mut TcpStream, bytes: &[u8]) -> std::io::Result<()> {
    write!(out, "{:x}\r\n", bytes.len())?;
    out.write_all(bytes)?;
    out.write_all(b"\r\n")?;
    out.flush()
}
