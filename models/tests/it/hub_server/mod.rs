//! A hub on the loopback that misbehaves on demand.
//!
//! Each request takes one behaviour from the script; after the end of the script the last one is
//! repeated. Every connection carries one request. A hub of one file has one script for every URL;
//! a hub of many files has a page with its own script for each.

#![allow(dead_code, reason = "each test file uses its part")]
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

pub(crate) mod listed;
pub(crate) mod place;
pub(crate) mod shelf;

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};

/// What to do with a request.
#[derive(Debug, Clone)]
pub(crate) enum Act {
    /// Send the file, or the range of it that is asked for.
    Serve,
    /// Ignore the range and send the whole file.
    ServeWhole,
    /// Announce the whole size, send this many bytes, close.
    CutAfter(usize),
    /// The same, always from the beginning.
    WholeCutAfter(usize),
    /// Announce the whole size, send this many bytes, send nothing more.
    StallAfter(usize),
    /// Send this body instead of the file.
    Instead(Vec<u8>),
    /// Answer with a status and no file.
    Status(u16),
    /// Answer 429 and ask for a pause of this many seconds.
    Busy(u32),
    /// Redirect there.
    Redirect(String),
}

/// A page of the hub and its behaviour.
#[derive(Debug, Clone, Default)]
pub(crate) struct Page {
    pub(crate) content: Vec<u8>,
    /// Further header lines, each with its end.
    pub(crate) head: String,
    pub(crate) script: Vec<Act>,
}

/// A received request.
#[derive(Debug, Clone, Default)]
pub(crate) struct Request {
    pub(crate) path: String,
    pub(crate) range: Option<String>,
    pub(crate) authorization: Option<String>,
}

#[derive(Default)]
struct Shared {
    /// By URL; the entry without one is for all others.
    pages: Mutex<HashMap<String, Page>>,
    requests: Mutex<Vec<Request>>,
    /// Connections kept open without data.
    silent: Mutex<Vec<TcpStream>>,
    is_closing: Mutex<bool>,
}

/// The running server; dropping it ends it.
pub(crate) struct HubServer {
    pub(crate) url: String,
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

impl HubServer {
    /// Starts a server of `content` with the behaviour `script`.
    pub(crate) fn start(content: &[u8], script: &[Act]) -> Self {
        let page = Page {
            content: content.to_vec(),
            head: String::new(),
            script: script.to_vec(),
        };
        Self::of(HashMap::from([(String::new(), page)]))
    }

    /// Starts a server of many pages, by URL; other URLs give 404.
    pub(crate) fn of(pages: HashMap<String, Page>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let shared = Arc::new(Shared {
            pages: Mutex::new(pages),
            ..Shared::default()
        });
        let for_thread = Arc::clone(&shared);
        let thread = thread::spawn(move || for_thread.accept(&listener));
        Self {
            url,
            shared,
            thread: Some(thread),
        }
    }

    /// All requests so far.
    pub(crate) fn requests(&self) -> Vec<Request> {
        self.shared.requests.lock().unwrap().clone()
    }

    /// Replaces the pages with the same URLs.
    pub(crate) fn put(&self, pages: HashMap<String, Page>) {
        self.shared.pages.lock().unwrap().extend(pages);
    }

    /// The requested URLs so far, in order.
    pub(crate) fn paths(&self) -> Vec<String> {
        self.requests().into_iter().map(|at| at.path).collect()
    }

    /// The requested ranges, in order.
    pub(crate) fn ranges(&self) -> Vec<Option<String>> {
        self.requests().into_iter().map(|at| at.range).collect()
    }
}

impl Drop for HubServer {
    fn drop(&mut self) {
        *self.shared.is_closing.lock().unwrap() = true;
        self.shared.silent.lock().unwrap().clear();
        // Wakes the thread out of accept().
        let _ = TcpStream::connect(self.url.trim_start_matches("http://"));
        self.thread.take().unwrap().join().unwrap();
    }
}

impl Shared {
    fn accept(&self, listener: &TcpListener) {
        for stream in listener.incoming() {
            if *self.is_closing.lock().unwrap() {
                return;
            }
            // A client that disconnected is not an error of the server.
            let _ = self.answer(stream.unwrap());
        }
    }

