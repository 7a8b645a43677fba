//! What is too much, too slow or no request at all.

use crate::support::{Served, agent, answer, folder};
use serde_json::json;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::{Duration, Instant};

/// The reply to bytes that are sent as they are; empty if the server ends the connection.
fn raw(served: &Served, sent: &[u8]) -> String {
    let mut stream = TcpStream::connect(served.address).expect("it listens");
    stream
        .set_read_timeout(Some(Duration::from_secs(20)))
        .expect("it can be set");
    let _ = stream.write_all(sent);
    let mut reply = Vec::new();
    let _ = stream.read_to_end(&mut reply);
    String::from_utf8_lossy(&reply).into_owned()
}

fn posted(body: &[u8], headers: &str) -> Vec<u8> {
    let head = format!(
        "POST /v1/sessions/s/utterances HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\
         content-type: application/json\r\n{headers}\r\n"
    );
    [head.as_bytes(), body].concat()
}

#[test]
fn what_is_no_request_gets_a_problem_and_changes_nothing() {
    let data = folder();
    let served = Served::of(data.path());
    served.hear("s", "Ana", "I sold the boat.");
    let sized = |body: &[u8]| posted(body, &format!("content-length: {}\r\n", body.len()));
    for (body, status) in [
        (&b"{\"utterances\": ["[..], "400"),
        (b"\xff\xfe{}", "400"),
        (b"{\"utterances\": [{\"text\": \"\xff\"}]}", "400"),
        (b"{\"utterances\": 7}", "422"),
        (b"{\"utterances\": [], \"urgent\": true}", "422"),
        (b"{\"utterances\": [{\"text\": \" \"}]}", "400"),
        (b"", "400"),
    ] {
        let reply = raw(&served, &sized(body));
        assert!(
            reply.starts_with(&format!("HTTP/1.1 {status}")),
            "{body:?}: {reply}"
        );
        assert!(reply.contains("application/problem+json"), "{reply}");
    }
    let not_json = raw(
        &served,
        b"POST /v1/sessions/s/ask HTTP/1.1\r\nhost: localhost\r\n\
        connection: close\r\ncontent-length: 2\r\n\r\n{}",
    );
    assert!(not_json.starts_with("HTTP/1.1 415"), "{not_json}");
    let twice = raw(
        &served,
        b"GET /health HTTP/1.1\r\nhost: localhost\r\nhost: other\r\n\
        connection: close\r\n\r\n",
    );
    assert!(twice.starts_with("HTTP/1.1 400"), "{twice}");
    // a request inside another's body, by headers that contradict each other
    let smuggled = raw(
        &served,
        &posted(
            b"0\r\n\r\nDELETE /v1/sessions/s HTTP/1.1\r\nhost: localhost\r\n\r\n",
            "content-length: 4\r\ntransfer-encoding: chunked\r\n",
        ),
    );
    assert!(!smuggled.contains("\"files\""), "{smuggled}");
    assert_eq!(served.get("/v1/sessions/s").1["turns"], 1);
    // what is wrong makes no session
    let body = json!({"utterances": 7});
    assert_eq!(served.post("/v1/sessions/new/utterances", &body).0, 422);
    assert_eq!(served.get("/v1/sessions/new").0, 404);
    assert_eq!(served.get("/no/such/thing").0, 404);
    assert_eq!(served.delete("/v1/sessions/s/ask").0, 405);
}

#[test]
fn a_body_over_its_bound_is_not_read() {
    let data = folder();
    let served = Served::with(data.path(), |config| config.limits.body_bytes = 10_000);
    let long = json!({"utterances": [{"text": "word ".repeat(4_000)}]});
    assert_eq!(served.post("/v1/sessions/s/utterances", &long).0, 413);
    let claimed = raw(&served, &posted(b"{", "content-length: 1000000000\r\n"));
    assert!(claimed.starts_with("HTTP/1.1 413"), "{claimed}");
    assert_eq!(served.get("/health").0, 200);
}

#[test]
fn a_client_that_sends_slowly_is_cut_off() {
    let data = folder();
    let served = Served::with(data.path(), |config| {
        config.limits.read = Duration::from_millis(300);
    });
    let began = Instant::now();
    let half_a_head = raw(&served, b"GET /health HTTP/1.1\r\nhost: loc");
    assert!(
        half_a_head.is_empty() || half_a_head.starts_with("HTTP/1.1 408"),
        "{half_a_head}"
    );
    let nothing = raw(&served, b"");
    assert!(
        nothing.is_empty() || nothing.starts_with("HTTP/1.1 408"),
        "{nothing}"
    );
    let half_a_body = raw(&served, &posted(b"{\"utter", "content-length: 100\r\n"));
    assert!(
        half_a_body.is_empty() || half_a_body.contains("problem"),
        "{half_a_body}"
    );
    assert!(began.elapsed() < Duration::from_secs(10));
    assert_eq!(served.get("/health").0, 200);
}

#[test]
fn idle_connections_do_not_keep_others_out() {
    let data = folder();
    let served = Served::with(data.path(), |config| {
        config.limits.connections = 64;
        config.limits.read = Duration::from_secs(600);
    });
    let idle: Vec<TcpStream> = (0..200)
        .map(|_| TcpStream::connect(served.address).expect("the system queues it"))
        .collect();
    // who takes one of the last places has a second, so that this one's turn comes
    assert_eq!(served.get("/health").0, 200);
    drop(idle);
}

#[test]
fn requests_over_the_pace_are_told_to_wait() {
    let data = folder();
    let served = Served::with(data.path(), |config| config.limits.requests_per_second = 1);
    let statuses: Vec<u16> = (0..15).map(|_| served.get("/health").0).collect();
    assert_eq!(statuses[..10], [200; 10]);
    assert!(statuses[10..].contains(&429), "{statuses:?}");
    let reply = agent()
        .get(served.url("/health"))
        .call()
        .expect("it replies");
    assert_eq!(
        reply.headers().get("retry-after").map(|it| it.as_bytes()),
        Some(&b"1"[..])
    );
}

#[test]
fn the_session_not_used_for_longest_is_closed_for_another() {
    let data = folder();
    let served = Served::with(data.path(), |config| config.limits.open_sessions = 2);
    for name in ["a", "b", "c"] {
        served.hear(name, "Ana", &format!("This is the session {name}."));
    }
    let (_, listed) = served.get("/v1/sessions");
    let open = |at: usize| listed[at]["open"].as_bool();
    assert_eq!(
        (open(0), open(1), open(2)),
        (Some(false), Some(true), Some(true)),
        "{listed}"
    );
    assert_eq!(served.get("/v1/sessions/a").1["turns"], 1);
    served.end();
}

#[test]
fn no_more_sessions_are_made_than_may_be() {
    let data = folder();
    let served = Served::with(data.path(), |config| config.limits.sessions = 1);
    served.hear("a", "Ana", "This is the first session.");
    let body = json!({"utterances": [{"text": "This is the second."}]});
    let (status, refused) = served.post("/v1/sessions/b/utterances", &body);
    assert_eq!(
        (status, &refused["class"]),
        (507, &json!("conflict")),
        "{refused}"
    );
    let request = agent().get(served.url("/v1/sessions"));
    assert_eq!(answer(request.call()).1.as_array().map(Vec::len), Some(1));
}
