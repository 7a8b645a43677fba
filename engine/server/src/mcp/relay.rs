//! Passes the messages of one client on to whoever serves its session, one request at a time, so
//! that they are carried out and replied to in their order. Pings and notifications overtake.
//!
//! It outlives the hub: to the next one it says again how the client introduced itself. Requests
//! that were not replied to are refused then, since nobody knows whether they were carried out.

use serde_json::{Value, json};
use std::collections::VecDeque;
use std::io;
use std::pin::pin;
use tokio::io::{
    AsyncBufRead, AsyncBufReadExt as _, AsyncRead, AsyncReadExt as _, AsyncWrite,
    AsyncWriteExt as _, BufReader,
};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

/// Longest message in bytes.
const MESSAGE_BYTES_MAX: u64 = 16 << 20;
/// Messages of the client that wait; it waits then too.
const WAITING_MAX: usize = 16;

/// How the messages of a client stand.
pub(super) struct Relay {
    /// The client's messages; the channel ends with its input.
    heard: Lines,
    /// Requests that wait for the one before them.
    waiting: VecDeque<String>,
    /// Ids of the requests that were passed on and not replied to, oldest first.
    open: Vec<Value>,
    /// How the client introduced itself, and that it did.
    introduction: Vec<String>,
}

/// Why passing on ended.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Ended {
    /// The client left.
    Client,
    /// Who served it did.
    Server,
}

impl Relay {
    /// Reads the messages of a client.
    pub(super) fn of(input: impl AsyncRead + Unpin + Send + 'static) -> Self {
        Self {
            heard: Lines::of(input),
            waiting: VecDeque::new(),
            open: Vec::new(),
            introduction: Vec::new(),
        }
    }

    /// Passes messages on until one side ends, or the server shall `leave`; it replies first to
    /// what was passed on to it.
    pub(super) async fn pass(
        &mut self,
        server: impl AsyncRead + AsyncWrite + Send + 'static,
        leave: impl Future<Output = ()>,
        output: &mut (impl AsyncWrite + Unpin),
    ) -> io::Result<Ended> {
        let mut leave = pin!(leave);
        let (read, mut write) = tokio::io::split(server);
        let mut replies = Lines::of(read);
        if self.introduce(&mut write, &mut replies).await.is_err() {
            return Ok(Ended::Server);
        }
        loop {
            let is_free = self.open.is_empty();
            if is_free && let Some(request) = self.waiting.pop_front() {
                self.open.push(id_of(&request));
                if send(&mut write, &request).await.is_err() {
                    return Ok(Ended::Server);
                }
            }
            tokio::select! {
                () = &mut leave, if self.open.is_empty() => return Ok(Ended::Server),
                reply = replies.next() => {
                    let Some(Ok(reply)) = reply else {
                        return Ok(Ended::Server);
                    };
                    let id = id_of(&reply);
                    self.open.retain(|it| *it != id);
                    send(output, &reply).await?;
                }
                message = self.heard.next(), if self.waiting.len() < WAITING_MAX => {
                    let Some(message) = message else {
                        return self.end(&mut write, &mut replies, output).await;
                    };
                    let message = message?;
                    if self.take(&message) {
                        self.waiting.push_back(message);
                    } else if send(&mut write, &message).await.is_err() {
                        return Ok(Ended::Server);
                    }
                }
            }
        }
    }

    /// Notes a message of the client; returns whether it waits for its turn.
    fn take(&mut self, message: &str) -> bool {
        let parsed: Value = serde_json::from_str(message).unwrap_or_default();
        match parsed["method"].as_str() {
            Some("initialize") => self.introduction = vec![message.to_owned()],
            Some("notifications/initialized") => self.introduction.push(message.to_owned()),
            Some("ping") => {
                self.open.push(parsed["id"].clone());
                return false;
            }
            _ => {}
        }
        parsed.get("id").is_some() && parsed.get("method").is_some()
    }

