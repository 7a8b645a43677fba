//! The parts of the generator that need no checkpoint: templates, shapes, streams.
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::path::Path;
use std::sync::Arc;

use proptest::prelude::*;
use serde_json::Value;

use super::constraint::{Choice, Constraint};
use super::reply::likeliest;
use super::shape::{Program, State};
use super::stream::Stream;
use super::template::Template;
use super::trie::TokenIndex;
use crate::think_filter::ThinkFilter;
use crate::{JsonShape, Message, Role};

fn golden(name: &str) -> Value {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/golden");
    serde_json::from_slice(&std::fs::read(folder.join(name)).unwrap()).unwrap()
}

#[test]
fn templates_render_as_the_reference_does() {
    let golden = golden("chat-templates.json");
    let items = golden["items"].as_array().unwrap();
    assert!(items.len() >= 20);
    for item in items {
        let name = item["template"].as_str().unwrap();
        let about = &golden["templates"][name];
        let text = |field: &str| about[field].as_str().unwrap().to_owned();
        let thinking = item["thinking"].as_bool();
        let template = Template::new(text("source"), text("bos"), text("eos"), thinking).unwrap();
        let message = |message: &Value| {
            let role = match message["role"].as_str().unwrap() {
                "system" => Role::System,
                "user" => Role::User,
                _ => Role::Assistant,
            };
            Message::new(role, message["content"].as_str().unwrap())
        };
        let messages: Vec<Message> = item["messages"]
            .as_array()
            .unwrap()
            .iter()
            .map(message)
            .collect();
        let rendered = template.render(&messages, None).unwrap();
        assert_eq!(rendered, item["text"].as_str().unwrap(), "{name}");
    }
}

#[test]
fn a_template_that_refuses_or_runs_on_is_an_error() {
    let template =
        |source: &str| Template::new(source.to_owned(), String::new(), String::new(), None);
    let error = template("{% for %}").unwrap_err();
    assert!(error.contains("chat template"), "{error}");
    let error = template(&" ".repeat((1 << 18) + 1)).unwrap_err();
    assert!(error.contains("262145 bytes"), "{error}");
    template(&" ".repeat(1 << 18)).unwrap();
    let messages = [Message::new(Role::User, "x")];
    let refuses = template("{{ raise_exception('roles must alternate') }}").unwrap();
    let error = refuses.render(&messages, None).unwrap_err();
    assert!(error.contains("roles must alternate"), "{error}");
    let endless = "{% for a in range(9999) %}{% for b in range(9999) %}x{% endfor %}{% endfor %}";
    let error = template(endless)
        .unwrap()
        .render(&messages, None)
        .unwrap_err();
    assert!(error.contains("fuel"), "{error}");
}

/// A vocabulary of all bytes and of pieces that cross JSON syntax.
fn tokens() -> Vec<Vec<u8>> {
    let pieces = [
        "{\"", "\":", "\": ", "\": \"", "\",", "\", \"", "\"}", "\"]", "}]", "[{", "[{\"", "]}",
        "the", " the", "\\\"", "\\", "\\\\", "\"\"", "12", "345", "-1", "0", "00", "true", "false",
        " true", "tr", "ue", "é", "日本", "😀", "\n", "\u{85}", "a\"b", "  ", ", ", "[]", "{}",
    ];
    let bytes = (0..=255_u8).map(|byte| vec![byte]);
    let halves = [
        vec![0xe6, 0x97],
        vec![0x9f, 0x98, 0x80],
        vec![0xf0, 0x9f],
        vec![b'a', 0xc3],
    ];
    let pieces = pieces.iter().map(|piece| piece.as_bytes().to_vec());
    let special = [Vec::new()];
    bytes.chain(pieces).chain(halves).chain(special).collect()
}

fn assert_fits(value: &Value, shape: &JsonShape) {
    match shape {
        JsonShape::Object(fields) => {
            let object = value.as_object().unwrap();
            assert_eq!(object.len(), fields.len(), "{value}");
            for (name, shape) in fields {
                assert_fits(&object[name], shape);
            }
        }
        JsonShape::Array { item, items_max } => {
            let items = value.as_array().unwrap();
            assert!(items.len() <= *items_max, "{value}");
            items.iter().for_each(|value| assert_fits(value, item));
        }
        JsonShape::String { chars_max } => {
            let text = value.as_str().unwrap();
            assert!(text.chars().count() <= *chars_max, "{text:?}");
            assert!(!text.chars().any(char::is_control), "{text:?}");
        }
        JsonShape::OneOf(texts) => assert!(texts.contains(&value.as_str().unwrap().to_owned())),
        JsonShape::Integer => assert!(value.is_i64(), "{value}"),
        JsonShape::Bool => assert!(value.is_boolean(), "{value}"),
    }
}

fn shapes() -> impl Strategy<Value = JsonShape> {
    let text = prop::sample::select(vec!["a", "ab", "a\"b", "größe", "", "\\", "日"]);
    let texts = prop::collection::vec(text.prop_map(str::to_owned), 1..4);
    let leaf = prop_oneof![
        (0_usize..12).prop_map(|chars_max| JsonShape::String { chars_max }),
        texts.prop_map(JsonShape::OneOf),
        Just(JsonShape::Integer),
        Just(JsonShape::Bool),
    ];
    leaf.prop_recursive(3, 12, 4, |inner| {
        let fields = prop::collection::vec(inner.clone(), 0..4);
        prop_oneof![
            (inner, 0_usize..4).prop_map(|(item, items_max)| JsonShape::Array {
                item: Box::new(item),
                items_max,
            }),
            fields.prop_map(|shapes| {
                let names = ["text", "a \"name\"", "é", "n"]
                    .iter()
                    .map(|n| n.to_string());
                JsonShape::Object(names.zip(shapes).collect())
            }),
        ]
    })
}

