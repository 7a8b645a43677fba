//! Vectors equal those of sentence-transformers (recorded by `scripts/golden/`), and a folder
//! without an encoder is refused with a clear message.
#![cfg(feature = "candle")]

use std::fs;
use std::path::Path;

use crate::golden::{copy, device, edit, golden, read_json};
use crate::told::assert_has;
use serde_json::Value;
use tempfile::TempDir;
use weir_models::{Encode, LoadError, SentenceEncoder};

/// The difference between two releases and machines of the reference itself, with a margin.
const COSINE_DISTANCE_MAX: f64 = 1e-4;

/// The texts of a golden file, and their vectors.
fn recorded(file: &Path) -> (Vec<String>, Vec<Vec<f32>>) {
    let whole = read_json(file);
    let items = whole["items"].as_array().unwrap();
    let text = |item: &Value| item["text"].as_str().unwrap().to_owned();
    let vector = |item: &Value| serde_json::from_value(item["vector"].clone()).unwrap();
    (
        items.iter().map(text).collect(),
        items.iter().map(vector).collect(),
    )
}

fn distance(a: &[f32], b: &[f32]) -> f64 {
    assert_eq!(a.len(), b.len());
    1.0 - a
        .iter()
        .zip(b)
        .map(|(x, y)| f64::from(*x) * f64::from(*y))
        .sum::<f64>()
}

fn assert_equals_recorded(encoder: &SentenceEncoder, file: &Path) {
    let (texts, expected) = recorded(file);
    assert!(texts.len() > 20);
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let batch = encoder.encode(&texts).unwrap();
    let mut worst: f64 = 0.0;
    for ((text, expected), vector) in texts.iter().zip(&expected).zip(&batch) {
        let off = distance(expected, vector);
        assert!(off < COSINE_DISTANCE_MAX, "{text:?} is off by {off:e}");
        worst = worst.max(off);
        let alone = encoder.encode(&[text]).unwrap();
        let apart = alone[0]
            .iter()
            .zip(vector)
            .map(|(a, b)| (a - b).abs())
            .fold(0.0, f32::max);
        assert!(
            apart < 1e-5,
            "{text:?} differs by {apart:e} between batch and alone"
        );
    }
    println!("{}: worst 1 - cos = {worst:e}", file.display());
}

#[test]
fn a_small_bert_equals_the_reference() {
    let folder = golden("tiny-bert");
    let encoder = SentenceEncoder::load_on(&folder, device()).unwrap();
    assert_eq!((encoder.dimension(), encoder.tokens_max()), (48, 24));
    assert_eq!(encoder.identity().name, "bert-48x3");
    assert_equals_recorded(&encoder, &folder.join("golden.json"));
}

#[test]
fn all_minilm_equals_the_reference() {
    let Some(weights) = weir_fixtures::model_file("all-MiniLM-L6-v2", "model.safetensors") else {
        return;
    };
    let folder = weights.parent().unwrap();
    let encoder = SentenceEncoder::load_on(folder, device()).unwrap();
    assert_eq!((encoder.dimension(), encoder.tokens_max()), (384, 256));
    assert_eq!(encoder.identity().name, "all-MiniLM-L6-v2");
    assert_equals_recorded(&encoder, &golden("minilm.json"));
}

#[test]
fn long_text_is_cut_at_the_limit_and_not_before() {
    let encoder = SentenceEncoder::load_on(golden("tiny-bert"), device()).unwrap();
    let words = |count: usize, last: &str| format!("{}{last}", "boat ".repeat(count - 1));
    let limit = encoder.tokens_max() - 2;
    let texts = [
        words(limit, "cat"),
        words(limit, "tea"),
        words(limit + 1, "cat"),
        words(limit + 1, "tea"),
    ];
    let vectors = encoder
        .encode(&texts.each_ref().map(String::as_str))
        .unwrap();
    assert!(
        distance(&vectors[0], &vectors[1]) > 1e-3,
        "the last word inside is not read"
    );
    assert!(
        distance(&vectors[2], &vectors[3]) < 1e-6,
        "a word beyond the limit is read"
    );
}

#[test]
fn an_empty_batch_is_an_empty_answer() {
    let encoder = SentenceEncoder::load_on(golden("tiny-bert"), device()).unwrap();
    assert_eq!(encoder.encode(&[]).unwrap(), Vec::<Vec<f32>>::new());
}

fn refusal(place: &TempDir) -> (LoadError, String) {
    let error = SentenceEncoder::load(place.path()).unwrap_err();
    let message = error.to_string();
    (error, message)
}

#[test]
fn the_copy_that_the_next_tests_damage_is_whole() {
    let place = copy("tiny-bert");
    let encoder = SentenceEncoder::load(place.path()).unwrap();
    let other = SentenceEncoder::load_on(golden("tiny-bert"), device()).unwrap();
    assert_eq!(encoder.identity(), other.identity());
}

