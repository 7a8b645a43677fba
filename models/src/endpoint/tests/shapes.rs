//! Replies that must be JSON of a shape.

use super::*;
use crate::{JsonShape, Shape};

fn object(fields: [(&str, JsonShape); 2]) -> Request {
    let fields = fields.map(|(name, shape)| (name.to_owned(), shape));
    Request {
        shape: Shape::Json(JsonShape::Object(fields.to_vec())),
        ..request()
    }
}

fn shaped() -> Request {
    let name = JsonShape::String { chars_max: 10 };
    object([("name", name), ("age", JsonShape::Integer)])
}

fn heard(script: &[Act]) -> Heard {
    asked_with(script, &shaped(), |_| {})
}

const BOB: &str = r#"{"name":"Bob","age":3}"#;
const GOOD: Act = Act::Stream(&[
    Step::Words("{\"age\": 3,"),
    Step::Words(" \"name\": \"Bob\"}\n"),
    Step::Finish("stop"),
    Step::Done,
]);

#[test]
fn json_comes_as_one_piece_in_the_order_of_the_shape() {
    let heard = heard(&[GOOD]);
    assert_eq!(heard.pieces, [BOB]);
    assert_eq!(heard.reply().ended, Ended::Done);
    let format = &heard.requests[0]["response_format"];
    assert_eq!(format["json_schema"]["schema"]["required"][1], "age");
    assert_eq!(format["json_schema"]["strict"], true);
}

#[test]
fn what_stands_around_json_is_left_out_and_small_faults_are_mended() {
    let streamed = Act::Stream(&[
        Step::Words("{\"age\"? hm"),
        Step::Words(".</think>\n{\"name\": \"Bob\", \"age\": 3}"),
        Step::Finish("stop"),
        Step::Done,
    ]);
    let fenced = "<think>{</think>\n```json\n{\"name\": \"Bob\", \"age\": 3, \"why\": 1}\n```\n";
    for act in [streamed, Act::Say(fenced)] {
        assert_eq!(heard(&[act]).text(), BOB, "{act:?}");
    }
    let broken = heard(&[Act::Say("{\"name\": \"B\\nob\", \"age\": 3}")]);
    assert_eq!(broken.text(), r#"{"name":"B ob","age":3}"#);
}

#[test]
fn a_reply_of_another_shape_is_told() {
    let half = Act::Stream(&[
        Step::Words("{\"name\": "),
        Step::Words("\"Bo"),
        Step::Finish("length"),
        Step::Done,
    ]);
    for (act, kind, words) in [
        (
            Act::Say("{\"name\": \"Bob\"}"),
            Kind::Misfit,
            "$ has no field `age`",
        ),
        (
            Act::Say("{\"name\": \"Bob\", \"age\": \"3\"}"),
            Kind::Misfit,
            "$.age is a text",
        ),
        (Act::Say("I am Bob."), Kind::Misfit, "no JSON"),
        (
            Act::Say("{\"name\": \"Bob\", \"age\": 3} So it is."),
            Kind::Misfit,
            "no JSON",
        ),
        (half, Kind::Unfinished { tokens: 2 }, "allow more"),
    ] {
        let heard = heard(&[act]);
        heard.assert_error(kind, words);
        assert_eq!((heard.pieces.len(), heard.requests.len()), (0, 1));
    }
}

#[test]
fn a_server_that_does_not_take_a_schema_is_asked_otherwise_and_remembered() {
    // the message of llama.cpp's Python server
    let no_schema = Act::Status(
        500,
        r#"{"error":{"message":"1 validation error: {'type': 'literal_error', 'loc': ('body',
        'response_format', 'type'), 'msg': \"Input should be 'text' or 'json_object'\"}"}}"#,
    );
    let unknown = Act::Status(400, "unknown field: response_format");
    for (script, kinds) in [
        (
            &[no_schema, GOOD][..],
            &["json_schema", "json_object", "json_object"][..],
        ),
        (
            &[unknown, unknown, unknown, GOOD],
            &["json_schema", "json_object", "json_object", ""],
        ),
    ] {
        let server = Server::start(script);
        let endpoint = endpoint(options(&server));
        for _ in 0..2 {
            let reply = endpoint.ask(&shaped(), &mut |_| Flow::On);
            assert_eq!(reply.expect("a reply").text, BOB);
        }
        let requests = server.requests();
        let kind = |sent: &Value| {
            sent["response_format"]["type"]
                .as_str()
                .unwrap_or("")
                .to_owned()
        };
        let sent: Vec<String> = requests.iter().map(kind).collect();
        assert_eq!(sent[..kinds.len()], *kinds);
        assert_eq!(requests[1]["response_format"]["schema"]["type"], "object");
        assert!(
            requests
                .iter()
                .all(|sent| sent.get("stream_options").is_some())
        );
    }
}

#[test]
fn a_stream_that_breaks_inside_json_is_asked_again() {
    let heard = heard(&[Act::Stream(&[Step::Words("{\"name\": ")]), GOOD]);
    assert_eq!((heard.text(), heard.requests.len()), (BOB, 2));
}

#[test]
fn a_listener_that_stops_inside_json_gets_no_half_value() {
    let server = Server::start(&[Act::Stream(&[Step::Words("{\"name\""), Step::Hold])]);
    let reply = endpoint(options(&server)).ask(&shaped(), &mut |_| Flow::Stop);
    let reply = reply.expect("a reply");
    assert_eq!((reply.text.as_str(), reply.ended), ("", Ended::Stopped));
}

#[test]
fn a_key_that_json_repeats_is_in_no_message() {
    const KEY: &str = "s3cret-5309-of-more-than-forty-characters-in-all";
    for said in [
        r#"{"s3cret-5309-of-more-than-forty-characters-in-all": 1}"#,
        r#"{"name": "a key, s3cret-5309-of-more-than-forty-characters-in-all", "age": 3}"#,
    ] {
        let server = Server::start(&[Act::Say(said)]);
        let name = JsonShape::OneOf(vec!["Bob".to_owned()]);
        let request = object([("name", name), ("age", JsonShape::Integer)]);
        let endpoint = endpoint(options(&server)).with_key(KEY);
        let error = endpoint
            .ask(&request, &mut |_| Flow::On)
            .expect_err("another shape");
        assert_eq!(error.kind(), Kind::Misfit, "{error}");
        let told = format!("{error} {error:?}");
        assert!(!told.contains("s3cret") && told.contains("[key]"), "{told}");
    }
}
