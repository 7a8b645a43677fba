//! Refusals with the messages of real servers, replies with faults, and limits. In each case of a
//! time limit one is small; the others are so long that a slow machine does not reach them.

use super::*;

/// A reply without faults.
fn fine() -> Act {
    streamed(&["yes"], "stop")
}

const fn too_long(found: usize, limit: usize) -> Kind {
    Kind::ContextTooLong {
        found: Some(found),
        limit: Some(limit),
    }
}

/// Each response gives an error of this kind, with these words, and is asked for once.
#[track_caller]
fn told<const N: usize>(kind: Kind, cases: [(Act, &str); N]) {
    for (act, words) in cases {
        let once = |options: &mut EndpointOptions| options.attempts_max = 1;
        let heard = asked_with(std::slice::from_ref(&act), &request(), once);
        heard.assert_error(kind, words);
        // an unnamed field may be the reason
        let requests = heard.server.requests().len();
        assert!(requests == 1 || kind == Kind::Rejected, "{act:?}");
    }
}

#[test]
fn a_request_that_is_too_long_is_told_in_tokens() {
    let llama = concat!(
        r#"{"error":{"code":400,"message":"the request exceeds the available context size, "#,
        r#"try increasing it","type":"exceed_context_size_error","n_prompt_tokens":437,"#,
        r#""n_ctx":256}}"#
    );
    let openai = concat!(
        r#"{"error":{"message":"This model's maximum context length is 256 tokens. However, your "#,
        r#"messages resulted in 437 tokens.","code":"context_length_exceeded"}}"#
    );
    let vllm = concat!(
        r#"{"object":"error","message":"This model's maximum context length is 256 tokens. "#,
        r#"However, you requested 437 tokens (431 in the messages).","code":400}"#
    );
    let python = r#"{"error":{"message":"Requested tokens (437) exceed context window of 256"}}"#;
    let window =
        r#"{"error":{"code":400,"message":"context size","n_ctx":9,"n_prompt_tokens":12}}"#;
    let bare = r#"{"object":"error","message":"context size","code":400}"#;
    let old_llama = b"error: {\"code\":400,\"message\":\"context size\"}\n\n".to_vec();
    let unknown = Kind::ContextTooLong {
        found: None,
        limit: None,
    };
    let own = "ask with less|`tiny`|increasing";
    told(
        too_long(437, 256),
        [
            (status(400, llama), own),
            (status(400, openai), "437 tokens"),
            (status(400, vllm), "437 tokens"),
            (status(500, python), "437"),
        ],
    );
    // an error in the place of a reply, whole or streamed
    told(
        too_long(12, 9),
        [(raw(window), ""), (stream([data(window)]), "")],
    );
    let none = "max_tokens must be at least 1, got -7";
    told(
        unknown,
        [
            (stream([data(bare)]), ""),
            (stream([Step::Chunk(old_llama)]), "status 400"),
            (status(413, "payload"), "413"),
            (status(400, "prompt is too long"), ""),
            (status(400, none), none),
        ],
    );
}

