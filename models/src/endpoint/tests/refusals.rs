//! Refusals with the messages of real servers.

use super::*;

const OLLAMA: &str = concat!(
    r#"{"error":{"message":"model \"tiny\" not found, try pulling it first","#,
    r#""type":"not_found_error","param":null,"code":null}}"#
);
const VLLM: &str = concat!(
    r#"{"object":"error","message":"The model `tiny` does not exist.","#,
    r#""type":"NotFoundError","param":null,"code":404}"#
);
const LLAMA_TOO_LONG: &str = concat!(
    r#"{"error":{"code":400,"message":"the request exceeds the available context size, "#,
    r#"try increasing it","type":"exceed_context_size_error","n_prompt_tokens":437,"n_ctx":256}}"#
);
const OPENAI_TOO_LONG: &str = concat!(
    r#"{"error":{"message":"This model's maximum context length is 256 tokens. However, your "#,
    r#"messages resulted in 437 tokens. Please reduce the length of the messages.","#,
    r#""type":"invalid_request_error","code":"context_length_exceeded"}}"#
);
const VLLM_TOO_LONG: &str = concat!(
    r#"{"object":"error","message":"This model's maximum context length is 256 tokens. However, "#,
    r#"you requested 437 tokens (431 in the messages, 6 in the completion).","#,
    r#""type":"BadRequestError","param":null,"code":400}"#
);

/// One response to one request: its error, and words expected in the message.
fn refused_once(act: Act, is_it: fn(&EndpointError) -> bool, words: &[&str]) {
    let heard = asked(&[act]);
    assert!(is_it(heard.error()), "{:?}", heard.error());
    for word in words {
        assert!(
            heard.message().contains(word),
            "{word}: {}",
            heard.message()
        );
    }
    assert_eq!(heard.requests.len(), 1, "{}", heard.message());
    assert_eq!(heard.pieces.len(), 0);
}

#[test]
fn a_server_that_is_not_there_is_named() {
    let server = Server::start(&[Act::Close]);
    let options = options(&server);
    drop(server);
    let url = options.url.clone();
    let error = endpoint(options)
        .ask(&request(), &mut |_| Flow::On)
        .expect_err("gone");
    assert!(
        matches!(error.cause(), EndpointError::Refused { .. }),
        "{error:?}"
    );
    let message = error.to_string();
    assert!(
        message.contains(&url) && message.contains("is the server running?"),
        "{message}"
    );
    assert!(message.contains("3 attempts"), "{message}");
}

#[test]
fn a_host_without_address_cannot_be_reached() {
    let server = Server::start(&[Act::Close]);
    let options = EndpointOptions {
        url: "http://no-such-host.invalid:1".to_owned(),
        attempts_max: 1,
        ..options(&server)
    };
    let error = endpoint(options)
        .ask(&request(), &mut |_| Flow::On)
        .expect_err("no host");
    let message = error.to_string();
    assert!(
        message.contains("http://no-such-host.invalid:1/v1"),
        "{message}"
    );
}

#[test]
fn a_plain_server_that_is_asked_securely_is_told() {
    use std::io::{Read, Write};
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("bound").port();
    let plain = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().expect("a client");
        stream
            .write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n")
            .expect("sent");
        // until the client disconnects
        let _ = stream.read_to_end(&mut Vec::new());
    });
    let server = Server::start(&[Act::Close]);
    let options = EndpointOptions {
        url: format!("https://127.0.0.1:{port}"),
        attempts_max: 1,
        ..options(&server)
    };
    let error = endpoint(options)
        .ask(&request(), &mut |_| Flow::On)
        .expect_err("no TLS");
    plain.join().expect("it answered");
    assert!(
        matches!(error, EndpointError::Unreachable { .. }),
        "{error:?}"
    );
    assert!(
        error.to_string().contains("no secure connection"),
        "{error}"
    );
}

#[test]
fn an_unauthorized_answer_names_the_variable() {
    let body = r#"{"error":{"message":"Invalid API key"}}"#;
    let words = [
        "WEIR_TEST_NO_SUCH_KEY", "401", "without a key", "Invalid API key",
    ];
    refused_once(
        Act::Status(401, body),
        |error| {
            matches!(
                error,
                EndpointError::Key {
                    status: 401,
                    is_set: false,
                    ..
                }
            )
        },
        &words,
    );
}