#[test]
fn a_missing_file_is_named() {
    for file in ["config.json", "tokenizer.json", "model.safetensors"] {
        let place = copy("tiny-bert");
        fs::remove_file(place.path().join(file)).unwrap();
        let (error, message) = refusal(&place);
        assert!(matches!(error, LoadError::Missing { .. }), "{message}");
        assert_has(&message, &[file, "is missing"]);
    }
    let error = SentenceEncoder::load("/nowhere/at/all").unwrap_err();
    assert!(matches!(error, LoadError::NotAFolder { .. }), "{error}");
}

#[test]
fn another_architecture_is_refused_by_name() {
    let cases = [
        (
            "config.json",
            r#""model_type": "bert""#,
            r#""model_type": "gpt2""#,
            "gpt2",
        ),
        (
            "config.json",
            r#""hidden_act": "gelu""#,
            r#""hidden_act": "silu""#,
            "silu",
        ),
        (
            "config.json",
            r#""num_attention_heads": 4"#,
            r#""num_attention_heads": 5"#,
            "48",
        ),
        (
            "1_Pooling/config.json", r#""mean""#, r#""median""#, "median",
        ),
        (
            "1_Pooling/config.json",
            r#""include_prompt": true"#,
            r#""include_prompt": false"#,
            "include_prompt",
        ),
        ("modules.json", ".Normalize", ".LSTM", "LSTM"),
        (
            "tokenizer_config.json",
            r#""model_max_length": 24"#,
            r#""model_max_length": 2"#,
            "2",
        ),
    ];
    for (file, old, new, named) in cases {
        let place = copy("tiny-bert");
        edit(&place.path().join(file), old, new);
        let (error, message) = refusal(&place);
        assert!(matches!(error, LoadError::Setting { .. }), "{message}");
        assert_has(&message, &[named, file]);
    }
}

#[test]
fn cut_weights_say_how_much_is_there() {
    for bytes in [0, 7, 100, 5_000, 299_455] {
        let place = copy("tiny-bert");
        let file = place.path().join("model.safetensors");
        let whole = fs::read(&file).unwrap();
        fs::write(&file, &whole[..bytes]).unwrap();
        let (error, message) = refusal(&place);
        assert!(
            matches!(error, LoadError::Truncated { .. }),
            "{bytes}: {message}"
        );
        assert!(message.contains(&format!("{bytes} bytes of ")), "{message}");
    }
}

#[test]
fn weights_of_another_kind_are_refused() {
    for content in [
        &b"<html><body>please log in</body></html>"[..],
        &[0xff; 4096][..],
    ] {
        let place = copy("tiny-bert");
        fs::write(place.path().join("model.safetensors"), content).unwrap();
        let (error, message) = refusal(&place);
        assert!(
            matches!(error, LoadError::NotSafetensors { .. }),
            "{message}"
        );
    }
}

#[test]
fn settings_that_do_not_fit_the_weights_name_the_tensor() {
    let place = copy("tiny-bert");
    edit(
        &place.path().join("config.json"),
        r#""num_hidden_layers": 3"#,
        r#""num_hidden_layers": 4"#,
    );
    let (error, message) = refusal(&place);
    assert!(matches!(error, LoadError::Tensor { .. }), "{message}");
    assert_has(&message, &["encoder.layer.3", "missing"]);

    let place = copy("tiny-bert");
    edit(
        &place.path().join("config.json"),
        r#""intermediate_size": 112"#,
        r#""intermediate_size": 96"#,
    );
    let (_, message) = refusal(&place);
    assert_has(&message, &["[112, 48]", "[96, 48]"]);
}

#[test]
fn a_tokenizer_of_another_model_is_refused() {
    let place = copy("tiny-bert");
    edit(
        &place.path().join("config.json"),
        r#""vocab_size": 131"#,
        r#""vocab_size": 130"#,
    );
    let (error, message) = refusal(&place);
    assert!(
        matches!(
            error,
            LoadError::TokenizerMisfit {
                found: 131,
                expected: 130,
                ..
            }
        ),
        "{message}"
    );

    let place = copy("tiny-bert");
    fs::write(
        place.path().join("tokenizer.json"),
        "{\"version\": \"1.0\"}",
    )
    .unwrap();
    let (error, message) = refusal(&place);
    assert!(matches!(error, LoadError::Tokenizer { .. }), "{message}");

    let place = copy("tiny-bert");
    fs::write(place.path().join("config.json"), "{").unwrap();
    let (error, message) = refusal(&place);
    assert!(matches!(error, LoadError::Json { .. }), "{message}");
}
