//! Invalid generator folders and unsupported settings are refused with a clear message.
#![cfg(feature = "writers")]

use std::fs;

use crate::golden::{copy, golden, read_json};
use crate::told::assert_has;
use serde_json::{Value, json};
use tempfile::TempDir;
use weir_models::{
    Flow, Generate, Generator, GeneratorOptions, JsonShape, Message, Request, Role, Shape,
};

fn refusal(place: &TempDir) -> String {
    Generator::load(place.path(), GeneratorOptions::default())
        .unwrap_err()
        .to_string()
}

fn with_setting(field: &str, value: &Value) -> TempDir {
    let place = copy("tiny-decoders/llama");
    let file = place.path().join("config.json");
    let mut settings: Value = read_json(&file);
    settings[field] = value.clone();
    fs::write(file, settings.to_string()).unwrap();
    place
}

#[test]
fn sizes_that_cannot_be_are_refused_by_name() {
    for field in [
        "hidden_size",
        "num_hidden_layers",
        "num_attention_heads",
        "num_key_value_heads",
        "head_dim",
        "intermediate_size",
        "vocab_size",
        "max_position_embeddings",
    ] {
        for value in [json!(0), json!(1_u64 << 40), json!(1_u64 << 63)] {
            let message = refusal(&with_setting(field, &value));
            let found = format!("config.json: {field} is {value}, and only 1 to ");
            assert!(message.contains(&found), "{message}");
        }
    }
    let message = refusal(&with_setting("num_key_value_heads", &json!(5)));
    assert_has(&message, &["a multiple of num_key_value_heads"]);
    let message = refusal(&with_setting("head_dim", &json!(7)));
    assert_has(&message, &["head_dim is 7, and only an even number"]);
}

#[test]
fn a_tokenizer_that_is_no_object_is_refused() {
    for text in ["[]", "5", "\"x\"", "null", "{}"] {
        let place = copy("tiny-decoders/llama");
        fs::write(place.path().join("tokenizer.json"), text).unwrap();
        let message = refusal(&place);
        assert_has(&message, &["tokenizer.json is not a usable tokenizer"]);
    }
}

#[test]
fn an_end_beyond_the_vocabulary_ends_nothing() {
    let place = copy("tiny-decoders/llama");
    let settings = json!({"eos_token_id": [2, 4_000_000]});
    fs::write(
        place.path().join("generation_config.json"),
        settings.to_string(),
    )
    .unwrap();
    let mut model = Generator::load(place.path(), GeneratorOptions::default()).unwrap();
    let asked = Request {
        shape: Shape::Json(JsonShape::Integer),
        ..Request::new(vec![Message::new(Role::User, "the boat")], 20)
    };
    let reply = model.generate(&asked, &mut |_| Flow::On).unwrap();
    assert!(reply.text.parse::<i64>().is_ok(), "{}", reply.text);
}

/// The small Llama with another chat template.
fn with_template(source: &str) -> TempDir {
    let place = copy("tiny-decoders/llama");
    fs::write(place.path().join("chat_template.jinja"), source).unwrap();
    place
}

#[test]
fn a_model_that_can_think_answers_at_once_unless_told_otherwise() {
    let templates = read_json(&golden("chat-templates.json"));
    let source = templates["templates"]["qwen3"]["source"].as_str().unwrap();
    let place = with_template(source);
    let messages = [Message::new(Role::User, "Who?")];
    let prompt = |has_thoughts| {
        let options = GeneratorOptions {
            has_thoughts,
            ..GeneratorOptions::default()
        };
        let model = Generator::load(place.path(), options).unwrap();
        model.prompt(&messages).unwrap()
    };
    assert!(prompt(false).ends_with("<think>\n\n</think>\n\n"));
    assert!(!prompt(true).contains("<think>"));
    assert_eq!(
        Generator::load(place.path(), GeneratorOptions::default())
            .unwrap()
            .prompt(&messages)
            .unwrap(),
        prompt(false)
    );
}

#[test]
fn a_thought_that_the_template_opens_is_no_part_of_the_reply() {
    let asked = Request::new(vec![Message::new(Role::User, "Who?")], 20);
    let said = |source: &str| {
        let place = with_template(source);
        let mut model = Generator::load(place.path(), GeneratorOptions::default()).unwrap();
        let mut pieces = String::new();
        let reply = model
            .generate(&asked, &mut |piece| {
                pieces.push_str(piece);
                Flow::On
            })
            .unwrap();
        assert_eq!(pieces, reply.text);
        (reply.text, reply.reply_tokens)
    };
    let plain = said("{{ messages[0].content }}: ");
    assert!(!plain.0.is_empty() && plain.1 > 0, "{plain:?}");
    let opened = said("{{ messages[0].content }}: <think>\n");
    assert!(opened.0.is_empty() && opened.1 > 0, "{opened:?}");
}
