//! Requests of any bytes, on every route: each gets a reply that is no failure of the server.

use crate::support::{Served, agent, folder};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use proptest::test_runner::TestRunner;
use serde_json::json;
use weir_server::OPENAPI;

/// Bodies that routes take, to be damaged.
fn bodies() -> Vec<Vec<u8>> {
    let all = [
        json!({"utterances": [{"speaker": "Ana", "text": "The key is under the fern."}]}),
        json!({"question": "Where is the key?", "check": true, "asked_by": "Ana"}),
        json!({"query": "key", "max_tokens": 400, "from_ms": 0, "to_ms": 10}),
        json!({"edit": {"node": "n1.0", "text": "The key is in the pot."}}),
        json!({"begin": {"name": "s", "started_at_unix_ms": 0, "zone": "Europe/Riga"}}),
        json!({"erase": {"targets": [{"node": "n1.0"}, {"belief": "b1"}]}}),
        json!({"model": "m", "messages": [{"role": "user", "content": "Where is it?"}]}),
        json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
            "params": {"name": "recall", "arguments": {"query": "key"}}}),
    ];
    all.iter().map(|it| it.to_string().into_bytes()).collect()
}

/// Damage to a body: bytes that are replaced, removed or repeated.
#[derive(Debug, Clone)]
struct Damage(Index, u8, u8);

fn damaged(mut body: Vec<u8>, damages: &[Damage]) -> Vec<u8> {
    for Damage(at, kind, byte) in damages {
        if body.is_empty() {
            break;
        }
        let at = at.index(body.len());
        match kind % 4 {
            0 => body[at] = *byte,
            1 => drop(body.remove(at)),
            2 => body.truncate(at),
            _ => body.insert(at, body[at]),
        }
    }
    body
}

fn any_body() -> impl Strategy<Value = Vec<u8>> {
    let damage = (any::<Index>(), any::<u8>(), any::<u8>());
    let damages = vec(
        damage.prop_map(|(at, kind, byte)| Damage(at, kind, byte)),
        0..4,
    );
    let near = (select(bodies()), damages).prop_map(|(body, how)| damaged(body, &how));
    prop_oneof![3 => near, 1 => vec(any::<u8>(), 0..200)]
}

/// Every route of the description, and some of the server's other interfaces.
fn routes() -> Vec<(String, String)> {
    let described: serde_json::Value = serde_json::from_str(OPENAPI).expect("it is JSON");
    let paths = described["paths"].as_object().expect("it has paths");
    let mut all: Vec<(String, String)> = Vec::new();
    for (path, methods) in paths {
        for method in methods.as_object().expect("they are named").keys() {
            all.push((method.to_uppercase(), path.clone()));
        }
    }
    for path in [
        "/s/{session}/mcp",
        "/v1/audio/transcriptions",
        "/s/{session}/v1/chat/completions",
    ] {
        all.push(("POST".to_owned(), path.to_owned()));
    }
    all
}

#[test]
fn no_request_makes_the_server_fail() {
    let data = folder();
    // all of them shall reach their routes
    let served = Served::with(data.path(), |it| it.limits.requests_per_second = 100_000);
    served.hear("s", "Ana", "The key is under the fern.");
    let name = prop_oneof![3 => Just("s".to_owned()), 1 => "[a-z0-9%.n]{1,12}"];
    let query = prop_oneof![
        2 => Just(String::new()),
        1 => "(name|from_ms|to_ms|limit|speaker|rate)=[a-z0-9%+-]{0,8}",
    ];
    let kind = select(vec![
        "application/json",
        "multipart/form-data; boundary=x",
        "text/plain",
    ]);
    let request = (select(routes()), name, query, kind, any_body());
    let mut runner = TestRunner::new(ProptestConfig::with_cases(1_000));
    let run = runner.run(&request, |((method, path), name, query, kind, body)| {
        // events have no end
        prop_assume!(!path.ends_with("/events"));
        let path = path.replace("{session}", &name).replace("{node}", &name);
        let path = path.replace("{stream}", "a").replace("{utterance}", "1");
        let request = ureq::http::Request::builder()
            .method(method.as_str())
            .uri(served.url(&format!("{path}?{query}")))
            .header("content-type", kind)
            .header("accept", "application/json, text/event-stream");
        let Ok(request) = request.body(body) else {
            return Ok(());
        };
        let status = agent().run(request).expect("it replies").status().as_u16();
        prop_assert!(status != 500, "{method} {path}: {status}");
        Ok(())
    });
    run.expect("no request fails");
    assert_eq!(served.get("/health").0, 200);
    served.end();
}
