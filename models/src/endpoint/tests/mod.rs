//! The client against a server that misbehaves.

mod connections;
mod limits;
mod lists;
mod refusals;
#[path = "../../../tests/endpoint_server/mod.rs"]
mod server;
mod shapes;
mod streams;

use std::time::{Duration, Instant};

use serde_json::Value;

use super::{Endpoint, EndpointError, EndpointGenerator, EndpointOptions};
use crate::{Ended, Flow, Generate, GenerateError, Generated, Message, Request, Role};
use server::{Act, Server, Step};

/// Options with long time limits for a slow machine and short pauses between attempts.
fn options(server: &Server) -> EndpointOptions {
    EndpointOptions {
        key_variable: "WEIR_TEST_NO_SUCH_KEY".to_owned(),
        connect_timeout: Duration::from_secs(20),
        first_piece_timeout: Duration::from_secs(20),
        piece_timeout: Duration::from_secs(20),
        total_timeout: Duration::from_secs(40),
        pause: Duration::from_millis(1),
        ..EndpointOptions::new(&server.url, "tiny")
    }
}

fn endpoint(options: EndpointOptions) -> Endpoint {
    Endpoint::new(options).expect("an address")
}

fn request() -> Request {
    Request::new(vec![Message::new(Role::User, "Who?")], 50)
}

/// A reply, and the pieces passed on before it or before the error.
struct Heard {
    reply: Result<Generated, EndpointError>,
    pieces: Vec<String>,
    requests: Vec<Value>,
}

impl Heard {
    /// The reply, which must equal the joined pieces.
    fn reply(&self) -> &Generated {
        let reply = self.reply.as_ref().expect("a reply");
        assert_eq!(self.pieces.concat(), reply.text);
        reply
    }

    fn text(&self) -> &str {
        &self.reply().text
    }

    fn error(&self) -> &EndpointError {
        self.reply.as_ref().expect_err("no reply")
    }

    fn message(&self) -> String {
        self.error().to_string()
    }
}

fn asked_with(
    script: &[Act],
    request: &Request,
    change: impl FnOnce(&mut EndpointOptions),
) -> Heard {
    let server = Server::start(script);
    let mut options = options(&server);
    change(&mut options);
    let mut pieces = Vec::new();
    let mut on_piece = |piece: &str| {
        pieces.push(piece.to_owned());
        Flow::On
    };
    let reply = endpoint(options).ask(request, &mut on_piece);
    pieces.retain(|piece| !piece.is_empty());
    Heard {
        reply,
        pieces,
        requests: server.requests(),
    }
}

fn asked(script: &[Act]) -> Heard {
    asked_with(script, &request(), |_| {})
}

#[test]
fn a_streamed_reply_comes_piece_by_piece() {
    let usage = r#"{"choices":[],"usage":{"prompt_tokens":12,"completion_tokens":7,
        "prompt_tokens_details":{"cached_tokens":5}}}"#;
    let usage = usage.replace('\n', "");
    let usage: &'static str = usage.leak();
    let steps = vec![
        Step::Data(r#"{"choices":[{"delta":{"role":"assistant","content":""}}]}"#),
        Step::Words("\nAnna"),
        Step::Bytes(b": keep-alive\r\n\r\n"),
        Step::Words(" and Bob"),
        Step::Finish("stop"),
        Step::Data(usage),
        Step::Done,
    ];
    let heard = asked(&[Act::Stream(steps.leak())]);
    assert_eq!(heard.pieces, ["Anna", " and Bob"]);
    let expected = Generated {
        text: "Anna and Bob".to_owned(),
        prompt_tokens: 12,
        reused_tokens: 5,
        reply_tokens: 7,
        ended: Ended::Done,
    };
    assert_eq!(heard.reply(), &expected);
    assert_eq!(heard.requests.len(), 1);
    let sent = &heard.requests[0];
    assert_eq!(
        (&sent["model"], &sent["stream"]),
        (&"tiny".into(), &true.into())
    );
    assert_eq!(
        (&sent["temperature"], &sent["max_tokens"]),
        (&0.into(), &50.into())
    );
    assert_eq!(sent["messages"][0]["content"], "Who?");
}

