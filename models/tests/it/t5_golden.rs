//! Summaries equal those of transformers (recorded by `scripts/golden/make_tiny_t5.py`), in floats
//! and quantised.
#![cfg(feature = "candle")]

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use crate::golden::{golden, ids, read_json};
use candle_core::quantized::{GgmlDType, QTensor, gguf_file};
use candle_core::{Device, Tensor};
use serde_json::Value;
use tempfile::TempDir;
use weir_models::{EarlyStopping, Search, Summarise, T5Summariser};

const KINDS: [&str; 2] = ["tiny-t5", "tiny-t5-gated"];
const LOGIT_DIFFERENCE_MAX: f32 = 1e-4;
const TOKENS_NEW: usize = 24;

fn recorded(kind: &str) -> Value {
    read_json(&golden(kind).join("golden.json"))
}

/// The largest difference of any logit between a model and the recorded values.
fn logit_difference(model: &T5Summariser, golden: &Value) -> f32 {
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
        let model = T5Summariser::load(golden(kind)).unwrap();
        let worst = logit_difference(&model, &recorded(kind));
        println!("{kind}: largest difference of a logit {worst:e}");
        assert!(worst < LOGIT_DIFFERENCE_MAX, "{kind} is off by {worst:e}");
    }
}

#[test]
fn prompts_are_cut_into_the_same_tokens() {
    for (kind, limit) in KINDS.into_iter().zip([512, 40]) {
        let model = T5Summariser::load(golden(kind)).unwrap();
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

fn searches() -> HashMap<&'static str, Search> {
    let beams = |beams| Search {
        beams,
        ..Search::default()
    };
    HashMap::from([
        ("greedy", beams(1)),
        (
            "greedy-no-repeat",
            Search {
                no_repeat_ngram: 2,
                ..beams(1)
            },
        ),
        ("beam-4", beams(4)),
        (
            "beam-4-long",
            Search {
                length_penalty: 2.0,
                ..beams(4)
            },
        ),
        (
            "beam-4-short",
            Search {
                length_penalty: -1.0,
                ..beams(4)
            },
        ),
        (
            "beam-4-early",
            Search {
                early_stopping: EarlyStopping::WhenFull,
                ..beams(4)
            },
        ),
        (
            "beam-4-never",
            Search {
                early_stopping: EarlyStopping::Never,
                length_penalty: 0.6,
                ..beams(4)
            },
        ),
        (
            "beam-3-no-repeat",
            Search {
                no_repeat_ngram: 2,
                ..beams(3)
            },
        ),
    ])
}

#[test]
fn every_search_says_the_same_words() {
    for kind in KINDS {
        let expected = recorded(kind);
        let mut endings = [0, 0];
        for (name, search) in searches() {
            let model = T5Summariser::load(golden(kind)).unwrap();
            let mut model = model.with_search(search).unwrap();
            for item in expected["items"].as_array().unwrap() {
                let prompt = item["prompt"].as_str().unwrap();
                let expected = ids(&item[name]["ids"]);
                let reply = model.reply(prompt, TOKENS_NEW).unwrap();
                assert_eq!(expected[1..], reply, "{kind} {name} {prompt:?}");
                let text = model.summarise(prompt, TOKENS_NEW).unwrap();
                assert_eq!(item[name]["text"].as_str().unwrap().trim(), text);
                endings[usize::from(reply.last() == Some(&1))] += 1;
            }
        }
        assert!(endings.iter().all(|&count| count > 20), "{endings:?}");
    }
}

#[test]
fn a_reply_is_as_long_as_asked_and_no_longer() {
    for beams in [1, 4] {
        let search = Search {
            beams,
            ..Search::default()
        };
        let model = T5Summariser::load(golden("tiny-t5-gated")).unwrap();
        let mut model = model.with_search(search).unwrap();
        assert_eq!(model.summarise("We leave.", 0).unwrap(), "");
        assert_eq!(model.reply("We leave.", 1).unwrap().len(), 1);
        assert!(model.reply("We leave.", usize::MAX).unwrap().len() <= model.tokens_max());
    }
}

/// Converts a file's tensors for a GGUF file.
fn quantise(kind: &str, into: &Path, dtype: GgmlDType) {
    let tensors =
        candle_core::safetensors::load(golden(kind).join("model.safetensors"), &Device::Cpu);
    let mut tensors: Vec<(String, Tensor)> = tensors.unwrap().into_iter().collect();
    tensors.sort_by(|a, b| a.0.cmp(&b.0));
    let quantised: Vec<(String, QTensor)> = tensors
        .into_iter()
        .map(|(name, tensor)| {
            let whole = name.contains("norm") || name.contains("relative");
            let dtype = if whole { GgmlDType::F32 } else { dtype };
            (name, QTensor::quantize(&tensor, dtype).unwrap())
        })
        .collect();
    let named: Vec<(&str, &QTensor)> = quantised.iter().map(|(name, q)| (&**name, q)).collect();
    let mut file = fs::File::create(into).unwrap();
    gguf_file::write(&mut file, &[], &named).unwrap();
}

/// A folder with the settings and tokenizer of `kind` and no weights.
fn bare(kind: &str) -> TempDir {
    let place = TempDir::new().unwrap();
    for file in ["config.json", "tokenizer.json", "tokenizer_config.json"] {
        fs::copy(golden(kind).join(file), place.path().join(file)).unwrap();
    }
    place
}

/// Writes the values of the blocks of a GGUF file as a float checkpoint.
fn unpack(gguf: &Path, into: &Path) {
    let mut file = fs::File::open(gguf).unwrap();
    let content = gguf_file::Content::read(&mut file).unwrap();
    let tensor = |name: &String| {
        let blocks = content.tensor(&mut file, name, &Device::Cpu).unwrap();
        (name.clone(), blocks.dequantize(&Device::Cpu).unwrap())
    };
    let tensors: HashMap<String, Tensor> = content.tensor_infos.keys().map(tensor).collect();
    candle_core::safetensors::save(&tensors, into).unwrap();
}

#[test]
fn a_quantised_model_multiplies_the_values_its_blocks_stand_for() {
    for kind in KINDS {
        let place = bare(kind);
        let file = place.path().join("model-q8_0.gguf");
        quantise(kind, &file, GgmlDType::Q8_0);
        let packed = T5Summariser::load(place.path()).unwrap();
        unpack(&file, &place.path().join("model.safetensors"));
        let unpacked = T5Summariser::load(place.path()).unwrap();
        let whole = T5Summariser::load(golden(kind)).unwrap();
        assert!(packed.resident_bytes() * 3 < whole.resident_bytes());
        assert_eq!(unpacked.resident_bytes(), whole.resident_bytes());
        let mut rows: [Vec<f32>; 3] = Default::default();
        for item in recorded(kind)["logits"].as_array().unwrap() {
            for (model, rows) in [&packed, &unpacked, &whole].into_iter().zip(&mut rows) {
                let made = model.logits(&ids(&item["input"]), &ids(&item["decoder"]));
                rows.extend(made.unwrap().concat());
            }
        }
        let [packed, unpacked, whole] = rows;
        let (own, original) = (apart(&packed, &unpacked), apart(&packed, &whole));
        println!("{kind} Q8_0: {own} from the values of its blocks, {original} from the whole");
        // Products of blocks also quantise the inputs to 8 bits, with an error of up to 1 in 254 of
        // the largest of 32; after five layers of random weights this is the result.
        assert!(
            own < 0.1 && original < 0.15,
            "{kind} is off by {own}, {original}"
        );
    }
}

/// The distance of `a` from `b` relative to `b`, both as root mean squares.
fn apart(a: &[f32], b: &[f32]) -> f32 {
    assert!(a.len() == b.len() && a.len() > 10_000);
    let off: f32 = a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum();
    (off / b.iter().map(|b| b.powi(2)).sum::<f32>()).sqrt()
}

#[test]
fn blocks_of_whole_numbers_change_nothing() {
    for kind in KINDS {
        let place = bare(kind);
        quantise(kind, &place.path().join("model.gguf"), GgmlDType::F32);
        let model = T5Summariser::load(place.path().join("model.gguf")).unwrap();
        let worst = logit_difference(&model, &recorded(kind));
        assert!(worst < LOGIT_DIFFERENCE_MAX, "{kind} is off by {worst:e}");
    }
}
