//! A server on this machine's loopback for tests, which answers by a script; when that is used up,
//! its last line is repeated. Every connection carries one request.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

/// What to do with a request.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Act {
    /// Reply with these words.
    Say(&'static str),
    /// Answer 200 with this body.
    Raw(&'static str),
    /// Answer with a status and a body.
    Status(u16, &'static str),
    /// Close the connection.
    Close,
    /// Keep it open and say nothing.
    Silence,
}

#[derive(Default)]
struct Shared {
    script: Vec<Act>,
    requests: Mutex<Vec<Value>>,
    authorizations: Mutex<Vec<String>>,
    silent: Mutex<Vec<TcpStream>>,
    closing: AtomicBool,
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

    /// Bodies of the requests so far.
    pub(crate) fn requests(&self) -> Vec<Value> {
        self.shared
            .requests
            .lock()
            .expect("no thread failed")
            .clone()
    }

    /// Their authorization headers, where they had one.
    pub(crate) fn authorizations(&self) -> Vec<String> {
        self.shared
            .authorizations
            .lock()
            .expect("no thread failed")
            .clone()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.shared.closing.store(true, Ordering::SeqCst);
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
            // a client that went away is no failure of the server
            let _ = stream.and_then(|stream| self.answer(stream));
        }
    }

    fn answer(&self, mut stream: TcpStream) -> std::io::Result<()> {
        let body = self.read(&stream)?;
        let mut requests = self.requests.lock().expect("no thread failed");
        let act = self.script[requests.len().min(self.script.len() - 1)];
        requests.push(serde_json::from_slice(&body).expect("a request is JSON"));
        drop(requests);
        let (status, body) = match act {
            Act::Say(words) => {
                let reply = json!({"choices": [{"message": {"content": words}}]});
                (200, reply.to_string())
            }
            Act::Raw(body) => (200, body.to_owned()),
            Act::Status(status, body) => (status, body.to_owned()),
            Act::Close => return Ok(()),
            Act::Silence => {
                self.silent.lock().expect("no thread failed").push(stream);
                return Ok(());
            }
        };
        let length = body.len();
        write!(
            stream,
            "HTTP/1.1 {status} X\r\ncontent-length: {length}\r\n"
        )?;
        write!(stream, "connection: close\r\n\r\n{body}")
    }

    fn read(&self, stream: &TcpStream) -> std::io::Result<Vec<u8>> {
        let mut reader = BufReader::new(stream);
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
                    let mut seen = self.authorizations.lock().expect("no thread failed");
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
