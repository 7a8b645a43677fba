//! Replies that must be JSON of a shape.

use super::*;
use crate::{JsonShape, Shape};

fn shaped() -> Request {
    let shape = JsonShape::Object(vec![
        ("name".to_owned(), JsonShape::String { chars_max: 10 }),
        ("age".to_owned(), JsonShape::Integer),
    ]);
    Request {
        shape: Shape::Json(shape),
        ..request()
    }
}

fn heard(script: &[Act]) -> Heard {
    asked_with(script, &shaped(), |_| {})
}

const GOOD: Act = Act::Stream(&[
    Step::Words("{\"age\": 3,"),
    Step::Words(" \"name\": \"Bob\"}\n"),
    Step::Finish("stop"),
    Step::Done,
]);

#[test]
fn json_comes_as_one_piece_in_the_order_of_the_shape() {
    let heard = heard(&[GOOD]);
    assert_eq!(heard.pieces, [r#"{"name":"Bob","age":3}"#]);
    assert_eq!(heard.reply().ended, Ended::Done);
    let format = &heard.requests[0]["response_format"];
    assert_eq!(format["type"], "json_schema");
    assert_eq!(format["json_schema"]["schema"]["required"][1], "age");
    assert_eq!(format["json_schema"]["strict"], true);
}

#[test]
fn fences_and_thoughts_around_json_are_left_out() {
    let heard = heard(&[Act::Say(
        "<think>{</think>\n```json\n{\"name\": \"B\\nob\", \"age\": 3}\n```\n",
    )]);
    assert_eq!(heard.text(), r#"{"name":"B ob","age":3}"#);
}

#[test]
fn a_reply_of_another_shape_is_told() {
    for (said, told) in [
        ("{\"name\": \"Bob\"}", "$ has no field `age`"),
        ("{\"name\": \"Bob\", \"age\": \"3\"}", "$.age is a text"),
        ("I am Bob.", "no JSON"),
        ("{\"name\": \"Bob\", \"age\": 3} So it is.", "no JSON"),
    ] {
        let heard = heard(&[Act::Say(said)]);
        assert!(
            matches!(heard.error(), EndpointError::Misfit { .. }),
            "{:?}",
            heard.error()
        );
        assert!(heard.message().contains(told), "{}", heard.message());
        assert_eq!((heard.pieces.len(), heard.requests.len()), (0, 1));
    }
}

#[test]
fn one_bad_item_does_not_cost_the_reply() {
    let numbers = ["1", "2", "3"].map(str::to_owned).to_vec();
    let keep = JsonShape::Array {
        item: Box::new(JsonShape::OneOf(numbers)),
        items_max: 2,
    };
    let request = Request {
        shape: Shape::Json(JsonShape::Object(vec![("keep".to_owned(), keep)])),
        ..request()
    };
    for (said, expected) in [
        (r#"{"keep": ["9", "3", "1", "2"]}"#, r#"{"keep":["3","1"]}"#),
        (r#"{"keep": [2, null], "why": 1}"#, r#"{"keep":["2"]}"#),
        (r#"{"keep": []}"#, r#"{"keep":[]}"#),
    ] {
        let heard = asked_with(&[Act::Say(said)], &request, |_| {});
        assert_eq!(heard.text(), expected);
    }
    let heard = asked_with(&[Act::Say(r#"{"keep": ["9", "8"]}"#)], &request, |_| {});
    assert!(
        heard.message().contains("$.keep[0] is `9`"),
        "{}",
        heard.message()
    );
}

#[test]
fn half_a_value_is_unfinished() {
    let heard = heard(&[Act::Stream(&[
        Step::Words("{\"name\": "),
        Step::Words("\"Bo"),
        Step::Finish("length"),
        Step::Done,
    ])]);
    assert!(
        matches!(heard.error(), EndpointError::Unfinished { tokens: 2, .. }),
        "{:?}",
        heard.error()
    );
    assert_eq!(heard.pieces.len(), 0);
}

#[test]
fn a_server_that_does_not_take_a_schema_is_asked_otherwise_and_remembered() {
    // the message of llama.cpp's Python server
    let no_schema = Act::Status(
        500,
        r#"{"error":{"message":"1 validation error: {'type': 'literal_error', 'loc': ('body',
        'response_format', 'type'), 'msg': \"Input should be 'text' or 'json_object'\"}"}}"#,
    );
    let server = Server::start(&[no_schema, GOOD]);
    let endpoint = endpoint(options(&server));
    for _ in 0..2 {
        let reply = endpoint.ask(&shaped(), &mut |_| Flow::On).expect("a reply");
        assert_eq!(reply.text, r#"{"name":"Bob","age":3}"#);
    }
    let requests = server.requests();
    let kinds: Vec<&Value> = requests
        .iter()
        .map(|r| &r["response_format"]["type"])
        .collect();
    assert_eq!(kinds, ["json_schema", "json_object", "json_object"]);
    assert_eq!(requests[1]["response_format"]["schema"]["type"], "object");
}

#[test]
fn a_server_that_takes_no_format_at_all_is_asked_without() {
    let no = Act::Status(400, "unknown field: response_format");
    let heard = heard(&[no, no, no, GOOD]);
    assert_eq!(heard.text(), r#"{"name":"Bob","age":3}"#);
    assert!(heard.requests[3].get("response_format").is_none());
    assert!(heard.requests[3].get("stream_options").is_some());
}

#[test]
fn a_stream_that_breaks_inside_json_is_asked_again() {
    let heard = heard(&[Act::Stream(&[Step::Words("{\"name\": ")]), GOOD]);
    assert_eq!(
        (heard.text(), heard.requests.len()),
        (r#"{"name":"Bob","age":3}"#, 2)
    );
}

#[test]
fn a_listener_that_stops_inside_json_gets_no_half_value() {
    let server = Server::start(&[Act::Stream(&[Step::Words("{\"name\""), Step::Hold])]);
    let endpoint = endpoint(options(&server));
    let reply = endpoint
        .ask(&shaped(), &mut |_| Flow::Stop)
        .expect("a reply");
    assert_eq!((reply.text.as_str(), reply.ended), ("", Ended::Stopped));
}

#[test]
fn a_thought_that_the_template_opened_is_left_out_of_streamed_json_too() {
    let heard = heard(&[Act::Stream(&[
        Step::Words("{\"age\"? hm"),
        Step::Words(".</think>\n{\"name\": \"Bob\", \"age\": 3}"),
        Step::Finish("stop"),
        Step::Done,
    ])]);
    assert_eq!(heard.text(), r#"{"name":"Bob","age":3}"#);
}

#[test]
fn a_key_that_json_repeats_is_in_no_message() {
    const KEY: &str = "s3cret-5309-of-more-than-forty-characters-in-all";
    for said in [
        r#"{"s3cret-5309-of-more-than-forty-characters-in-all": 1}"#,
        r#"{"name": "a key, s3cret-5309-of-more-than-forty-characters-in-all", "age": 3}"#,
    ] {
        let server = Server::start(&[Act::Say(said)]);
        let shape = JsonShape::Object(vec![
            ("name".to_owned(), JsonShape::OneOf(vec!["Bob".to_owned()])),
            ("age".to_owned(), JsonShape::Integer),
        ]);
        let request = Request {
            shape: Shape::Json(shape),
            ..request()
        };
        let endpoint = endpoint(options(&server)).with_key(KEY);
        let error = endpoint.ask(&request, &mut |_| Flow::On);
        let error = error.expect_err("another shape");
        assert!(matches!(error, EndpointError::Misfit { .. }), "{error:?}");
        let told = format!("{error} {error:?}");
        assert!(!told.contains("s3cret") && told.contains("[key]"), "{told}");
    }
}
