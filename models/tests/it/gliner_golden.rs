//! Spans and scores equal those of the gliner package (recorded by
//! `scripts/golden/make_tiny_gliner.py`), and long texts are read completely.
#![cfg(feature = "writers")]

use std::fs;
use std::time::Instant;

use crate::golden::{device, golden, read_json};
use serde_json::Value;
use weir_fixtures::rounds;
use weir_models::{Extract, ExtractError, Extracted, Gliner, relation_label};

const KINDS: [&str; 2] = ["tiny-gliner", "tiny-gliner-plain"];
const SCORE_DIFFERENCE_MAX: f32 = 1e-4;

fn load(kind: &str) -> Gliner {
    Gliner::load_on(golden(kind), device()).unwrap()
}

/// The input and the reference's result, its character positions converted to bytes.
fn recorded(kind: &str) -> Vec<(String, Vec<String>, f32, Vec<Extracted>)> {
    let golden = read_json(&golden(kind).join("golden.json"));
    let item = |item: &Value| {
        let text = item["text"].as_str().unwrap().to_owned();
        let mut bytes: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
        bytes.push(text.len());
        let span = |span: &Value| {
            let at = |field: usize| span[field].as_u64().unwrap() as usize;
            Extracted {
                bytes: bytes[at(0)]..bytes[at(1)],
                label: at(2),
                score: span[3].as_f64().unwrap() as f32,
            }
        };
        let spans = item["spans"].as_array().unwrap().iter().map(span).collect();
        let labels = serde_json::from_value(item["labels"].clone()).unwrap();
        let threshold = item["threshold"].as_f64().unwrap() as f32;
        (text, labels, threshold, spans)
    };
    golden["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(item)
        .collect()
}

fn strs(labels: &[String]) -> Vec<&str> {
    labels.iter().map(String::as_str).collect()
}

#[test]
fn spans_and_scores_equal_the_reference() {
    for kind in KINDS {
        let model = load(kind);
        let (mut worst, mut spans): (f32, usize) = (0.0, 0);
        for (text, labels, threshold, expected) in recorded(kind) {
            let found = model.extract(&text, &strs(&labels), threshold).unwrap();
            let places = |spans: &[Extracted]| -> Vec<_> {
                let place = |span: &Extracted| (span.bytes.clone(), span.label);
                spans.iter().map(place).collect()
            };
            assert_eq!(
                places(&found),
                places(&expected),
                "{kind} {labels:?} {text:?}"
            );
            for (a, b) in found.iter().zip(&expected) {
                worst = worst.max((a.score - b.score).abs());
            }
            spans += found.len();
        }
        println!("{kind}: {spans} spans, largest difference of a score {worst:e}");
        assert!(spans > 500);
        assert!(worst < SCORE_DIFFERENCE_MAX, "{kind} is off by {worst:e}");
    }
}

#[test]
fn a_label_given_twice_is_one() {
    let model = load("tiny-gliner");
    let text = "My brother Tom moved to Rotterdam in 2019.";
    let once = model.extract(text, &["person", "place"], 0.3).unwrap();
    let twice = model
        .extract(text, &["person", "person", "place"], 0.3)
        .unwrap();
    assert!(!once.is_empty());
    let places = |spans: &[Extracted], labels: [usize; 3]| -> Vec<_> {
        let place = |span: &Extracted| (span.bytes.clone(), labels[span.label], span.score);
        spans.iter().map(place).collect()
    };
    assert_eq!(places(&once, [0, 2, 9]), places(&twice, [0, 9, 2]));
}

#[test]
fn nothing_to_read_or_to_look_for_gives_nothing() {
    let model = load("tiny-gliner");
    assert!(model.extract("", &["person"], 0.0).unwrap().is_empty());
    assert!(
        model
            .extract(" \n\u{a0}", &["person"], 0.0)
            .unwrap()
            .is_empty()
    );
    assert!(model.extract("Tom sings.", &[], 0.0).unwrap().is_empty());
    assert!(!model.extract("Tom sings.", &[""], 0.0).unwrap().is_empty());
}

#[test]
fn a_threshold_that_cannot_be_is_refused() {
    let model = load("tiny-gliner");
    for threshold in [-0.1, 1.1, f32::NAN, f32::INFINITY] {
        let error = model
            .extract("Tom sings.", &["person"], threshold)
            .unwrap_err();
        let message = error.to_string();
        assert!(message.contains("gliner-48x2"), "{message}");
        assert!(message.contains(&threshold.to_string()), "{message}");
        assert!(message.contains("0 to 1"), "{message}");
    }
}

#[test]
fn labels_longer_than_the_model_are_counted() {
    let model = load("tiny-gliner");
    for label in ["person ".repeat(100), "a".repeat(1_000_000)] {
        let error = model.extract("Tom sings.", &[&label], 0.5).unwrap_err();
        let ExtractError::Labels {
            model,
            found,
            limit,
        } = &error
        else {
            panic!("{error}");
        };
        assert_eq!((model.as_str(), *limit), ("gliner-48x2", 64));
        assert!(*found > 100);
        assert!(error.to_string().contains("fewer labels"), "{error}");
    }
}

/// Spans must be whole words of the text, in order, without overlap.
fn check(text: &str, spans: &[Extracted]) {
    let mut end = 0;
    for span in spans {
        assert!(span.bytes.start >= end && span.bytes.end > span.bytes.start);
        assert!(text.is_char_boundary(span.bytes.start) && text.is_char_boundary(span.bytes.end));
        assert!((0.0..=1.0).contains(&span.score));
        end = span.bytes.end;
    }
}

#[test]
fn a_long_text_is_read_to_its_end() {
    let model = load("tiny-gliner");
    let sentence = "My brother Tom moved to Rotterdam in 2019 and works as a carpenter. ";
    let text = sentence.repeat(60);
    let spans = model.extract(&text, &["person", "place"], 0.3).unwrap();
    check(&text, &spans);
    let (words, read) = (sentence.split(' ').count() * 60, model.words_max());
    assert!(words > 2 * read, "{words} words are read at once");
    // Every sentence has a span, so no window is missing.
    for at in 0..60 {
        let place = at * sentence.len()..(at + 1) * sentence.len();
        let inside = |span: &&Extracted| place.contains(&span.bytes.start);
        assert!(
            spans.iter().any(|span| inside(&span)),
            "nothing in sentence {at}"
        );
    }
}

#[test]
fn a_megabyte_is_read_in_bounded_time() {
    let model = load("tiny-gliner");
    let bytes = rounds("bytes that GLiNER reads", "WEIR_BYTES", 100_000, 1_000_000);
    let began = Instant::now();
    for text in [
        format!("{} ", "ü".repeat(20)).repeat(bytes / 40),
        "a".repeat(bytes),
    ] {
        let spans = model.extract(&text, &["person"], 0.9).unwrap();
        check(&text, &spans);
    }
    println!("{bytes} bytes twice in {:?}", began.elapsed());
    assert!(began.elapsed().as_secs() < 300);
}

#[test]
fn a_relation_is_asked_by_its_subject() {
    assert_eq!(relation_label("Anna", "works at"), "Anna <> works at");
}

#[test]
fn weights_are_counted() {
    // The tensors of the file, biases of the LSTM added, and its columns padded to panels of two
    // vectors: with AVX-512 those are 32 wide.
    let model = load("tiny-gliner");
    let file = fs::read(golden("tiny-gliner").join("model.safetensors")).unwrap();
    let header = u64::from_le_bytes(*file.first_chunk().unwrap());
    let tensors = file.len() - 8 - header as usize;
    let (found, biases) = (model.resident_bytes(), 2 * 64 * size_of::<f32>());
    assert!(
        found + biases >= tensors && found < tensors + 40_000,
        "{found} of {tensors}"
    );
}