#[test]
fn a_forbidden_answer_names_the_variable() {
    refused_once(
        Act::Status(403, ""),
        |error| matches!(error, EndpointError::Key { status: 403, .. }),
        &["WEIR_TEST_NO_SUCH_KEY", "403"],
    );
}

#[test]
fn a_model_that_ollama_has_not_is_named() {
    refused_once(
        Act::Status(404, OLLAMA),
        |error| matches!(error, EndpointError::ModelMissing { .. }),
        &["`tiny`", "try pulling it first"],
    );
}

#[test]
fn a_model_that_vllm_has_not_is_named() {
    refused_once(
        Act::Status(404, VLLM),
        |error| matches!(error, EndpointError::ModelMissing { .. }),
        &["`tiny`", "does not exist"],
    );
}

#[test]
fn a_page_that_is_not_found_is_no_missing_model() {
    refused_once(
        Act::Status(404, "<html><title>404 Not Found</title></html>"),
        |error| matches!(error, EndpointError::NotFound { .. }),
        &["a web page, \"404 Not Found\"", "/v1"],
    );
}

fn is_437_of_256(error: &EndpointError) -> bool {
    let (tokens, fit) = (Some(437), Some(256));
    matches!(error, EndpointError::ContextTooLong { found, limit, .. }
        if (*found, *limit) == (tokens, fit))
}

#[test]
fn a_context_too_long_for_llama_cpp_is_told_in_tokens() {
    refused_once(
        Act::Status(400, LLAMA_TOO_LONG),
        is_437_of_256,
        &["smaller context", "`tiny`", "try increasing it"],
    );
}

#[test]
fn a_context_too_long_for_openai_and_vllm_is_told() {
    for body in [OPENAI_TOO_LONG, VLLM_TOO_LONG] {
        let words = ["smaller context", "`tiny`", "437 tokens"];
        refused_once(Act::Status(400, body), is_437_of_256, &words);
    }
    refused_once(
        Act::Status(413, "payload"),
        |error| matches!(error, EndpointError::ContextTooLong { .. }),
        &["413"],
    );
}

#[test]
fn an_error_in_the_place_of_a_stream_is_what_it_says() {
    let long = r#"{"error":{"code":400,"message":"exceeds the available context size","n_ctx":9,
        "n_prompt_tokens":12,"type":"exceed_context_size_error"}}"#;
    refused_once(
        Act::Raw(long),
        |error| {
            matches!(
                error,
                EndpointError::ContextTooLong {
                    found: Some(12),
                    ..
                }
            )
        },
        &[],
    );
    refused_once(
        Act::Stream(&[Step::Data(
            r#"{"error":{"code":400,"message":"maximum context length is 9 tokens"}}"#,
        )]),
        |error| matches!(error, EndpointError::ContextTooLong { limit: Some(9), .. }),
        &[],
    );
    refused_once(
        Act::Stream(&[Step::Bytes(
            b"error: {\"code\":400,\"message\":\"context size\"}\n\n",
        )]),
        |error| matches!(error, EndpointError::ContextTooLong { status: 400, .. }),
        &[],
    );
    refused_once(
        Act::Stream(&[Step::Data(
            r#"{"object":"error","message":"maximum context length is 9 tokens","code":400}"#,
        )]),
        |error| matches!(error, EndpointError::ContextTooLong { limit: Some(9), .. }),
        &[],
    );
}

#[test]
fn too_many_requests_wait_as_long_as_is_asked() {
    let busy = Act::With(429, "retry-after: 1\r\n", "slow down");
    let fine = Act::Stream(&[Step::Words("yes"), Step::Finish("stop"), Step::Done]);
    let (heard, took) = timed(|| asked(&[busy, fine]));
    assert_eq!((heard.text(), heard.requests.len()), ("yes", 2));
    assert!(took >= Duration::from_secs(1), "{took:?}");
}

#[test]
fn what_passes_is_asked_again_and_what_does_not_gives_up() {
    let fine = Act::Stream(&[Step::Words("yes"), Step::Finish("stop"), Step::Done]);
    for passing in [
        Act::Status(500, "oops"),
        Act::Status(503, "Loading model"),
        Act::Status(502, "<html>"),
        Act::Close,
    ] {
        let heard = asked(&[passing, fine]);
        assert_eq!(
            (heard.text(), heard.requests.len()),
            ("yes", 2),
            "{passing:?}"
        );
    }
    let heard = asked(&[Act::Status(503, "Loading model")]);
    assert!(matches!(
        heard.error(),
        EndpointError::GaveUp { attempts: 3, .. }
    ));
    assert!(matches!(
        heard.error().cause(),
        EndpointError::Busy { status: 503, .. }
    ));
    let message = heard.message();
    assert!(
        message.contains("503") && message.contains("Loading model"),
        "{message}"
    );
    assert_eq!(heard.requests.len(), 3);
    let heard = asked(&[Act::Status(501, "no such thing")]);
    assert_eq!(heard.requests.len(), 1);
}

