//! The client against a server, first one that behaves.

mod faults;
mod server;

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::json;

use super::error::Kind;
use super::options::Key;
use super::{EndpointError, EndpointGenerator, EndpointOptions};
use crate::{
    Ended, Flow, Generate, GenerateError, Generated, JsonShape, Message, Request, Role, Shape,
};
use server::words;
use server::{
    Act, Step, data, done, finish, piece, raw, say, sent, start, status, stream, streamed,
};
use weir_fixtures::http::HttpServer;

const KEY: &str = "s3cret-5309-of-more-than-forty-characters-in-all";
const BOB: &str = r#"{"name":"Bob","age":3}"#;

/// Options with long time limits for a slow machine and short pauses between attempts.
fn options(server: &HttpServer) -> EndpointOptions {
    EndpointOptions {
        key_variable: "WEIR_TEST_NO_SUCH_KEY".to_owned(),
        piece_timeout: Duration::from_secs(20),
        total_timeout: Duration::from_secs(40),
        pause: Duration::from_millis(1),
        ..EndpointOptions::new(&server.url, "tiny")
    }
}

fn unchecked(options: EndpointOptions) -> EndpointGenerator {
    EndpointGenerator::new(options).expect("an address")
}

fn with_key(server: &HttpServer) -> EndpointGenerator {
    let mut generator = unchecked(EndpointOptions {
        attempts_max: 1,
        ..options(server)
    });
    let server = Arc::get_mut(&mut generator.server).expect("nobody else has it");
    server.key = Key::new(KEY).expect("a header can carry it");
    generator
}

fn request() -> Request {
    Request::new(vec![Message::new(Role::User, "Who?")], 50)
}

/// A request for a name and an age.
fn shaped() -> Request {
    let name = JsonShape::String { chars_max: 10 };
    let fields = [("name", name), ("age", JsonShape::Integer)];
    let fields = fields.map(|(name, shape)| (name.to_owned(), shape));
    Request {
        shape: Shape::Json(JsonShape::Object(fields.to_vec())),
        ..request()
    }
}

/// A reply, the pieces passed on before it or before the error, and its server.
struct Heard {
    reply: Result<Generated, EndpointError>,
    pieces: Vec<String>,
    server: HttpServer,
    took: Duration,
}

fn asked_with(
    script: &[Act],
    request: &Request,
    change: impl FnOnce(&mut EndpointOptions),
) -> Heard {
    let server = start(script);
    let mut options = options(&server);
    change(&mut options);
    let (mut pieces, started) = (Vec::new(), Instant::now());
    let mut on_piece = |piece: &str| {
        pieces.push(piece.to_owned());
        Flow::On
    };
    let reply = unchecked(options).ask(request, &mut on_piece);
    pieces.retain(|piece| !piece.is_empty());
    Heard {
        reply,
        pieces,
        server,
        took: started.elapsed(),
    }
}

fn asked(script: &[Act]) -> Heard {
    asked_with(script, &request(), |_| {})
}

impl Heard {
    /// The reply, which must equal the joined pieces.
    #[track_caller]
    fn reply(&self) -> &Generated {
        let reply = self.reply.as_ref().expect("a reply");
        assert_eq!(self.pieces.concat(), reply.text);
        reply
    }

    #[track_caller]
    fn assert_error(&self, kind: Kind, words: &str) {
        assert_told(self.reply.as_ref().expect_err("no reply"), kind, words);
    }
}

/// Asserts that an error is of this kind, and that its message has all words, which stand between
/// bars.
#[track_caller]
fn assert_told(error: &EndpointError, kind: Kind, words: &str) {
    let message = error.to_string();
    assert_eq!(error.kind, kind, "{message}");
    let missing = words.split('|').find(|word| !message.contains(word));
    assert_eq!(missing, None, "{message}");
    assert!(
        !message.contains('\u{1b}') && message.len() < 600,
        "{message:?}"
    );
}