#[test]
fn a_reply_that_comes_whole_is_taken_too() {
    let heard = asked(&[Act::Say("<think>Anna or Bob?</think>\nBob.")]);
    assert_eq!((heard.text(), heard.reply().ended), ("Bob.", Ended::Done));
    let heard = asked(&[Act::Say("hm, Anna?</think>Bob.")]);
    assert_eq!(heard.text(), "Bob.");
    let heard = asked_with(&[Act::Say("Bob.")], &request(), |options| {
        options.streams = false;
    });
    assert_eq!(heard.text(), "Bob.");
    assert!(heard.requests[0].get("stream").is_none());
    let parts = r#"{"choices":[{"message":{"content":[{"type":"text","text":"Bo"},
        {"type":"text","text":"b."}]},"finish_reason":"length"}],
        "usage":{"prompt_tokens":3,"completion_tokens":2}}"#;
    let heard = asked(&[Act::Raw(parts)]);
    assert_eq!(
        (heard.text(), heard.reply().ended),
        ("Bob.", Ended::TokensMax)
    );
    assert_eq!(
        (heard.reply().prompt_tokens, heard.reply().reply_tokens),
        (3, 2)
    );
}

#[test]
fn a_generator_keeps_the_contract() {
    let server = Server::start(&[
        Act::Raw(r#"{"data":[{"id":"tiny","max_model_len":32}]}"#),
        Act::Stream(&[Step::Words("Bob"), Step::Finish("length"), Step::Done]),
        Act::Status(
            400,
            "This model's maximum context length is 32 tokens. However, you requested 60 tokens",
        ),
        Act::Status(400, "too long"),
        Act::Status(401, "no"),
    ]);
    let mut generator = EndpointGenerator::open(options(&server)).expect("it is there");
    assert_eq!((generator.name(), generator.context_tokens()), ("tiny", 32));
    let mut generate = || generator.generate(&request(), &mut |_| Flow::On);
    let reply = generate().expect("a reply");
    assert_eq!(
        (reply.text.as_str(), reply.ended),
        ("Bob", Ended::TokensMax)
    );
    let is_overflow = |error: GenerateError| match error {
        GenerateError::ContextOverflow { found, limit, .. } => Some((found, limit)),
        _ => None,
    };
    assert_eq!(
        is_overflow(generate().expect_err("too long")),
        Some((60, 32))
    );
    let error = generate().expect_err("too long");
    assert!(matches!(error, GenerateError::Request { .. }), "{error:?}");
    let error = generate().expect_err("no key");
    assert!(matches!(error, GenerateError::Failed { .. }), "{error:?}");
    assert!(
        error.to_string().contains("WEIR_TEST_NO_SUCH_KEY"),
        "{error}"
    );
}

#[test]
fn impossible_requests_are_refused_here() {
    let server = Server::start(&[Act::Close]);
    let endpoint = endpoint(options(&server));
    let random = |temperature, top_p| crate::Sampling::Random {
        temperature,
        top_k: 0,
        top_p,
        seed: 1,
    };
    let with = |change: &dyn Fn(&mut Request)| {
        let mut request = request();
        change(&mut request);
        request
    };
    for request in [
        with(&|request| request.messages.clear()),
        with(&|request| request.tokens_max = 0),
        with(&|request| request.sampling = random(0.0, 1.0)),
        with(&|request| request.sampling = random(f32::NAN, 1.0)),
        with(&|request| request.sampling = random(1.0, 1.5)),
    ] {
        let error = endpoint
            .ask(&request, &mut |_| Flow::On)
            .expect_err("impossible");
        assert!(matches!(error, EndpointError::Request { .. }), "{error:?}");
    }
    assert_eq!(server.requests().len(), 0);
}

/// Duration of a call.
fn timed<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let started = Instant::now();
    let out = work();
    (out, started.elapsed())
}