    /// Tells a new server who the client is; what it says to that, the client knows.
    async fn introduce(
        &mut self,
        server: &mut (impl AsyncWrite + Unpin),
        replies: &mut Lines,
    ) -> io::Result<()> {
        for message in &self.introduction {
            send(server, message).await?;
            if parsed_id(message).is_some() {
                replies.next().await.ok_or(io::ErrorKind::UnexpectedEof)??;
            }
        }
        Ok(())
    }

    /// The client sends no more: what it asked for is still carried out.
    async fn end(
        &mut self,
        server: &mut (impl AsyncWrite + Unpin),
        replies: &mut Lines,
        output: &mut (impl AsyncWrite + Unpin),
    ) -> io::Result<Ended> {
        loop {
            if self.open.is_empty() {
                let Some(request) = self.waiting.pop_front() else {
                    return Ok(Ended::Client);
                };
                self.open.push(id_of(&request));
                send(server, &request).await?;
            }
            let Some(Ok(reply)) = replies.next().await else {
                return Ok(Ended::Client);
            };
            let id = id_of(&reply);
            self.open.retain(|it| *it != id);
            send(output, &reply).await?;
        }
    }

    /// Refuses the requests that nobody will reply to.
    pub(super) async fn refuse_open(
        &mut self,
        output: &mut (impl AsyncWrite + Unpin),
    ) -> io::Result<()> {
        for id in std::mem::take(&mut self.open) {
            let why = "the process that served this session ended before it replied; look, then \
                try again";
            let refused = json!({"jsonrpc": "2.0", "id": id,
                "error": {"code": -32_603, "message": why}});
            send(output, &refused.to_string()).await?;
        }
        Ok(())
    }
}

fn parsed_id(message: &str) -> Option<Value> {
    let parsed: Value = serde_json::from_str(message).ok()?;
    parsed.get("id").cloned()
}

fn id_of(message: &str) -> Value {
    parsed_id(message).unwrap_or_default()
}

async fn send(to: &mut (impl AsyncWrite + Unpin), message: &str) -> io::Result<()> {
    to.write_all(message.as_bytes()).await?;
    to.write_all(b"\n").await?;
    to.flush().await
}

/// The lines of an input, read by a task that ends with this.
struct Lines {
    read: mpsc::Receiver<io::Result<String>>,
    task: JoinHandle<()>,
}

impl Lines {
    fn of(input: impl AsyncRead + Unpin + Send + 'static) -> Self {
        let (lines, read) = mpsc::channel(1);
        let task = tokio::spawn(async move {
            let mut input = BufReader::new(input);
            while let Some(line) = next_line(&mut input).await.transpose() {
                let ends = line.is_err();
                if lines.send(line).await.is_err() || ends {
                    return;
                }
            }
        });
        Self { read, task }
    }

    /// The next line as soon as it comes; `None` at the end.
    async fn next(&mut self) -> Option<io::Result<String>> {
        self.read.recv().await
    }
}