    fn answer(&self, mut stream: TcpStream) -> std::io::Result<()> {
        let request = read_request(&stream)?;
        self.requests.lock().unwrap().push(request.clone());
        let (page, act) = self.next_act(&request.path);
        match act {
            Act::Serve => send(&page, &mut stream, start_of(&request), usize::MAX),
            Act::ServeWhole => send(&page, &mut stream, None, usize::MAX),
            Act::CutAfter(count) => send(&page, &mut stream, start_of(&request), count),
            Act::WholeCutAfter(count) => send(&page, &mut stream, None, count),
            Act::StallAfter(count) => {
                send(&page, &mut stream, start_of(&request), count)?;
                self.silent.lock().unwrap().push(stream);
                Ok(())
            }
            Act::Instead(body) => {
                begin(&mut stream, "200 OK", "", body.len())?;
                stream.write_all(&body)
            }
            Act::Status(status) => {
                begin(&mut stream, &format!("{status} No"), "", 3)?;
                stream.write_all(b"no\n")
            }
            Act::Busy(seconds) => {
                let more = format!("retry-after: {seconds}\r\n");
                begin(&mut stream, "429 Later", &more, 3)?;
                stream.write_all(b"no\n")
            }
            Act::Redirect(to) => begin(&mut stream, "302 Found", &format!("location: {to}\r\n"), 0),
        }
    }

    fn next_act(&self, path: &str) -> (Page, Act) {
        let mut pages = self.pages.lock().unwrap();
        let key = if pages.contains_key(path) { path } else { "" };
        let Some(page) = pages.get_mut(key) else {
            return (Page::default(), Act::Status(404));
        };
        let act = if page.script.len() > 1 {
            page.script.remove(0)
        } else {
            page.script[0].clone()
        };
        (page.clone(), act)
    }
}

fn send(
    page: &Page,
    out: &mut TcpStream,
    start: Option<usize>,
    most: usize,
) -> std::io::Result<()> {
    let size = page.content.len();
    if start.is_some_and(|start| start >= size) {
        let range = format!("content-range: bytes */{size}\r\n");
        return begin(out, "416 Range", &range, 0);
    }
    let body = &page.content[start.unwrap_or(0)..];
    match start {
        None => begin(out, "200 OK", &page.head, body.len())?,
        Some(start) => {
            let range = format!("content-range: bytes {start}-{}/{size}\r\n", size - 1);
            begin(out, "206 Part", &range, body.len())?;
        }
    }
    out.write_all(&body[..body.len().min(most)])?;
    out.flush()
}

/// Sends a head; `more` is further header lines, each with its end. The connection is announced as
/// closed, because a client that reused it would find it closed.
fn begin(out: &mut TcpStream, status: &str, more: &str, length: usize) -> std::io::Result<()> {
    write!(
        out,
        "HTTP/1.1 {status}\r\n{more}connection: close\r\ncontent-length: {length}\r\n\r\n"
    )
}

fn read_request(stream: &TcpStream) -> std::io::Result<Request> {
    let mut lines = BufReader::new(stream).lines();
    let first = lines.next().unwrap_or_else(|| Ok(String::new()))?;
    let path = first.split(' ').nth(1).unwrap_or_default().to_owned();
    let mut request = Request {
        path,
        ..Request::default()
    };
    for line in lines {
        let line = line?;
        let Some((name, value)) = line.split_once(':') else {
            break;
        };
        let value = Some(value.trim().to_owned());
        match name.to_ascii_lowercase().as_str() {
            "range" => request.range = value,
            "authorization" => request.authorization = value,
            _ => {}
        }
    }
    Ok(request)
}

fn start_of(request: &Request) -> Option<usize> {
    let range = request.range.as_ref()?.strip_prefix("bytes=")?;
    range.strip_suffix('-')?.parse().ok()
}