#[test]
fn the_page_of_a_proxy_is_told_by_its_title() {
    let page = "<html><head><title>502 Bad Gateway</title></head><body>long</body></html>";
    let heard = asked(&[Act::With(502, "content-type: text/html\r\n", page)]);
    let message = heard.message();
    assert!(
        message.contains("\"502 Bad Gateway\"") && !message.contains("body"),
        "{message}"
    );
    let page = "<html><title>Log in to the network</title></html>";
    let heard = asked(&[Act::With(200, "content-type: text/html\r\n", page)]);
    assert!(
        matches!(heard.error(), EndpointError::Malformed { .. }),
        "{:?}",
        heard.error()
    );
    assert!(
        heard.message().contains("Log in to the network"),
        "{}",
        heard.message()
    );
    assert_eq!(heard.requests.len(), 1);
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
    assert!(
        matches!(error, EndpointError::Redirect { status: 302, .. }),
        "{error:?}"
    );
    assert!(error.to_string().contains(&elsewhere.url), "{error}");
    assert_eq!(server.authorizations(), ["Bearer s3cret-5309"]);
    assert_eq!(
        (elsewhere.requests().len(), server.requests().len()),
        (0, 1)
    );
}

#[test]
fn the_key_is_sent_and_never_shown() {
    let bad = r#"{"error":"bad key s3cret-5309"}"#;
    for act in [
        Act::Status(400, bad),
        Act::Status(401, bad),
        Act::Raw("s3cret-5309 is no JSON"),
        Act::Raw(r#"{"choices":["s3cret-5309"]}"#),
        Act::With(302, "location: http://h/?s3cret-5309\r\n", ""),
        Act::Stream(&[Step::Data("s3cret-5309 {")]),
        Act::Stream(&[Step::Data(r#"{"error":"s3cret-5309"}"#)]),
    ] {
        let server = Server::start(&[act]);
        let endpoint = endpoint(EndpointOptions {
            attempts_max: 1,
            ..options(&server)
        });
        let endpoint = endpoint.with_key("s3cret-5309");
        let error = endpoint
            .ask(&request(), &mut |_| Flow::On)
            .expect_err("refused");
        let told = format!("{error} {error:?} {endpoint:?}");
        assert!(told.contains("[key]") && !told.contains("s3cret"), "{told}");
        assert_eq!(server.authorizations()[0], "Bearer s3cret-5309");
    }
}

#[test]
fn a_field_that_is_refused_is_left_out_from_then_on() {
    let fine = Act::Stream(&[Step::Words("yes"), Step::Finish("stop"), Step::Done]);
    let server = Server::start(&[Act::Status(422, "extra fields not permitted"), fine]);
    let endpoint = endpoint(options(&server));
    for _ in 0..2 {
        let reply = endpoint
            .ask(&request(), &mut |_| Flow::On)
            .expect("a reply");
        assert_eq!(reply.text, "yes");
    }
    let has: Vec<bool> = server
        .requests()
        .iter()
        .map(|request| request.get("stream_options").is_some())
        .collect();
    assert_eq!(has, [true, false, false]);
}

#[test]
fn a_refusal_of_something_else_is_told_and_leaves_nothing_out() {
    let fine = Act::Stream(&[Step::Words("yes"), Step::Finish("stop"), Step::Done]);
    let bad = Act::Status(400, r#"{"message":"bad temperature"}"#);
    let server = Server::start(&[bad, bad, fine]);
    let endpoint = endpoint(options(&server));
    let error = endpoint
        .ask(&request(), &mut |_| Flow::On)
        .expect_err("refused");
    assert!(
        matches!(error, EndpointError::Rejected { status: 400, .. }),
        "{error:?}"
    );
    assert!(error.to_string().contains("bad temperature"), "{error}");
    endpoint
        .ask(&request(), &mut |_| Flow::On)
        .expect("a reply");
    assert!(server.requests()[2].get("stream_options").is_some());
}