#[test]
fn a_streamed_reply_comes_piece_by_piece() {
    let heard = asked(&[stream([
        data(r#"{"choices":[{"delta":{"role":"assistant","content":""}}]}"#),
        words("\nAnna"),
        Step::Chunk(b": keep-alive\r\n\r\n".to_vec()),
        words(" and Bob"),
        finish("stop"),
        data(concat!(
            r#"{"choices":[],"usage":{"prompt_tokens":12,"completion_tokens":7,"#,
            r#""prompt_tokens_details":{"cached_tokens":5}}}"#
        )),
        done(),
        Step::End,
    ])]);
    assert_eq!(heard.pieces, ["Anna", " and Bob"]);
    let expected = Generated {
        text: "Anna and Bob".to_owned(),
        prompt_tokens: 12,
        reused_tokens: 5,
        reply_tokens: 7,
        ended: Ended::Done,
    };
    assert_eq!(heard.reply(), &expected);
    let request = heard.server.requests().remove(0);
    assert_eq!(request.path, "/v1/chat/completions");
    assert_eq!(request.header("authorization"), None);
    let sent = sent(&heard.server).remove(0);
    let asked = [
        &sent["model"],
        &sent["stream"],
        &sent["messages"][0]["content"],
    ];
    assert_eq!(json!(asked), json!(["tiny", true, "Who?"]));
}

#[test]
fn a_reply_is_read_however_it_comes() {
    let parts = json!([{"type": "text", "text": "Bo"}, {"type": "text", "text": "b."}]);
    let parts = json!({"choices": [{"message": {"content": parts}, "finish_reason": "length"}]});
    // lines end with \n, \r\n or \r
    let lines = b"\xef\xbb\xbfdata: {\"choices\":[{\"delta\":{\"content\":\"Bo\"}}]}\r\n\
        \r\n: alive\nevent: x\rdata:{\"choices\":[{\"delta\":{\"content\":\"b\"}}]}\n\nid\n\
        data: [DONE]";
    let unnamed = "data: {\"choices\":[{\"delta\":{\"content\":\"Bob\"}}]}\n\ndata: [DONE]\n\n";
    let reasoning = data(r#"{"choices":[{"delta":{"reasoning_content":"let me see"}}]}"#);
    let pieces = ["<thi", "nk>Anna or Bob?</th", "ink>\n\nBob", "."].map(words);
    let thoughts = [reasoning].into_iter().chain(pieces);
    let Step::Chunk(dribble) = words("grüße aus 日本") else {
        panic!("an event is a chunk");
    };
    let dribble = dribble.into_iter().map(|byte| Step::Chunk(vec![byte]));
    let no_reasons = [piece("Anna", Some("")), piece(" and", Some("null"))];
    let no_reasons = no_reasons.into_iter().chain([finish("length"), done()]);
    let end = || [done(), Step::End];
    let lines = stream([Step::Chunk(lines.to_vec()), Step::End]);
    let thoughts = stream(thoughts.chain([finish("stop")]).chain(end()));
    let dribble = stream(dribble.chain(end()));
    let cut = stream([words("Bob"), finish("length"), Step::End]);
    // what follows the last words is not waited for long
    let held = stream([words("Bob"), finish("stop"), Step::Hold]);
    for (act, pieces, ended) in [
        (say("<think>Anna?</think>\nBob."), "Bob.", Ended::Done),
        (say("hm, Anna?</think>Bob."), "Bob.", Ended::Done),
        (raw(&parts.to_string()), "Bob.", Ended::TokensMax),
        // a stream without the content type of a stream
        (raw(unnamed), "Bob", Ended::Done),
        (lines, "Bo|b", Ended::Done),
        // the connection drops after the last words
        (stream([words("Bob"), finish("stop")]), "Bob", Ended::Done),
        (cut, "Bob", Ended::TokensMax),
        (stream([words("Bob"), done()]), "Bob", Ended::Done),
        (dribble, "grüße aus 日本", Ended::Done),
        (thoughts, "Bob|.", Ended::Done),
        // a reason that says nothing is no end
        (stream(no_reasons), "Anna| and", Ended::TokensMax),
        (held, "Bob", Ended::Done),
    ] {
        let heard = asked(std::slice::from_ref(&act));
        assert_eq!(heard.pieces.join("|"), pieces, "{act:?}");
        assert_eq!(heard.reply().ended, ended, "{act:?}");
        assert!(
            heard.took < Duration::from_secs(15),
            "{act:?} took {:?}",
            heard.took
        );
    }
}

#[test]
fn json_comes_as_one_piece_in_the_order_of_the_shape_with_small_faults_mended() {
    let broken = "{\"name\": \"B\\nob\", \"age\": 3}";
    let fenced = "<think>{</think>\n```json\n{\"name\": \"Bob\", \"age\": 3, \"why\": 1}\n```\n";
    let halves = ["{\"age\": 3,", " \"name\": \"Bob\"}\n"];
    let thought = ["{\"age\"? hm", ".</think>\n{\"name\": \"Bob\", \"age\": 3}"];
    for (act, piece) in [
        (streamed(&halves, "stop"), BOB),
        (streamed(&thought, "stop"), BOB),
        (say(fenced), BOB),
        (say(broken), r#"{"name":"B ob","age":3}"#),
    ] {
        let heard = asked_with(std::slice::from_ref(&act), &shaped(), |_| {});
        assert_eq!(heard.reply().ended, Ended::Done);
        assert_eq!(heard.pieces, [piece], "{act:?}");
    }
}

#[test]
fn one_connection_serves_reply_after_reply_until_one_is_stopped() {
    let act = streamed(&["Bob", "."], "stop");
    let server = start(&[act.clone(), say("Bob."), act]);
    let mut generator = unchecked(options(&server));
    let mut ask = |flow: Flow| generator.ask(&request(), &mut |_| flow).expect("a reply");
    for _ in 0..3 {
        assert_eq!(ask(Flow::On).text, "Bob.");
    }
    assert_eq!(server.connections(), 1);
    assert_eq!(ask(Flow::Stop).ended, Ended::Stopped);
    assert_eq!(ask(Flow::On).text, "Bob.");
    assert_eq!(server.connections(), 2);
}

#[test]
fn a_listener_that_stops_ends_the_reply_and_closes_the_connection() {
    let more = r#"{"choices":[{"delta":{"content":"more "}}]}"#;
    let Step::Chunk(more) = data(more) else {
        panic!("an event is a chunk");
    };
    let endless = |bytes: &[u8]| stream([Step::Endless(bytes.to_vec())]);
    for (act, request, calls_max, text) in [
        (endless(&more), request(), 6, "more more more "),
        (endless(b": alive\n\n"), request(), 50, ""),
        (endless(b"x"), request(), 2, ""),
        (Act::Silence, request(), 20, ""),
        (stream([words("An"), Step::Hold]), request(), 20, "An"),
        // no half value
        (stream([words("{\"name\""), Step::Hold]), shaped(), 20, ""),
    ] {
        let server = start(std::slice::from_ref(&act));
        let (mut calls, mut given) = (0, String::new());
        let mut on_piece = |piece: &str| {
            calls += 1;
            given.push_str(piece);
            match calls >= calls_max || given.len() > 12 {
                true => Flow::Stop,
                false => Flow::On,
            }
        };
        let reply = unchecked(options(&server)).ask(&request, &mut on_piece);
        let reply = reply.expect("a reply");
        assert_eq!(
            (reply.text.as_str(), reply.ended),
            (text, Ended::Stopped),
            "{act:?}"
        );
        assert_eq!(given, text, "{act:?}");
        assert!(server.is_left(), "{act:?}");
    }
}

#[test]
fn a_listener_is_heard_in_the_pause_between_attempts() {
    let server = start(&[status(503, "")]);
    let mut generator = unchecked(EndpointOptions {
        pause: Duration::MAX,
        ..options(&server)
    });
    let reply = generator.ask(&request(), &mut |_| match server.requests().is_empty() {
        true => Flow::On,
        false => Flow::Stop,
    });
    assert_eq!(reply.expect("nothing said").ended, Ended::Stopped);
}

#[test]
fn a_generator_keeps_the_contract() {
    let server = start(&[
        raw(r#"{"data":[{"id":"tiny","max_model_len":32}]}"#),
        streamed(&["Bob"], "length"),
        status(400, "maximum context length is 32, you requested 60"),
        status(400, "too long"),
        status(401, "no"),
    ]);
    let mut generator = EndpointGenerator::open(options(&server)).expect("it is there");
    assert_eq!((generator.name(), generator.context_tokens()), ("tiny", 32));
    assert_eq!(server.requests()[0].path, "/v1/models");
    let mut generate = |request: &Request| generator.generate(request, &mut |_| Flow::On);
    let reply = generate(&request()).expect("a reply");
    assert_eq!(
        (reply.text.as_str(), reply.ended),
        ("Bob", Ended::TokensMax)
    );
    let mut refused = |request: &Request| generate(request).expect_err("refused");
    let error = refused(&request());
    let GenerateError::ContextOverflow { found, limit, .. } = error else {
        panic!("{error}");
    };
    assert_eq!((found, limit), (60, 32));
    let error = refused(&request());
    assert!(matches!(error, GenerateError::Request { .. }), "{error:?}");
    let error = refused(&request());
    assert!(matches!(error, GenerateError::Failed { .. }), "{error:?}");
    // nothing is sent
    for impossible in [
        Request::new(Vec::new(), 50),
        Request::new(request().messages, 0),
    ] {
        let error = refused(&impossible);
        assert!(matches!(error, GenerateError::Request { .. }), "{error:?}");
    }
    assert_eq!(server.requests().len(), 5);
}

#[test]
fn a_server_with_the_model_or_without_a_list_is_fine() {
    let list = |models: &str| raw(&format!(r#"{{"data":[{models}]}}"#));
    let llama = r#"{"id":"tiny","meta":{"n_ctx_train":131072,"n_ctx":2048}}"#;
    let trained = r#"{"id":"tiny","meta":{"n_ctx_train":512}}"#;
    // Ollama's notation for a model without a tag
    let ollama = r#"{"no":"id"},{"id":"a\u0000b"},{"id":"tiny:latest"}"#;
    for (act, context_tokens) in [
        (list(r#"{"id":"a"},{"id":"tiny","max_model_len":77}"#), 77),
        (list(llama), 2048),
        (list(trained), 512),
        (list(ollama), 4096),
        (status(404, r#"{"detail":"Not Found"}"#), 4096),
    ] {
        let server = start(std::slice::from_ref(&act));
        let generator = EndpointGenerator::open(options(&server)).expect("no fault");
        assert_eq!(generator.context_tokens(), context_tokens, "{act:?}");
    }
}
