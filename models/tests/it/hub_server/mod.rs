//! A hub on the loopback that misbehaves on demand.
//!
//! Each request takes one behaviour from the script; after the end of the script the last one is
//! repeated. A hub of one file has one script for every URL; a hub of many files has a page with
//! its own script for each.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

pub(crate) mod listed;
pub(crate) mod place;
pub(crate) mod shelf;

use std::collections::HashMap;
use std::io;
use std::sync::{Arc, Mutex};

use weir_fixtures::http::{After, Connection, HttpServer, Request};

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
#[derive(Debug, Clone)]
pub(crate) struct Page {
    pub(crate) content: Vec<u8>,
    /// Further header lines, each with its end.
    pub(crate) head: String,
    pub(crate) script: Vec<Act>,
}

impl Page {
    pub(crate) fn new(content: &[u8], script: &[Act]) -> Self {
        Self {
            content: content.to_vec(),
            head: String::new(),
            script: script.to_vec(),
        }
    }
}

/// The pages by URL; the one without an URL is for all others.
type Pages = HashMap<String, Page>;

/// The running server; dropping it ends it.
pub(crate) struct HubServer {
    pub(crate) url: String,
    pages: Arc<Mutex<Pages>>,
    server: HttpServer,
}

impl HubServer {
    /// Starts a server of `content` with the behaviour `script`.
    pub(crate) fn start(content: &[u8], script: &[Act]) -> Self {
        Self::of([(String::new(), Page::new(content, script))].into())
    }

    /// Starts a server of many pages, by URL; other URLs give 404.
    pub(crate) fn of(pages: Pages) -> Self {
        let pages = Arc::new(Mutex::new(pages));
        let answered = Arc::clone(&pages);
        let server = HttpServer::start(move |request, _, out| {
            let (page, act) = next(&mut answered.lock().unwrap(), &request.path);
            perform(&page, act, request, out)
        });
        Self {
            url: server.url.clone(),
            pages,
            server,
        }
    }

    /// All requests so far.
    pub(crate) fn requests(&self) -> Vec<Request> {
        self.server.requests()
    }

    /// Replaces the pages with the same URLs.
    pub(crate) fn put(&self, pages: Pages) {
        self.pages.lock().unwrap().extend(pages);
    }

    /// The requested URLs so far, in order.
    pub(crate) fn paths(&self) -> Vec<String> {
        self.requests().into_iter().map(|at| at.path).collect()
    }

    /// The requested ranges, in order.
    pub(crate) fn ranges(&self) -> Vec<Option<String>> {
        self.headers("range")
    }

    /// The values of a header of all requests, in order.
    pub(crate) fn headers(&self, name: &str) -> Vec<Option<String>> {
        let requests = self.requests();
        let value = |request: &Request| request.header(name).map(str::to_owned);
        requests.iter().map(value).collect()
    }
}

fn next(pages: &mut Pages, path: &str) -> (Page, Act) {
    let key = if pages.contains_key(path) { path } else { "" };
    let Some(page) = pages.get_mut(key) else {
        return (Page::new(b"", &[]), Act::Status(404));
    };
    let act = match page.script.len() {
        1 => page.script[0].clone(),
        _ => page.script.remove(0),
    };
    (page.clone(), act)
}

fn perform(page: &Page, act: Act, request: &Request, out: &mut Connection) -> io::Result<After> {
    let range = request.header("range").and_then(|range| {
        let start = range.strip_prefix("bytes=")?.strip_suffix('-')?;
        start.parse().ok()
    });
    match act {
        Act::Serve => send(page, out, range, usize::MAX)?,
        Act::ServeWhole => send(page, out, None, usize::MAX)?,
        Act::CutAfter(count) => {
            send(page, out, range, count)?;
            return Ok(After::Close);
        }
        Act::WholeCutAfter(count) => {
            send(page, out, None, count)?;
            return Ok(After::Close);
        }
        Act::StallAfter(count) => {
            send(page, out, range, count)?;
            return out.hold();
        }
        Act::Instead(body) => out.answer(200, "", &body)?,
        Act::Status(status) => out.answer(status, "", b"no\n")?,
        Act::Busy(seconds) => out.answer(429, &format!("retry-after: {seconds}\r\n"), b"no\n")?,
        Act::Redirect(to) => out.answer(302, &format!("location: {to}\r\n"), b"")?,
    }
    Ok(After::Keep)
}

/// Sends at most `most` bytes of a page, of its range from `start` on or of all.
fn send(page: &Page, out: &mut Connection, start: Option<usize>, most: usize) -> io::Result<()> {
    let size = page.content.len();
    if start.is_some_and(|start| start >= size) {
        return out.answer(416, &format!("content-range: bytes */{size}\r\n"), b"");
    }
    let body = &page.content[start.unwrap_or(0)..];
    let length = format!("content-length: {}\r\n", body.len());
    match start {
        None => out.head(200, &(length + &page.head))?,
        Some(start) => {
            let range = format!("content-range: bytes {start}-{}/{size}\r\n", size - 1);
            out.head(206, &(length + &range))?;
        }
    }
    out.send(&body[..body.len().min(most)])
}