impl Drop for Lines {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// The next line that is not empty; `None` at the end.
async fn next_line(input: &mut (impl AsyncBufRead + Unpin)) -> io::Result<Option<String>> {
    loop {
        let mut line = String::new();
        let read = (&mut *input)
            .take(MESSAGE_BYTES_MAX)
            .read_line(&mut line)
            .await?;
        if read as u64 == MESSAGE_BYTES_MAX && !line.ends_with('\n') {
            let why = format!("a message is longer than {MESSAGE_BYTES_MAX} bytes");
            return Err(io::Error::new(io::ErrorKind::InvalidData, why));
        }
        match (read, line.trim()) {
            (0, _) => return Ok(None),
            (_, "") => {}
            (_, line) => return Ok(Some(line.to_owned())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::future::pending;
    use tokio::io::{DuplexStream, duplex};

    /// A server that replies to each request, or ends before.
    async fn replying(server: DuplexStream, replies: usize) -> Vec<String> {
        let (read, mut write) = tokio::io::split(server);
        let mut read = BufReader::new(read);
        let mut got = Vec::new();
        let mut left = replies;
        while let Ok(Some(line)) = next_line(&mut read).await {
            let id = parsed_id(&line);
            got.push(line);
            if let Some(id) = id {
                if left == 0 {
                    return got;
                }
                left -= 1;
                let reply = json!({"jsonrpc": "2.0", "id": id, "result": got.len()});
                send(&mut write, &reply.to_string())
                    .await
                    .expect("somebody reads");
            }
        }
        got
    }

    fn request(id: u32, method: &str) -> String {
        json!({"jsonrpc": "2.0", "id": id, "method": method}).to_string()
    }

    #[tokio::test]
    async fn a_client_outlives_who_serves_it() {
        let (mut client, input) = duplex(1 << 16);
        let mut relay = Relay::of(input);
        let mut output = Vec::new();
        let initialized = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        for message in [
            request(1, "initialize"),
            initialized.to_string(),
            request(2, "tools/list"),
            request(3, "tools/call"),
        ] {
            send(&mut client, &message).await.expect("it is read");
        }
        let (here, there) = duplex(1 << 16);
        let first = tokio::spawn(replying(there, 2));
        let ended = relay
            .pass(here, pending(), &mut output)
            .await
            .expect("no error");
        assert_eq!(ended, Ended::Server);
        assert_eq!(first.await.expect("no panic").len(), 4);
        relay.refuse_open(&mut output).await.expect("it is written");
        drop(client);
        let (here, there) = duplex(1 << 16);
        let second = tokio::spawn(replying(there, 9));
        let ended = relay
            .pass(here, pending(), &mut output)
            .await
            .expect("no error");
        assert_eq!(ended, Ended::Client);
        drop(relay);
        // it was told who the client is, and nothing that the first one got
        let got = second.await.expect("no panic");
        assert_eq!(got, [request(1, "initialize"), initialized.to_string()]);
        let text = String::from_utf8(output).expect("it is text");
        let replies: Vec<Value> = text
            .lines()
            .map(|it| serde_json::from_str(it).expect(it))
            .collect();
        let ids: Vec<_> = replies.iter().map(|it| it["id"].as_u64()).collect();
        assert_eq!(ids, [Some(1), Some(2), Some(3)]);
        assert!(replies[2]["error"]["message"].is_string());
    }

    #[tokio::test]
    async fn requests_are_passed_on_one_after_another_and_pings_at_once() {
        let (mut client, input) = duplex(1 << 16);
        let mut relay = Relay::of(input);
        for message in [request(1, "a"), request(2, "b"), request(3, "ping")] {
            send(&mut client, &message).await.expect("it is read");
        }
        drop(client);
        let (here, there) = duplex(1 << 16);
        let server = tokio::spawn(async move {
            let (read, mut write) = tokio::io::split(there);
            let mut read = BufReader::new(read);
            let mut ids = Vec::new();
            for (reads, replies) in [(2, &[1, 3][..]), (1, &[2])] {
                for _ in 0..reads {
                    let line = next_line(&mut read).await.expect("it reads");
                    ids.push(id_of(&line.expect("a line")));
                }
                for id in replies {
                    let reply = json!({"jsonrpc": "2.0", "id": id, "result": {}});
                    let sent = send(&mut write, &reply.to_string()).await;
                    sent.expect("it is read");
                }
            }
            ids
        });
        let mut output = Vec::new();
        let ended = relay
            .pass(here, pending(), &mut output)
            .await
            .expect("no error");
        assert_eq!(ended, Ended::Client);
        assert_eq!(
            server.await.expect("no panic"),
            [json!(1), json!(3), json!(2)]
        );
        assert_eq!(output.iter().filter(|it| **it == b'\n').count(), 3);
    }
}