#[test]
fn a_refusal_is_told_in_the_servers_words() {
    let page = "<html><Title>404 Not\nFound</title></html>";
    let ollama = r#"{"error":{"message":"model \"tiny\" not found, try pulling it first"}}"#;
    let vllm = r#"{"object":"error","message":"The model `tiny` does not exist.","code":404}"#;
    let no_key = status(401, r#"{"error":"Invalid key"}"#);
    let refused = "WEIR_TEST_NO_SUCH_KEY|401|without a key|Invalid key";
    let forbidden = "WEIR_TEST_NO_SUCH_KEY|403";
    told(
        Kind::Final,
        [(no_key, refused), (status(403, ""), forbidden)],
    );
    told(
        Kind::Final,
        [
            (status(404, ollama), "`tiny`|try pulling it first"),
            (status(404, vllm), "`tiny`|does not exist"),
            (status(400, "unknown model tiny"), ""),
        ],
    );
    let detail = status(404, r#"{"detail":"Not Found"}"#);
    let page = (status(404, page), "a web page, \"404 Not Found\"|/v1");
    told(Kind::NotFound, [page, (detail, "404: Not Found")]);
    // the rest of the announced body never comes
    let cut_off = Act::Cut(400, 1000, "bad grammar");
    told(
        Kind::Rejected,
        [
            (status(501, "no such thing"), "no such thing"),
            (status(400, "not \u{1b}[1m low"), "not [1m low"),
            (cut_off, "bad grammar"),
            (status(400, "schema not found by the model"), "400"),
        ],
    );
}

#[test]
fn what_is_no_reply_is_told() {
    let tool = r#"{"choices":[{"message":{"content":null,"tool_calls":[{"id":"1"}]}}]}"#;
    let tool_piece = data(r#"{"choices":[{"delta":{"tool_calls":[{"index":0}]}}]}"#);
    let called = stream([tool_piece, finish("tool_calls"), done(), Step::End]);
    let not_utf8 = Step::Chunk(b"data: \xff\xfe\n\n".to_vec());
    let not_http = Act::Bytes(b"\x00\x01 not HTTP at all\r\n\r\n");
    let long = vec![b'x'; 64 << 10];
    let text = String::from_utf8_lossy(&long);
    let data_forever = [Step::Chunk(b"data: ".to_vec()), Step::Endless(long.clone())];
    let Step::Chunk(event) = words(&text) else {
        panic!("an event is a chunk");
    };
    told(
        Kind::Final,
        [
            (raw("<html><title>Log in</title>"), "\"Log in\""),
            (raw("garbage \u{1b}[31m"), "garbage [31m"),
            (not_http, "not HTTP"),
            (stream([data("garbage {")]), "garbage {"),
            (stream([not_utf8]), "UTF-8"),
            (raw(r#"{"choices":[]}"#), "choices[0]"),
            (raw(tool), "called a tool"),
            (called, "called a tool"),
        ],
    );
    let limit = "the limit of a reply";
    told(
        Kind::Final,
        [
            (raw(&text.repeat(65)), "more than 4194304 bytes"),
            (stream([Step::Endless(long.clone())]), limit),
            (stream(data_forever), limit),
            (stream([Step::Endless(event)]), limit),
        ],
    );
}

#[test]
fn a_reply_of_another_shape_is_told() {
    let half = streamed(&["{\"name\": ", "\"Bo"], "length");
    let no_age = say(r#"{"name": "Bob"}"#);
    let text_age = say(r#"{"name": "Bob", "age": "3"}"#);
    let more = say(r#"{"name": "Bob", "age": 3} So it is."#);
    for (act, kind, words) in [
        (no_age, Kind::Final, "$ has no field `age`"),
        (text_age, Kind::Final, "$.age is a text"),
        (say("I am Bob."), Kind::Final, "no JSON"),
        (more, Kind::Final, "no JSON"),
        (half, Kind::Unfinished { tokens: 2 }, "allow more"),
    ] {
        let heard = asked_with(&[act], &shaped(), |_| {});
        heard.assert_error(kind, words);
        assert_eq!((heard.pieces.len(), heard.server.requests().len()), (0, 1));
    }
}

#[test]
fn what_comes_after_the_first_words_is_not_asked_again() {
    let filter = streamed(&["An"], "content_filter");
    let error = data(r#"{"error":{"code":500,"message":"oops"}}"#);
    let ended = stream([words("An"), Step::End]);
    for (act, kind, words) in [
        (stream([words("An")]), Kind::Broken, "broke off the reply"),
        (ended, Kind::Broken, "pieces that came: 1"),
        (stream([words("An"), error]), Kind::Server, "oops"),
        (filter, Kind::Final, "content filter"),
    ] {
        let heard = asked(&[act, fine()]);
        heard.assert_error(kind, words);
        assert_eq!((heard.server.requests().len(), heard.pieces.len()), (1, 1));
    }
}

#[test]
fn a_server_that_is_not_there_is_named() {
    use std::io::{Read, Write};
    let gone = options(&start(&[Act::Silence]));
    // a server without TLS: it answers what it cannot read, and waits for the client to leave
    let plain = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let secure = format!("https://{}", plain.local_addr().expect("bound"));
    std::thread::spawn(move || {
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
        let mut generator = unchecked(EndpointOptions {
            url: url.clone(),
            attempts_max,
            ..gone.clone()
        });
        let error = generator.ask(&request(), &mut |_| Flow::On);
        let words = format!("{url}|{words}");
        assert_told(&error.expect_err("not there"), Kind::Passing, &words);
    }
}

#[test]
fn what_passes_is_asked_again_and_what_does_not_gives_up() {
    for passing in [
        status(500, "oops"),
        status(503, "Loading model"),
        status(502, "<html>"),
        Act::Bytes(b""),
        stream([]),
        stream([Step::End]),
    ] {
        let heard = asked(&[passing.clone(), fine()]);
        assert_eq!(heard.reply().text, "yes", "{passing:?}");
        assert_eq!(heard.server.requests().len(), 2, "{passing:?}");
    }
    let broken = asked_with(
        &[stream([words("{\"name\": ")]), say(BOB)],
        &shaped(),
        |_| {},
    );
    assert_eq!(broken.reply().text, BOB);
    let heard = asked(&[status(503, "Loading model")]);
    heard.assert_error(Kind::Passing, "503|Loading model|3 attempts");
    assert_eq!(heard.server.requests().len(), 3);
    let wait = "retry-after: 1\r\n".to_owned();
    let heard = asked(&[Act::Answer(429, wait, "slow down".to_owned()), fine()]);
    assert_eq!(heard.reply().text, "yes");
    assert!(heard.took >= Duration::from_secs(1), "{:?}", heard.took);
    // llama.cpp's Python server ends a stream at once if the context is too long
    let why = "This model's maximum context length is 256 tokens. However, you requested 437";
    let heard = asked(&[stream([Step::End]), status(400, why)]);
    heard.assert_error(too_long(437, 256), "");
    assert!(sent(&heard.server)[1].get("stream").is_none());
}

#[test]
fn the_key_is_sent_to_the_server_alone_and_never_shown() {
    let elsewhere = start(&[say("stolen")]);
    let to = format!("location: {}/{KEY}\r\n", elsewhere.url);
    let bad = format!(r#"{{"error":"bad key {KEY}"}}"#);
    // spelled otherwise, and where the message is cut
    let spelled = bad.replace("s3cret", "s3cr\\u0065t");
    let at_the_end = format!("{}{KEY}", "x".repeat(295));
    let acts = [
        status(400, &bad),
        status(401, &bad),
        status(400, &spelled),
        status(400, &at_the_end),
        raw(&format!("{KEY} is no JSON")),
        raw(&format!(r#"{{"choices":["{KEY}"]}}"#)),
        Act::Answer(302, to, String::new()),
        stream([data(&format!("{KEY} {{"))]),
        stream([data(&format!(r#"{{"error":"{KEY}"}}"#))]),
    ];
    let cases = acts.map(|act| (act, request()));
    let unlike = JsonShape::OneOf(vec!["Bob".to_owned()]);
    let shapeless = Request {
        shape: Shape::Json(JsonShape::Object(vec![("name".to_owned(), unlike)])),
        ..request()
    };
    let field = say(&format!(r#"{{"{KEY}": 1}}"#));
    let value = say(&format!(r#"{{"name": "a key, {KEY}"}}"#));
    let shaped = [(field, shapeless.clone()), (value, shapeless)];
    for (act, request) in cases.into_iter().chain(shaped) {
        let server = start(std::slice::from_ref(&act));
        let mut generator = with_key(&server);
        let error = generator.ask(&request, &mut |_| Flow::On);
        let error = error.expect_err("refused");
        let told = format!("{error} {error:?} {generator:?}");
        assert!(told.contains("[key]") && !told.contains("s3c"), "{told}");
        let authorization = format!("Bearer {KEY}");
        assert_eq!(
            server.requests()[0].header("authorization"),
            Some(&*authorization)
        );
    }
    assert_eq!(elsewhere.requests().len(), 0);
    let list = format!(r#"{{"data":[{{"id":"for {KEY}"}}]}}"#);
    let error = with_key(&start(&[raw(&list)])).check();
    assert_told(&error.expect_err("it has it not"), Kind::Final, "for [key]");
}

#[test]
fn a_field_that_is_refused_is_left_out_from_then_on() {
    // the message of llama.cpp's Python server
    let no_schema = r#"{"error":{"message":"1 validation error: {'type': 'literal_error', 'loc':
        ('body', 'response_format', 'type'), 'msg':
        \"Input should be 'text' or 'json_object'\"}"}}"#;
    let no_schema = status(500, no_schema);
    let unknown = status(400, "unknown field: response_format");
    let usage = status(422, "extra fields not permitted: stream_options");
    let (good, schema, any) = (streamed(&[BOB], "stop"), "json_schema", "json_object");
    let no_schema = [no_schema, good.clone()];
    let no_format = [unknown.clone(), unknown.clone(), unknown, good.clone()];
    for (script, formats, usages) in [
        (&no_schema[..], &[schema, any, any][..], [true; 3]),
        (&no_format, &[schema, any, any, "", ""], [true; 3]),
        (&[usage, good], &[schema; 3], [true, false, false]),
    ] {
        let server = start(script);
        let mut generator = unchecked(options(&server));
        for _ in 0..2 {
            let reply = generator.ask(&shaped(), &mut |_| Flow::On);
            assert_eq!(reply.expect("a reply").text, BOB);
        }
        let sent = sent(&server);
        let format = |sent: &serde_json::Value| sent["response_format"]["type"].clone();
        let found: Vec<_> = sent.iter().map(format).collect();
        let found: Vec<_> = found.iter().map(|it| it.as_str().unwrap_or("")).collect();
        assert_eq!(found, formats);
        let found = sent.iter().map(|sent| sent.get("stream_options").is_some());
        assert_eq!(found.take(3).collect::<Vec<_>>(), usages);
    }
}

#[test]
fn a_refusal_of_something_else_leaves_nothing_out() {
    let bad = status(400, r#"{"message":"bad temperature"}"#);
    let server = start(&[bad.clone(), bad, fine()]);
    let mut generator = unchecked(options(&server));
    let error = generator.ask(&request(), &mut |_| Flow::On);
    assert_told(
        &error.expect_err("refused"),
        Kind::Rejected,
        "bad temperature",
    );
    let reply = generator.ask(&request(), &mut |_| Flow::On);
    reply.expect("a reply");
    assert!(sent(&server)[2].get("stream_options").is_some());
}

#[test]
fn a_server_that_lacks_the_model_or_does_not_list_is_told_at_once() {
    let page = "<html><title>Shop</title></html>";
    let cut_off = Act::Cut(200, 1_000_000_000, "{");
    let others = raw(r#"{"data":[{"id":"big"},{"id":"small"}]}"#);
    let none = raw(r#"{"object":"list","data":null}"#);
    for (act, kind, words) in [
        (others, Kind::Final, "`tiny`|it has big, small"),
        (none, Kind::Final, "none at all"),
        (status(404, page), Kind::NotFound, "\"Shop\""),
        (raw(page), Kind::Final, "\"Shop\""),
        (raw("{}"), Kind::Final, "no list of models"),
        (status(401, "no"), Kind::Final, "WEIR_TEST_NO_SUCH_KEY"),
        (status(503, "Loading model"), Kind::Passing, "Loading model"),
        (status(302, ""), Kind::Final, "redirects to"),
        (Act::Bytes(b""), Kind::Broken, "broke off"),
        (cut_off, Kind::Broken, "broke off"),
    ] {
        let server = start(&[act]);
        let error = EndpointGenerator::open(options(&server));
        assert_told(&error.expect_err("no list"), kind, words);
        assert_eq!(server.requests().len(), 1, "{words}");
    }
}

#[test]
fn a_server_that_keeps_its_words_back_ends_at_the_limit() {
    type Limit = fn(&mut EndpointOptions);
    const SHORT: Duration = Duration::from_millis(300);
    let piece: Limit = |options| options.piece_timeout = SHORT;
    let total: Limit = |options| options.total_timeout = SHORT;
    let endless = |bytes: &[u8]| Step::Endless(bytes.to_vec());
    let thinks = endless(b"data: {\"choices\":[{\"delta\":{\"reasoning\":\"x\"}}]}\n\n");
    let no_reason = super::piece("An", Some("null"));
    let alive = stream([endless(b": alive\n\n")]);
    let an_alive = stream([words("An"), endless(b":\n\n")]);
    let an_hold = stream([words("An"), Step::Hold]);
    for (act, limit, missing) in [
        (Act::Silence, total, "the whole reply"),
        (stream([Step::Hold]), total, "the whole reply"),
        (alive, total, "the whole reply"),
        (an_hold, piece, "the next words"),
        (an_alive, piece, "the next words"),
        (stream([no_reason, Step::Hold]), piece, "the next words"),
        (stream([thinks]), total, "the whole reply"),
    ] {
        let heard = asked_with(std::slice::from_ref(&act), &request(), |options| {
            options.attempts_max = 1;
            limit(options);
        });
        heard.assert_error(Kind::Passing, &format!("{missing}|300ms"));
        assert!(
            heard.took < Duration::from_secs(15),
            "{act:?} took {:?}",
            heard.took
        );
    }
    // limits without bound overflow nothing
    let heard = asked_with(&[fine()], &request(), |options| {
        options.piece_timeout = Duration::MAX;
        options.total_timeout = Duration::MAX;
    });
    assert_eq!(heard.reply().text, "yes");
}
