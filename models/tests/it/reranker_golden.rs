//! Scores equal those of sentence-transformers' `CrossEncoder` (recorded by
//! `scripts/golden/make_tiny_encoders.py`), and a folder without a reranker is refused with a clear
//! message.
#![cfg(feature = "candle")]

use std::collections::BTreeMap;
use std::fs;

use crate::golden::{assert_same, device, golden, read_json};
use crate::told::assert_has;
use tempfile::TempDir;
use weir_models::{CrossEncoder, DeviceChoice, Rerank};

/// The texts and scores of each recorded query.
fn recorded(name: &str) -> BTreeMap<String, Vec<(String, f32)>> {
    let file = golden(name).join("golden.json");
    let whole = read_json(&file);
    let mut queries: BTreeMap<String, Vec<(String, f32)>> = BTreeMap::new();
    for item in whole["items"].as_array().unwrap() {
        let field = |field: &str| item[field].as_str().unwrap().to_owned();
        let score = item["score"].as_f64().unwrap() as f32;
        queries
            .entry(field("query"))
            .or_default()
            .push((field("text"), score));
    }
    queries
}

#[test]
fn scores_are_those_of_the_reference_in_a_batch_as_alone() {
    for name in ["tiny-cross", "tiny-cross-roberta"] {
        let reranker = CrossEncoder::load_on(golden(name), device()).unwrap();
        assert_eq!(reranker.tokens_max(), 24);
        let mut all = Vec::new();
        for (query, items) in recorded(name) {
            let texts: Vec<&str> = items.iter().map(|(text, _)| text.as_str()).collect();
            assert!(texts.len() > 20);
            let batch = reranker.scores(&query, &texts).unwrap();
            for ((text, expected), score) in items.iter().zip(&batch) {
                let apart = (score - expected).abs();
                assert!(
                    apart < 1e-4,
                    "{name}: {query:?} {text:?} is off by {apart:e}"
                );
                let alone = reranker.scores(&query, &[text]).unwrap();
                assert_same(&alone, &[*score], text);
                all.push(*score);
            }
        }
        let (least, most) = (f32::min, f32::max);
        let spread =
            all.iter().copied().fold(f32::MIN, most) - all.iter().copied().fold(f32::MAX, least);
        assert!(spread > 0.1, "{name} scores all pairs alike: {spread}");
        assert!(reranker.resident_bytes() > 0);
        assert!(reranker.mapped_bytes() > 0 || device() != DeviceChoice::Cpu);
    }
}

#[test]
fn no_texts_have_no_scores_and_long_ones_are_cut() {
    let reranker = CrossEncoder::load_on(golden("tiny-cross"), device()).unwrap();
    assert_eq!(reranker.scores("boat", &[]).unwrap(), Vec::<f32>::new());
    let (long, start) = ("the boat ".repeat(120_000), "the boat ".repeat(40));
    let scores = reranker.scores("the cat", &[&long, &start]).unwrap();
    assert_eq!(scores[0], scores[1]);
}

/// Loads a copy of the small reranker with `old` in its settings replaced by `new`.
fn refusal(old: &str, new: &str) -> String {
    let place = TempDir::new().unwrap();
    for file in [
        "config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json",
    ] {
        fs::copy(golden("tiny-cross").join(file), place.path().join(file)).unwrap();
    }
    let file = place.path().join("config.json");
    let text = fs::read_to_string(&file).unwrap();
    assert!(text.contains(old), "{old:?} is not there");
    fs::write(&file, text.replacen(old, new, 1)).unwrap();
    CrossEncoder::load(place.path()).unwrap_err().to_string()
}

#[test]
fn what_is_no_reranker_is_refused_by_name() {
    let message = refusal(r#""0": "LABEL_0""#, r#""0": "no", "1": "yes""#);
    assert_has(&message, &["id2label is 2", "config.json"]);
    let message = refusal(r#""type_vocab_size": 2"#, r#""type_vocab_size": 1"#);
    assert!(message.contains("type_vocab_size is 1"), "{message}");
    let message = refusal(r#""model_type": "bert""#, r#""model_type": "deberta-v2""#);
    assert!(message.contains("deberta-v2"), "{message}");
    let message = CrossEncoder::load(golden("tiny-bge"))
        .unwrap_err()
        .to_string();
    assert!(message.contains("id2label is 2"), "{message}");
    let message = CrossEncoder::load("/nowhere/at/all")
        .unwrap_err()
        .to_string();
    assert!(message.contains("is not a folder"), "{message}");
}

#[test]
fn an_encoder_with_a_head_in_its_settings_alone_names_the_missing_tensor() {
    let place = TempDir::new().unwrap();
    for file in [
        "config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json",
    ] {
        let from = if file == "config.json" {
            "tiny-cross"
        } else {
            "tiny-bge"
        };
        fs::copy(golden(from).join(file), place.path().join(file)).unwrap();
    }
    let message = CrossEncoder::load(place.path()).unwrap_err().to_string();
    assert_has(&message, &["bert.pooler.dense.weight is missing"]);
}
