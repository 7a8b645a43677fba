//! The client against a server that misbehaves.

mod connections;
mod faults;
mod limits;
mod listener;
mod lists;
mod replies;
#[path = "../../../tests/endpoint_server/mod.rs"]
mod server;
mod shapes;

use std::time::{Duration, Instant};

use serde_json::Value;

use super::{
    Endpoint, EndpointError, EndpointErrorKind as Kind, EndpointGenerator, EndpointOptions,
};
use crate::{Ended, Flow, Generate, GenerateError, Generated, Message, Request, Role};
use server::{Act, Server, Step};

/// A reply without faults.
const FINE: Act = Act::Stream(&[Step::Words("yes"), Step::Finish("stop"), Step::Done]);

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

    /// Asserts that there is an error of this kind, and that its message has all words, which stand
    /// between bars.
    #[track_caller]
    fn assert_error(&self, kind: Kind, words: &str) {
        assert_told(self.error(), kind, words);
    }
}

#[track_caller]
fn assert_told(error: &EndpointError, kind: Kind, words: &str) {
    let message = error.to_string();
    assert_eq!(error.kind(), kind, "{message}");
    let missing = words.split('|').find(|word| !message.contains(word));
    assert_eq!(missing, None, "{message}");
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

/// Duration of a call.
fn timed<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let started = Instant::now();
    let out = work();
    (out, started.elapsed())
}

#[test]
fn a_generator_keeps_the_contract() {
    let server = Server::start(&[
        Act::Raw(r#"{"data":[{"id":"tiny","max_model_len":32}]}"#),
        Act::Stream(&[Step::Words("Bob"), Step::Finish("length"), Step::Done]),
        Act::Status(
            400,
            "maximum context length is 32 tokens, you requested 60 tokens",
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
    let error = generate().expect_err("too long");
    let is_overflow = matches!(
        error,
        GenerateError::ContextOverflow {
            found: 60,
            limit: 32,
            ..
        }
    );
    assert!(is_overflow, "{error:?}");
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
    let random = |temperature, top_p| Request {
        sampling: crate::Sampling::Random {
            temperature,
            top_k: 0,
            top_p,
            seed: 1,
        },
        ..request()
    };
    for request in [
        Request::new(Vec::new(), 50),
        Request::new(request().messages, 0),
        random(0.0, 1.0),
        random(f32::NAN, 1.0),
        random(1.0, 1.5),
    ] {
        let error = endpoint
            .ask(&request, &mut |_| Flow::On)
            .expect_err("impossible");
        assert_eq!(error.kind(), Kind::Request, "{error}");
    }
    assert_eq!(server.requests().len(), 0);
}