/// Generates a random value; returns its number of tokens.
fn written(shape: &JsonShape, seed: u64, tokens_max: usize) -> Option<(Vec<u8>, usize)> {
    let tokens = Arc::new(tokens());
    let index = Arc::new(TokenIndex::new(&tokens));
    let end = tokens.len() as u32 - 1;
    let program = Program::new(shape).unwrap();
    let mut constraint = Constraint::new(program, index, tokens.clone());
    let mut chance = proptest::test_runner::TestRng::from_seed(
        proptest::test_runner::RngAlgorithm::ChaCha,
        &[seed.to_le_bytes(); 4].concat(),
    );
    let (mut bytes, mut count) = (Vec::new(), 0);
    loop {
        let logits: Vec<f32> = tokens
            .iter()
            .map(|_| (chance.next_u32() % 10_000) as f32)
            .collect();
        let pick = |mask: &_| likeliest(&logits, Some(mask));
        match constraint.choose(tokens_max - count, &[end], pick) {
            Choice::Token(token) => bytes.extend(&tokens[token as usize]),
            Choice::End => return Some((bytes, count)),
            Choice::NoWay => return None,
        }
        count += 1;
        assert!(count <= tokens_max);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn whatever_the_logits_the_reply_fits_its_shape(
        shape in shapes(),
        seed in any::<u64>(),
        room in 0_usize..60,
    ) {
        let tokens = tokens();
        let program = Program::new(&shape).unwrap();
        let shortest = State::new(&program).closing(&program);
        let needed = TokenIndex::new(&tokens).split(&shortest).unwrap().len();
        let (bytes, count) = written(&shape, seed, needed + room).unwrap();
        prop_assert!(count <= needed + room);
        let text = String::from_utf8(bytes).unwrap();
        let value: Value = serde_json::from_str(&text).unwrap();
        assert_fits(&value, &shape);
        if needed > 1 {
            prop_assert!(written(&shape, seed, needed - 1).is_none());
        }
    }
}

#[test]
fn shapes_that_nothing_has_are_refused() {
    assert!(
        Program::new(&JsonShape::OneOf(Vec::new()))
            .unwrap_err()
            .contains("nothing")
    );
    let mut deep = JsonShape::Bool;
    for _ in 0..40 {
        deep = JsonShape::Array {
            item: Box::new(deep),
            items_max: 1,
        };
    }
    assert!(Program::new(&deep).unwrap_err().contains("deep"));
}

#[test]
fn what_is_no_json_of_the_shape_is_not_taken() {
    let takes = |shape: &JsonShape, text: &[u8]| {
        let program = Program::new(shape).unwrap();
        let mut state = State::new(&program);
        state.take_all(&program, text) && state.may_end(&program)
    };
    let text = JsonShape::String { chars_max: 3 };
    for good in ["\"\"", "\"abc\"", "\"\\\"\\\\x\"", "\"日本語\"", "\"😀\""] {
        assert!(takes(&text, good.as_bytes()), "{good}");
    }
    for bad in [
        &b"\"abcd\""[..],
        b"\"\\n\"",
        b"\"\\u0041\"",
        b"\"\n\"",
        b"\"\x7f\"",
        b"\"\xc2\x85\"",
        b"\"\xc0\x80\"",
        b"\"\xed\xa0\x80\"",
        b"\"\xff\"",
        b"\"\xe6\x97\"",
        b"\"a",
        b" \"a\"",
        b"\"a\" ",
    ] {
        assert!(!takes(&text, bad), "{bad:?}");
    }
    for (number, is_good) in [
        ("0", true),
        ("-7", true),
        ("120", true),
        ("999999999999999999", true),
        ("-0", false),
        ("01", false),
        ("1.5", false),
        ("-", false),
        ("", false),
        ("1e3", false),
        ("9999999999999999999", false),
    ] {
        assert_eq!(
            takes(&JsonShape::Integer, number.as_bytes()),
            is_good,
            "{number}"
        );
    }
}

#[test]
fn the_likeliest_token_is_the_first_of_the_highest() {
    assert_eq!(
        likeliest(&[f32::NAN, 1.0, 3.0, 3.0, f32::NEG_INFINITY], None),
        Some(2)
    );
    assert_eq!(likeliest(&[f32::NAN; 4], None), None);
}

#[test]
fn a_stream_gives_whole_characters_and_no_reasoning() {
    let streamed = |pieces: &[&[u8]]| {
        let mut stream = Stream::new(Some(ThinkFilter::default()));
        let mut out: Vec<String> = pieces.iter().map(|piece| stream.push(piece)).collect();
        let (rest, whole) = stream.finish();
        out.push(rest);
        assert_eq!(out.concat(), whole);
        out
    };
    assert_eq!(
        streamed(&[b"a\xe6", b"\x97", b"\xa5b"]),
        ["a", "", "日b", ""]
    );
    assert_eq!(
        streamed(&[b"x\xff", b"\xe6\x97"]).concat(),
        "x\u{fffd}\u{fffd}"
    );
    let thought: &[&[u8]] = &[
        b"<thi", b"nk>END \xe6", b"\x97\xa5</think>", b"\n\nBob", b".",
    ];
    assert_eq!(streamed(thought), ["", "", "", "Bob", ".", ""]);
    let mut verbatim = Stream::new(None);
    assert_eq!(verbatim.push(b" <think>"), " <think>");
    assert_eq!(verbatim.finish().1, " <think>");
}
