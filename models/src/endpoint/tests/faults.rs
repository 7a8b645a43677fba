//! Refusals with the messages of real servers, and replies with faults.

use super::*;

const fn too_long(found: usize, limit: usize) -> Kind {
    Kind::ContextTooLong {
        found: Some(found),
        limit: Some(limit),
    }
}

const LLAMA_LONG: &str = concat!(
    r#"{"error":{"code":400,"message":"the request exceeds the available context size, "#,
    r#"try increasing it","type":"exceed_context_size_error","n_prompt_tokens":437,"#,
    r#""n_ctx":256}}"#
);
const OPENAI_LONG: &str = concat!(
    r#"{"error":{"message":"This model's maximum context length is 256 tokens. However, your "#,
    r#"messages resulted in 437 tokens.","code":"context_length_exceeded"}}"#
);
const VLLM_LONG: &str = concat!(
    r#"{"object":"error","message":"This model's maximum context length is 256 tokens. "#,
    r#"However, you requested 437 tokens (431 in the messages).","code":400}"#
);
const PYTHON_LONG: &str =
    r#"{"error":{"message":"Requested tokens (437) exceed context window of 256"}}"#;
const OLLAMA: &str =
    r#"{"error":{"message":"model \"tiny\" not found, try pulling it first","code":null}}"#;
const VLLM: &str = r#"{"object":"error","message":"The model `tiny` does not exist.","code":404}"#;
const UNKNOWN: Kind = Kind::ContextTooLong {
    found: None,
    limit: None,
};
const WINDOW: &str =
    r#"{"error":{"code":400,"message":"context size","n_ctx":9,"n_prompt_tokens":12}}"#;
const BARE: &str = r#"{"object":"error","message":"context size","code":400}"#;
const TOOL: &str = r#"{"choices":[{"message":{"content":null,"tool_calls":[{"id":"1"}]}}]}"#;
const OLD_LLAMA: &[u8] = b"error: {\"code\":400,\"message\":\"context size\"}\n\n";
const TOOL_PIECE: &str = r#"{"choices":[{"delta":{"tool_calls":[{"index":0}]}}]}"#;

#[test]
fn a_request_that_is_too_long_is_told_in_tokens() {
    told(
        too_long(437, 256),
        &[
            (
                Act::Status(400, LLAMA_LONG),
                "smaller context|`tiny`|increasing",
            ),
            (Act::Status(400, OPENAI_LONG), "437 tokens"),
            (Act::Status(400, VLLM_LONG), "437 tokens"),
            (Act::Status(500, PYTHON_LONG), "437"),
        ],
    );
    // an error in the place of a reply, whole or streamed
    let streamed = Act::Stream(&[Step::Data(WINDOW)]);
    told(too_long(12, 9), &[(Act::Raw(WINDOW), ""), (streamed, "")]);
    told(
        UNKNOWN,
        &[
            (Act::Status(413, "payload"), "413"),
            (Act::Status(400, "prompt is too long"), ""),
            (Act::Stream(&[Step::Data(BARE)]), ""),
            (Act::Stream(&[Step::Bytes(OLD_LLAMA)]), "status 400"),
        ],
    );
}

