//! Chances equal those of transformers' `DebertaV2ForSequenceClassification` (recorded by
//! `scripts/golden/make_tiny_nli.py`), and folders with another network are refused.
#![cfg(feature = "writers")]

use crate::golden::{copy, device, edit, golden, read_json};
use weir_models::{Entail, EntailmentModel};

#[test]
fn chances_are_those_of_the_reference() {
    let model = EntailmentModel::load_on(golden("tiny-nli"), device()).unwrap();
    assert_eq!(model.name(), "nli-deberta-48x2");
    let whole = read_json(&golden("tiny-nli").join("golden.json"));
    let (mut worst, mut entailed) = (0.0_f64, Vec::new());
    for item in whole["items"].as_array().unwrap() {
        let text = |field: &str| item[field].as_str().unwrap();
        let chances = model
            .entailment(text("premise"), text("hypothesis"))
            .unwrap();
        let pairs = [
            ("entailment", chances.entailed),
            ("neutral", chances.neutral),
            ("contradiction", chances.contradicted),
        ];
        for (name, chance) in pairs {
            let expected = item[name].as_f64().unwrap();
            worst = worst.max((f64::from(chance) - expected).abs());
        }
        entailed.push(chances.entailed);
    }
    assert_eq!(entailed.len(), 64);
    println!("largest difference of a chance: {worst:e}");
    assert!(worst < 1e-5, "off by {worst:e}");
    let least = entailed.iter().copied().fold(f32::MAX, f32::min);
    let most = entailed.iter().copied().fold(f32::MIN, f32::max);
    assert!(most - least > 0.3, "all pairs alike: {least} to {most}");
    assert!(model.resident_bytes() > 0);
}

#[test]
fn long_texts_are_cut_and_empty_ones_are_read() {
    let model = EntailmentModel::load_on(golden("tiny-nli"), device()).unwrap();
    let (long, start) = ("the boat ".repeat(120_000), "the boat ".repeat(40));
    let whole = model.entailment(&long, "the cat").unwrap();
    assert_eq!(whole, model.entailment(&start, "the cat").unwrap());
    let sum = |premise: &str, hypothesis: &str| {
        let chances = model.entailment(premise, hypothesis).unwrap();
        chances.entailed + chances.neutral + chances.contradicted
    };
    for (premise, hypothesis) in [("", ""), ("the boat", ""), ("", "the boat")] {
        assert!((sum(premise, hypothesis) - 1.0).abs() < 1e-5);
    }
}

#[test]
fn what_is_no_such_model_is_refused_by_name() {
    for (old, new, told) in [
        (r#""2": "neutral""#, r#""2": "LABEL_2""#, "id2label"),
        (
            r#""pooler_hidden_act": "gelu""#,
            r#""pooler_hidden_act": "tanh""#,
            "pooler_hidden_act",
        ),
        (
            r#""model_type": "deberta-v2""#,
            r#""model_type": "bert""#,
            "model_type",
        ),
        (
            r#""pooler_hidden_size": 48"#,
            r#""pooler_hidden_size": 0"#,
            "pooler_hidden_size",
        ),
        (
            r#""pooler_hidden_size": 48"#,
            r#""pooler_hidden_size": 47"#,
            "pooler.dense.weight",
        ),
    ] {
        let place = copy("tiny-nli");
        edit(&place.path().join("config.json"), old, new);
        let error = EntailmentModel::load(place.path()).unwrap_err().to_string();
        assert!(error.contains(told), "{error}");
    }
    let error = EntailmentModel::load("/nowhere/at/all").unwrap_err();
    assert!(error.to_string().contains("is not a folder"), "{error}");
}
