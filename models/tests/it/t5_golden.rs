//! Summaries equal those of transformers (recorded by `scripts/golden/make_tiny_t5.py`).
#![cfg(feature = "writers")]

use crate::golden::{device, golden, ids, read_json};
use serde_json::Value;
use weir_models::{Summarise, T5Summariser};

const KINDS: [&str; 2] = ["tiny-t5", "tiny-t5-gated"];
const LOGIT_DIFFERENCE_MAX: f32 = 1e-4;
const TOKENS_NEW: usize = 24;

fn recorded(kind: &str) -> Value {
    read_json(&golden(kind).join("golden.json"))
}

/// The largest difference of any logit between a model and the recorded values.
fn logit_difference(model: &mut T5Summariser, golden: &Value) -> f32 {
    let mut worst: f32 = 0.0;
    let wanted = golden["logits"].as_array().unwrap();
    assert_eq!(wanted.len(), 3);
    for item in wanted {
        let rows = model
            .logits(&ids(&item["input"]), &ids(&item["decoder"]))
            .unwrap();
        let places = ids(&item["places"]);
        assert!(places.contains(&39));
        for (place, row) in places.iter().zip(item["logits"].as_array().unwrap()) {
            let expected: Vec<f32> = serde_json::from_value(row.clone()).unwrap();
            let found = &rows[*place as usize];
            assert_eq!(expected.len(), found.len());
            for (a, b) in expected.iter().zip(found) {
                assert!(b.is_finite());
                worst = worst.max((a - b).abs());
            }
        }
    }
    worst
}

#[test]
fn logits_equal_the_reference() {
    for kind in KINDS {
        let mut model = T5Summariser::load_on(golden(kind), device()).unwrap();
        let worst = logit_difference(&mut model, &recorded(kind));
        println!("{kind}: largest difference of a logit {worst:e}");
        assert!(worst < LOGIT_DIFFERENCE_MAX, "{kind} is off by {worst:e}");
    }
}

#[test]
fn prompts_are_cut_into_the_same_tokens() {
    for (kind, limit) in KINDS.into_iter().zip([512, 40]) {
        let model = T5Summariser::load_on(golden(kind), device()).unwrap();
        assert_eq!(model.tokens_max(), limit);
        let mut longest = 0;
        for item in recorded(kind)["items"].as_array().unwrap() {
            let prompt = item["prompt"].as_str().unwrap();
            let tokens = model.tokens(prompt).unwrap();
            assert_eq!(tokens, ids(&item["input"]), "{prompt:?}");
            assert_eq!(tokens.last(), Some(&1), "the end is cut off");
            longest = longest.max(tokens.len());
        }
        assert_eq!(longest, limit, "no prompt is long enough to be cut");
    }
}

#[test]
fn the_likeliest_words_are_the_references() {
    for kind in KINDS {
        let mut model = T5Summariser::load_on(golden(kind), device()).unwrap();
        let mut endings = [0, 0];
        for item in recorded(kind)["items"].as_array().unwrap() {
            let prompt = item["prompt"].as_str().unwrap();
            let expected = ids(&item["greedy"]["ids"]);
            let reply = model.reply(prompt, TOKENS_NEW).unwrap();
            assert_eq!(expected[1..], reply, "{kind} {prompt:?}");
            let text = model.summarise(prompt, TOKENS_NEW).unwrap();
            assert_eq!(item["greedy"]["text"].as_str().unwrap().trim(), text);
            endings[usize::from(reply.last() == Some(&1))] += 1;
        }
        assert!(endings.iter().all(|&count| count > 0), "{endings:?}");
    }
}

#[test]
fn a_reply_is_as_long_as_asked_and_no_longer() {
    let mut model = T5Summariser::load_on(golden("tiny-t5-gated"), device()).unwrap();
    assert_eq!(model.summarise("We leave.", 0).unwrap(), "");
    assert_eq!(model.reply("We leave.", 1).unwrap().len(), 1);
    assert!(model.reply("We leave.", usize::MAX).unwrap().len() <= model.tokens_max());
}
