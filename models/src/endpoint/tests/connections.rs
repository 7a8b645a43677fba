//! Connections: one serves many requests, and ending one does not end others.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;

const REPLY: &str = r#"{"choices":[{"message":{"content":"Bob."},"finish_reason":"stop"}]}"#;

/// A server that keeps its connections open and counts them; its thread ends with the tests.
struct Patient {
    url: String,
    connections: Arc<AtomicUsize>,
}

impl Patient {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let url = format!("http://{}", listener.local_addr().expect("bound"));
        let connections = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&connections);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                counted.fetch_add(1, Ordering::SeqCst);
                std::thread::spawn(move || while answer(&stream).is_ok() {});
            }
        });
        Self { url, connections }
    }

    fn endpoint(&self) -> Endpoint {
        endpoint(EndpointOptions {
            key_variable: "WEIR_TEST_NO_SUCH_KEY".to_owned(),
            pause: Duration::from_millis(1),
            ..EndpointOptions::new(&self.url, "tiny")
        })
    }

    fn connections(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }
}

/// Answers one request; streams if the request asks for it.
fn answer(mut stream: &TcpStream) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream);
    let (mut length, mut line) = (0, String::new());
    while line != "\r\n" {
        line.clear();
        if reader.read_line(&mut line)? == 0 {
            return Err(std::io::ErrorKind::UnexpectedEof.into());
        }
        if let Some(count) = line.to_lowercase().strip_prefix("content-length:") {
            length = count.trim().parse().expect("a number");
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    let sent: Value = serde_json::from_slice(&body).unwrap_or_default();
    if sent["stream"] != true {
        let length = REPLY.len();
        return write!(
            stream,
            "HTTP/1.1 200 OK\r\ncontent-length: {length}\r\n\r\n{REPLY}"
        );
    }
    stream.write_all(
        b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n",
    )?;
    let piece = r#"{"choices":[{"delta":{"content":"Bob."}}]}"#;
    for data in [piece, "[DONE]"] {
        let event = format!("data: {data}\n\n");
        write!(stream, "{:x}\r\n{event}\r\n", event.len())?;
        stream.flush()?;
    }
    // a little late, as behind a proxy
    std::thread::sleep(Duration::from_millis(5));
    stream.write_all(b"0\r\n\r\n")
}

#[test]
fn one_connection_serves_reply_after_reply() {
    let server = Patient::start();
    let mut endpoint = server.endpoint();
    for streams in [true, false, true] {
        endpoint = Endpoint::new(EndpointOptions {
            streams,
            ..endpoint.options().clone()
        })
        .expect("an address");
        let before = server.connections();
        for _ in 0..3 {
            let reply = endpoint.ask(&request(), &mut |_| Flow::On);
            assert_eq!(reply.expect("a reply").text, "Bob.");
        }
        assert_eq!(server.connections() - before, 1, "streams: {streams}");
    }
}

#[test]
fn a_reply_that_is_ended_takes_its_own_connection_alone() {
    let server = Patient::start();
    let endpoint = server.endpoint();
    let ask = |flow: Flow| endpoint.ask(&request(), &mut |_| flow).expect("a reply");
    assert_eq!(ask(Flow::On).ended, Ended::Done);
    assert_eq!(ask(Flow::Stop).ended, Ended::Stopped);
    assert_eq!(server.connections(), 1);
    assert_eq!(ask(Flow::On).text, "Bob.");
    assert_eq!(ask(Flow::On).text, "Bob.");
    assert_eq!(server.connections(), 2);
    // two requests at once use separate connections
    std::thread::scope(|scope| {
        let both = [scope.spawn(|| ask(Flow::On)), scope.spawn(|| ask(Flow::On))];
        for one in both {
            assert_eq!(one.join().expect("no panic").text, "Bob.");
        }
    });
    assert!(server.connections() <= 3);
}
