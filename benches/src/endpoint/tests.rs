//! Requests and cache of measurements; the client itself is tested in its crate.

use super::server::{Act, Server};
use super::*;
use serde_json::Value;
use std::time::Duration;

fn options(server: &Server) -> EndpointOptions {
    EndpointOptions {
        key_variable: "WEIR_TEST_NO_SUCH_KEY".to_owned(),
        total_timeout: Duration::from_secs(20),
        pause: Duration::from_millis(1),
        ..EndpointOptions::new(&server.url, "tiny")
    }
}

fn asked(script: &[Act]) -> (Result<String>, Vec<Value>) {
    let server = Server::start(script);
    let endpoint = Endpoint::new(options(&server)).expect("an address");
    let reply = endpoint.chat(Some("Be brief."), "Who?", 7);
    (reply, server.requests())
}

#[test]
fn a_reply_is_what_the_first_choice_says() {
    let (reply, requests) = asked(&[Act::Say(" Anna.\n")]);
    assert_eq!(reply.expect("a reply"), "Anna.");
    let expected = json!({"model": "tiny", "temperature": 0, "max_tokens": 7, "messages": [
        {"role": "system", "content": "Be brief."}, {"role": "user", "content": "Who?"}]});
    assert_eq!(requests, [expected]);
    let (reply, _) = asked(&[Act::Say("<think>Anna or Bob?</think>\nBob.")]);
    assert_eq!(reply.expect("a reply"), "Bob.");
}

#[test]
fn what_passes_is_asked_again_and_what_does_not_is_told() {
    let (reply, requests) = asked(&[Act::Status(503, "loading"), Act::Say("yes")]);
    assert_eq!(
        (reply.expect("a reply").as_str(), requests.len()),
        ("yes", 2)
    );
    let (reply, requests) = asked(&[Act::Status(401, "no")]);
    let message = reply.expect_err("refused").to_string();
    assert!(message.contains("WEIR_TEST_NO_SUCH_KEY"), "{message}");
    assert_eq!(requests.len(), 1);
}

#[test]
fn a_reply_is_asked_for_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = Server::start(&[Act::Say("first"), Act::Say("second")]);
    let open = || {
        let endpoint = Endpoint::new(options(&server)).expect("an address");
        endpoint.remembering(folder.path()).expect("a folder")
    };
    for _ in 0..2 {
        assert_eq!(open().chat(None, "Who?", 7).expect("a reply"), "first");
    }
    assert_eq!(server.requests().len(), 1);
    assert_eq!(open().chat(None, "Whom?", 7).expect("a reply"), "second");
}

#[test]
fn replies_of_earlier_runs_are_still_known() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = Server::start(&[Act::Say("new")]);
    let url = format!("{}/v1/chat/completions", server.url);
    let request = json!({"model": "tiny", "max_tokens": 7, "temperature": 0,
        "messages": [{"role": "user", "content": "Who?"}]});
    let earlier = Remembered::new(folder.path()).expect("a folder");
    earlier.keep(&url, &request, "old").expect("written");
    let endpoint = Endpoint::new(options(&server)).expect("an address");
    let endpoint = endpoint.remembering(folder.path()).expect("a folder");
    assert_eq!(endpoint.chat(None, "Who?", 7).expect("a reply"), "old");
    assert_eq!(server.requests().len(), 0);
}