#[test]
fn a_refusal_is_told_in_the_servers_words() {
    let page = "<html><Title>404 Not\nFound</title></html>";
    let no_key = "WEIR_TEST_NO_SUCH_KEY|401|without a key|Invalid key";
    told(
        Kind::Key,
        &[
            (Act::Status(401, r#"{"error":"Invalid key"}"#), no_key),
            (Act::Status(403, ""), "WEIR_TEST_NO_SUCH_KEY|403"),
        ],
    );
    told(
        Kind::ModelMissing,
        &[
            (Act::Status(404, OLLAMA), "`tiny`|try pulling it first"),
            (Act::Status(404, VLLM), "`tiny`|does not exist"),
            (Act::Status(400, "unknown model tiny"), ""),
        ],
    );
    let no_page = Act::Status(404, r#"{"detail":"Not Found"}"#);
    told(
        Kind::NotFound,
        &[
            (Act::Status(404, page), "a web page, \"404 Not Found\"|/v1"),
            (no_page, "(Not Found)"),
        ],
    );
    // of the third the rest of the announced body never comes
    let cut_off = Act::With(400, "content-length: 1000\r\n", "bad grammar");
    told(
        Kind::Rejected,
        &[
            (Act::Status(501, "no such thing"), "no such thing"),
            (Act::Status(400, "not \u{1b}[1m low"), "not [1m low"),
            (cut_off, "bad grammar"),
            (Act::Status(400, "schema not found by the model"), "400"),
        ],
    );
}

#[test]
fn what_is_no_reply_is_told() {
    let called = [
        Step::Data(TOOL_PIECE),
        Step::Finish("tool_calls"),
        Step::Done,
    ];
    told(
        Kind::Malformed,
        &[
            (Act::Raw("<html><title>Log in</title>"), "\"Log in\""),
            (Act::Raw("garbage \u{1b}[31m"), "garbage [31m"),
            (Act::Bytes(b"\x00\x01 not HTTP at all\r\n\r\n"), "not HTTP"),
            (Act::Stream(&[Step::Data("garbage {")]), "garbage {"),
            (Act::Stream(&[Step::Bytes(b"data: \xff\xfe\n\n")]), "UTF-8"),
            (Act::Raw(r#"{"choices":[]}"#), "choices[0]"),
            (Act::Raw(TOOL), "called a tool"),
            (Act::Stream(called.to_vec().leak()), "called a tool"),
        ],
    );
    let huge = Act::With(200, "content-length: 1000000000\r\n", "{");
    told(Kind::TooLarge, &[(huge, "more than 4194304 bytes")]);
}

/// Each response gives an error of this kind, with these words, and is asked for once.
#[track_caller]
fn told(kind: Kind, cases: &[(Act, &str)]) {
    for (act, words) in cases {
        let heard = asked_with(&[*act], &request(), |options| options.attempts_max = 1);
        heard.assert_error(kind, words);
        let message = heard.error().to_string();
        assert!(
            !message.contains('\u{1b}') && message.len() < 600,
            "{message}"
        );
        assert_eq!(heard.pieces.len(), 0, "{message}");
        // an unnamed field may be the reason
        assert!(
            heard.requests.len() == 1 || kind == Kind::Rejected,
            "{message}"
        );
    }
}

#[test]
fn what_breaks_after_words_is_told_and_not_asked_again() {
    let filter = Act::Stream(&[Step::Words("I"), Step::Finish("content_filter"), Step::Done]);
    let drops = Act::Stream(&[Step::Words("An"), Step::Words("na")]);
    let no_end = Act::Stream(&[Step::Words("I"), Step::End]);
    for (act, kind, words) in [
        (drops, Kind::Broken, "broke off"),
        (no_end, Kind::Broken, "pieces that came: 1"),
        (filter, Kind::Filtered, "content filter"),
    ] {
        let heard = asked(&[act, FINE]);
        heard.assert_error(kind, words);
        assert_eq!(heard.requests.len(), 1, "{act:?}");
        assert_ne!(heard.pieces.len(), 0, "{act:?}");
    }
}

#[test]
fn a_server_that_is_not_there_is_named() {
    use std::io::{Read, Write};
    let server = Server::start(&[Act::Close]);
    let gone = options(&server);
    drop(server);
    // a server without TLS: it answers what it cannot read, and waits for the client to leave
    let plain = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let secure = format!("https://{}", plain.local_addr().expect("bound"));
    let thread = std::thread::spawn(move || {
        let (mut stream, _) = plain.accept().expect("a client");
        stream
            .write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n")
            .expect("sent");
        let _ = stream.read_to_end(&mut Vec::new());
    });
    let nowhere = "http://no-such-host.invalid:1".to_owned();
    for (url, attempts_max, words) in [
        (&gone.url, 3, "is the server running?|3 attempts"),
        (&nowhere, 1, "cannot be reached|the network"),
        (&secure, 1, "no secure connection|SSL_CERT_FILE"),
    ] {
        let options = EndpointOptions {
            url: url.clone(),
            attempts_max,
            ..gone.clone()
        };
        let error = endpoint(options).ask(&request(), &mut |_| Flow::On);
        let error = error.expect_err("not there");
        assert_told(&error, Kind::Unreachable, &format!("{url}|{words}"));
    }
    thread.join().expect("it answered");
}

#[test]
fn what_passes_is_asked_again_and_what_does_not_gives_up() {
    for passing in [
        Act::Status(500, "oops"),
        Act::Status(503, "Loading model"),
        Act::Status(502, "<html>"),
        Act::Close,
    ] {
        let heard = asked(&[passing, FINE]);
        assert_eq!(
            (heard.text(), heard.requests.len()),
            ("yes", 2),
            "{passing:?}"
        );
    }
    let heard = asked(&[Act::Status(503, "Loading model")]);
    heard.assert_error(Kind::Busy, "503|Loading model|3 attempts");
    assert_eq!(heard.requests.len(), 3);
    let busy = Act::With(429, "retry-after: 1\r\n", "slow down");
    let (heard, took) = timed(|| asked(&[busy, FINE]));
    assert_eq!((heard.text(), heard.requests.len()), ("yes", 2));
    assert!(took >= Duration::from_secs(1), "{took:?}");
}

#[test]
fn a_redirect_is_told_and_the_key_does_not_follow() {
    let elsewhere = Server::start(&[Act::Say("stolen")]);
    let server = Server::start(&[Act::Redirect]);
    server.set_elsewhere(&elsewhere.url);
    let endpoint = endpoint(options(&server)).with_key("s3cret-5309");
    let error = endpoint
        .ask(&request(), &mut |_| Flow::On)
        .expect_err("sent on");
    assert_eq!(error.kind(), Kind::Redirect);
    assert!(error.to_string().contains(&elsewhere.url), "{error}");
    assert_eq!(server.authorizations(), ["Bearer s3cret-5309"]);
    assert_eq!(
        (elsewhere.requests().len(), server.requests().len()),
        (0, 1)
    );
}

#[test]
fn the_key_is_sent_and_never_shown() {
    const BAD: &str = r#"{"error":"bad key s3cret-5309"}"#;
    let cut = format!("{}s3cret-5309", "x".repeat(295));
    for act in [
        Act::Status(400, BAD),
        Act::Status(401, BAD),
        // spelled otherwise, and where the message is cut
        Act::Status(400, r#"{"error": "bad key s3cr\u0065t-5309"}"#),
        Act::Status(400, cut.leak()),
        Act::Raw("s3cret-5309 is no JSON"),
        Act::Raw(r#"{"choices":["s3cret-5309"]}"#),
        Act::With(302, "location: http://h/?s3cret-5309\r\n", ""),
        Act::Stream(&[Step::Data("s3cret-5309 {")]),
        Act::Stream(&[Step::Data(r#"{"error":"s3cret-5309"}"#)]),
    ] {
        let server = Server::start(&[act]);
        let options = EndpointOptions {
            attempts_max: 1,
            ..options(&server)
        };
        let endpoint = endpoint(options).with_key("s3cret-5309");
        let error = endpoint
            .ask(&request(), &mut |_| Flow::On)
            .expect_err("refused");
        let told = format!("{error} {error:?} {endpoint:?}");
        assert!(told.contains("[key]") && !told.contains("s3c"), "{told}");
        assert_eq!(server.authorizations()[0], "Bearer s3cret-5309");
    }
}

#[test]
fn a_field_that_is_refused_is_left_out_from_then_on() {
    let server = Server::start(&[Act::Status(422, "extra fields not permitted"), FINE]);
    let endpoint = endpoint(options(&server));
    for _ in 0..2 {
        let reply = endpoint.ask(&request(), &mut |_| Flow::On);
        assert_eq!(reply.expect("a reply").text, "yes");
    }
    let requests = server.requests().into_iter();
    let has: Vec<bool> = requests
        .map(|sent| sent.get("stream_options").is_some())
        .collect();
    assert_eq!(has, [true, false, false]);
}

#[test]
fn a_refusal_of_something_else_leaves_nothing_out() {
    let bad = Act::Status(400, r#"{"message":"bad temperature"}"#);
    let server = Server::start(&[bad, bad, FINE]);
    let endpoint = endpoint(options(&server));
    let error = endpoint
        .ask(&request(), &mut |_| Flow::On)
        .expect_err("refused");
    assert!(error.to_string().contains("bad temperature"), "{error}");
    endpoint
        .ask(&request(), &mut |_| Flow::On)
        .expect("a reply");
    assert!(server.requests()[2].get("stream_options").is_some());
}
