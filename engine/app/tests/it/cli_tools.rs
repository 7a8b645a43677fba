//! Several clients of the Model Context Protocol and a server share one session.

use crate::cli_support::Place;
use crate::serving::{Serving, json_at};
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

/// A client with a `weir mcp` of its own.
struct Client {
    process: Child,
    input: Option<ChildStdin>,
    replies: BufReader<ChildStdout>,
    asked: u64,
}

impl Client {
    fn of(place: &Place) -> Self {
        let args = [
            "mcp", "--session", "home", "--data", "served", "--encoder", "words",
        ];
        let mut process = place.piped(&args, Stdio::piped());
        let mut client = Self {
            input: process.stdin.take(),
            replies: BufReader::new(process.stdout.take().expect("a pipe")),
            process,
            asked: 0,
        };
        let params = json!({"protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"}});
        client.ask("initialize", &params);
        client.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        client
    }

    fn send(&mut self, message: &Value) {
        let input = self.input.as_mut().expect("it is open");
        writeln!(input, "{message}").expect("it reads");
    }

    fn reply(&mut self) -> Value {
        let mut line = String::new();
        self.replies.read_line(&mut line).expect("it is text");
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"))
    }

    fn ask(&mut self, method: &str, params: &Value) -> Value {
        self.asked += 1;
        let request = json!({"jsonrpc": "2.0", "id": self.asked, "method": method,
            "params": params});
        self.send(&request);
        let reply = self.reply();
        assert_eq!(reply["id"], self.asked, "{reply}");
        reply
    }

    /// Calls a tool; returns its text.
    fn call(&mut self, tool: &str, arguments: &Value) -> String {
        let reply = self.ask("tools/call", &json!({"name": tool, "arguments": arguments}));
        let result = &reply["result"];
        assert_ne!(result["isError"], true, "{reply}");
        let text = result["content"][0]["text"].as_str();
        text.unwrap_or_else(|| panic!("{reply}")).to_owned()
    }

    fn recalls(&mut self, word: &str) {
        let recalled = self.call("recall", &json!({"query": format!("the {word}")}));
        assert!(recalled.contains(word), "{recalled}");
    }

    fn leave(mut self) {
        drop(self.input.take());
        let status = self.process.wait().expect("it ends");
        assert!(status.success(), "{status}");
    }
}

#[test]
fn one_session_serves_two_clients_and_a_server_whoever_comes_and_goes() {
    let place = Place::new();
    let mut first = Client::of(&place);
    first.call(
        "remember",
        &json!({"text": "The boat is green.", "speaker": "Ana"}),
    );
    let mut second = Client::of(&place);
    second.recalls("boat");
    second.call(
        "remember",
        &json!({"text": "The ladder is in the cellar.", "speaker": "Bob"}),
    );
    first.recalls("ladder");
    // who served both leaves
    first.leave();
    second.recalls("boat");
    // a server takes the place, and uses the session itself
    let serving = Serving::of(&place, &[]);
    second.recalls("ladder");
    let lines = json_at(&format!("{}/v1/sessions/home/transcript", serving.address));
    assert!(lines.to_string().contains("cellar"), "{lines}");
    let mut third = Client::of(&place);
    third.recalls("boat");
    // and when it has gone, one of them serves the other
    drop(serving);
    third.call(
        "remember",
        &json!({"text": "The bell is broken.", "speaker": "Cy"}),
    );
    second.recalls("bell");
    second.leave();
    third.recalls("bell");
    third.leave();
}

#[test]
fn requests_are_carried_out_and_replied_to_in_their_order() {
    let place = Place::new();
    let mut client = Client::of(&place);
    let texts: Vec<String> = (0..8)
        .map(|at| format!("Box {at} is on shelf {at}."))
        .collect();
    for (at, text) in texts.iter().enumerate() {
        let arguments = json!({"text": text, "speaker": "Ana"});
        let params = json!({"name": "remember", "arguments": arguments});
        let request = json!({"jsonrpc": "2.0", "id": 100 + at, "method": "tools/call",
            "params": params});
        client.send(&request);
    }
    for at in 0..texts.len() {
        assert_eq!(client.reply()["id"], 100 + at);
    }
    let recent = client.call("recent", &json!({"minutes": 5}));
    let said: Vec<&str> = recent
        .lines()
        .filter_map(|it| it.split_once("Ana: "))
        .map(|it| it.1)
        .collect();
    assert_eq!(said, texts);
    // what is sent before the end of the input is still carried out
    let last = json!({"jsonrpc": "2.0", "id": 200, "method": "tools/call",
        "params": {"name": "recent", "arguments": {"minutes": 5}}});
    client.send(&last);
    drop(client.input.take());
    assert_eq!(client.reply()["id"], 200);
    client.leave();
}
