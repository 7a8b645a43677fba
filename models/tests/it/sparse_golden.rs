//! Word weights equal those of transformers (recorded by `scripts/golden/make_splade.py`), and a
//! folder without a sparse encoder is refused with a clear message.
#![cfg(feature = "candle")]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use crate::golden::{golden, read_json};
use weir_models::{Encode, SentenceEncoder, SparseEncoder, Terms, WithTerms};

/// Largest difference of a weight.
const OFF_MAX: f32 = 1e-4;
/// Smaller weights are left out.
const WEIGHT_MIN: f32 = 0.05;

type Weights = BTreeMap<u16, f32>;

/// The texts of a golden file, and the weights of their words.
fn recorded(file: &Path) -> Vec<(String, Weights)> {
    let whole = read_json(file);
    let items = whole["items"].as_array().unwrap().iter();
    items
        .map(|item| {
            let weights = item["weights"].as_object().unwrap().iter();
            let weights =
                weights.map(|(word, w)| (word.parse().unwrap(), w.as_f64().unwrap() as f32));
            (item["text"].as_str().unwrap().to_owned(), weights.collect())
        })
        .collect()
}

fn assert_equals_recorded(encoder: &SparseEncoder, file: &Path) {
    let items = recorded(file);
    assert!(items.len() > 20);
    let texts: Vec<&str> = items.iter().map(|(text, _)| text.as_str()).collect();
    let batch = encoder.weights(&texts).unwrap();
    let mut words = 0;
    for ((text, expected), found) in items.iter().zip(batch) {
        let alone = encoder.weights(&[text]).unwrap().remove(0);
        assert_eq!(alone, found, "{text:?} alone and in a batch");
        let found: Weights = found.into_iter().collect();
        for word in found.keys().chain(expected.keys()) {
            // a weight near the limit may be on either side of it
            let of = |weights: &Weights| weights.get(word).copied().unwrap_or(WEIGHT_MIN);
            let off = (of(&found) - of(expected)).abs();
            assert!(off < OFF_MAX, "word {word} of {text:?} is off by {off:e}");
        }
        words += expected.len();
    }
    assert!(
        words > 10 * items.len(),
        "{words} words are too few to prove anything"
    );
}

#[test]
fn a_small_masked_language_model_equals_the_reference() {
    for name in ["tiny-splade", "tiny-splade-untied"] {
        let encoder = SparseEncoder::load(golden(name)).unwrap();
        assert_eq!(encoder.identity().name, "splade-bert-48x2");
        assert_equals_recorded(&encoder, &golden(name).join("golden.json"));
    }
}

#[test]
fn the_built_in_encoder_equals_the_reference() {
    let encoder = SparseEncoder::built_in().unwrap();
    assert_equals_recorded(&encoder, &golden("splade-tiny.json"));
    let weights = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/splade-tiny.safetensors");
    let digest = <sha2::Sha256 as sha2::Digest>::digest(fs::read(weights).unwrap());
    let digest: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(encoder.identity().digest, digest);
}

#[test]
fn a_question_is_nearest_to_its_answer_in_other_words() {
    let encoder = SparseEncoder::built_in().unwrap();
    let said = [
        "My brother works as a carpenter in Rotterdam.",
        "The physician asked me to return in three weeks.",
        "She drinks green tea instead of coffee.",
        "",
    ];
    let terms = |texts: &[&str]| -> Vec<Terms> {
        let encoded = encoder.encode_for_search(texts).unwrap();
        encoded.into_iter().map(|one| one.terms).collect()
    };
    let statements = terms(&said);
    for (at, question) in [
        (0, "What job does your sibling have?"),
        (1, "When does the doctor want to see me again?"),
        (2, "Which beverage does she like?"),
    ] {
        let asked = terms(&[question]).remove(0);
        let scores: Vec<f32> = statements.iter().map(|said| asked.dot(said)).collect();
        let most = scores.iter().copied().fold(f32::MIN, f32::max);
        assert!(scores[at] >= most, "{question}: {scores:?}");
    }
    assert!(statements.iter().all(|terms| terms.len() <= Terms::MAX));
}

#[test]
fn vectors_of_one_encoder_stand_beside_the_terms_of_another() {
    let vectors = SentenceEncoder::load(golden("tiny-bert")).unwrap();
    let alone = vectors.encode(&["We leave on Friday."]).unwrap();
    let terms = Arc::new(SparseEncoder::built_in().unwrap());
    let both = WithTerms::new(Arc::new(vectors), Arc::clone(&terms));
    let found = both
        .encode_for_search(&["We leave on Friday."])
        .unwrap()
        .remove(0);
    assert_eq!(found.vector, alone[0]);
    assert_eq!(
        found.terms,
        terms.terms(&["We leave on Friday."]).unwrap()[0]
    );
    assert_eq!(both.identity().name, "bert-48x3");
    assert_eq!(both.terms_identity(), Some(terms.identity()));
}

#[test]
fn a_folder_without_a_head_is_refused() {
    let message = SparseEncoder::load(golden("tiny-bert"))
        .unwrap_err()
        .to_string();
    assert!(message.contains("cls.predictions.bias"), "{message}");
    assert!(message.contains("tiny-bert"), "{message}");
    let message = SparseEncoder::load(golden("tiny-roberta"))
        .unwrap_err()
        .to_string();
    assert!(message.contains("only bert is supported"), "{message}");
    let message = SparseEncoder::load(golden("nowhere"))
        .unwrap_err()
        .to_string();
    assert!(message.contains("is not a folder"), "{message}");
}
