//! The client against a server that misbehaves.

use super::server::{Act, Server};
use super::*;

fn options(server: &Server) -> EndpointOptions {
    EndpointOptions {
        key_variable: "WEIR_TEST_NO_SUCH_KEY".to_owned(),
        timeout: Duration::from_secs(5),
        attempts_max: 3,
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

fn refusal(script: &[Act]) -> (String, usize) {
    let (reply, requests) = asked(script);
    (reply.expect_err("refused").to_string(), requests.len())
}

#[test]
fn a_reply_is_what_the_first_choice_says() {
    let (reply, requests) = asked(&[Act::Say(" Anna.\n")]);
    assert_eq!(reply.expect("a reply"), "Anna.");
    assert_eq!(requests[0]["model"], "tiny");
    assert_eq!(requests[0]["temperature"], 0);
    assert_eq!(requests[0]["max_tokens"], 7);
    assert_eq!(requests[0]["messages"][0]["content"], "Be brief.");
    assert_eq!(requests[0]["messages"][1]["content"], "Who?");
    let (reply, _) = asked(&[Act::Say("<think>Anna or Bob?</think>\nBob.")]);
    assert_eq!(reply.expect("a reply"), "Bob.");
}

#[test]
fn what_passes_is_asked_again() {
    let busy = Act::Status(429, "slow down");
    let (reply, requests) = asked(&[busy, Act::Status(503, "loading"), Act::Say("yes")]);
    assert_eq!(reply.expect("a reply"), "yes");
    assert_eq!(requests.len(), 3);
    let (reply, requests) = asked(&[Act::Close, Act::Say("yes")]);
    assert_eq!(reply.expect("a reply"), "yes");
    assert_eq!(requests.len(), 2);
    let (message, times) = refusal(&[Act::Status(503, "loading")]);
    assert!(
        message.contains("503") && message.contains("3 attempts"),
        "{message}"
    );
    assert_eq!(times, 3);
}

#[test]
fn what_does_not_pass_is_asked_once_and_named() {
    for (act, named) in [
        (Act::Status(401, "no"), "WEIR_TEST_NO_SUCH_KEY"),
        (Act::Status(404, "unknown"), "`tiny`"),
        (
            Act::Status(400, "maximum context length is 8"),
            "smaller context",
        ),
        (Act::Status(413, ""), "smaller context"),
        (Act::Status(400, "bad temperature"), "bad temperature"),
        (Act::Status(302, "elsewhere"), "302"),
        (Act::Raw("{\"choices\": []}"), "choices[0]"),
        (Act::Raw("<html>"), "not JSON"),
    ] {
        let (message, times) = refusal(&[act]);
        assert!(message.contains(named), "{message}");
        assert_eq!(times, 1, "{message}");
    }
}

#[test]
fn a_server_that_is_not_there_is_named() {
    let server = Server::start(&[Act::Say("")]);
    let options = options(&server);
    drop(server);
    let url = options.url.clone();
    let endpoint = Endpoint::new(options).expect("an address");
    let message = endpoint
        .chat(None, "Who?", 7)
        .expect_err("gone")
        .to_string();
    assert!(
        message.contains(&url) && message.contains("is the server running"),
        "{message}"
    );
}

#[test]
fn the_key_is_sent_and_never_shown() {
    let server = Server::start(&[Act::Status(400, "bad key secret-5309")]);
    let mut endpoint = Endpoint::new(options(&server)).expect("an address");
    endpoint.key = Some("secret-5309".to_owned());
    let message = endpoint
        .chat(None, "Who?", 7)
        .expect_err("refused")
        .to_string();
    assert!(
        message.contains("[key]") && !message.contains("secret"),
        "{message}"
    );
    assert_eq!(server.authorizations(), ["Bearer secret-5309"]);
}

#[test]
fn silence_ends() {
    let server = Server::start(&[Act::Silence]);
    let endpoint = Endpoint::new(EndpointOptions {
        timeout: Duration::from_millis(200),
        attempts_max: 1,
        ..options(&server)
    });
    let reply = endpoint.expect("an address").chat(None, "Who?", 7);
    let message = reply.expect_err("nothing came").to_string();
    assert!(message.contains("in time"), "{message}");
}

#[test]
fn a_reply_is_asked_for_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = Server::start(&[Act::Say("first"), Act::Say("second")]);
    let options = EndpointOptions {
        remember: Some(folder.path().to_owned()),
        ..options(&server)
    };
    for _ in 0..2 {
        let endpoint = Endpoint::new(options.clone()).expect("an address");
        assert_eq!(endpoint.chat(None, "Who?", 7).expect("a reply"), "first");
    }
    assert_eq!(server.requests().len(), 1);
    let endpoint = Endpoint::new(options).expect("an address");
    assert_eq!(endpoint.chat(None, "Whom?", 7).expect("a reply"), "second");
}

#[test]
fn addresses_are_completed_or_refused() {
    for given in [
        "http://h:1",
        "http://h:1/",
        "http://h:1/v1",
        "http://h:1/v1/",
    ] {
        let endpoint = Endpoint::new(EndpointOptions::new(given, "m")).expect("an address");
        assert_eq!(endpoint.url, "http://h:1/v1/chat/completions");
    }
    let refused = Endpoint::new(EndpointOptions::new("localhost:1", "m"));
    let message = refused.err().expect("no address").to_string();
    assert!(
        message.contains("localhost:1") && message.contains("http://"),
        "{message}"
    );
}
