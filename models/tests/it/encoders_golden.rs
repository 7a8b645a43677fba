//! Encoders of every supported kind equal sentence-transformers (recorded by
//! `scripts/golden/make_tiny_encoders.py`), in batches and alone, for any number of threads.
#![cfg(feature = "candle")]

use std::fs;
use std::num::NonZeroUsize;

use crate::golden::{assert_same, copy, device, edit, golden, read_json};
use crate::told::assert_has;
use serde_json::Value;
use tempfile::TempDir;
use weir_models::{DeviceChoice, Encode, Prompts, SentenceEncoder};

/// Largest allowed difference of a component.
const APART_MAX: f32 = 1e-4;

/// The recorded items of `name`.
fn items(name: &str) -> Vec<Value> {
    let file = golden(name).join("golden.json");
    let whole = read_json(&file);
    whole["items"].as_array().unwrap().clone()
}

fn texts(items: &[Value]) -> Vec<&str> {
    items
        .iter()
        .map(|item| item["text"].as_str().unwrap())
        .collect()
}

fn vectors(items: &[Value], field: &str) -> Vec<Vec<f32>> {
    let one = |item: &Value| serde_json::from_value(item[field].clone()).unwrap();
    items.iter().map(one).collect()
}

fn assert_equal(found: &[Vec<f32>], expected: &[Vec<f32>], what: &str) {
    assert_eq!(found.len(), expected.len());
    for (index, (found, expected)) in found.iter().zip(expected).enumerate() {
        assert_eq!(found.len(), expected.len(), "{what} {index}");
        let apart = found.iter().zip(expected).map(|(a, b)| (a - b).abs());
        let apart = apart.fold(0.0, f32::max);
        assert!(apart < APART_MAX, "{what} {index} is off by {apart:e}");
    }
}

#[test]
fn families_give_the_vectors_of_the_reference() {
    for (name, dimension, family) in [
        ("tiny-bge", 32, "bert-32x2"),
        ("tiny-e5", 20, "bert-32x2"),
        ("tiny-roberta", 32, "xlm-roberta-32x2"),
    ] {
        let encoder = SentenceEncoder::load_on(golden(name), device()).unwrap();
        assert_eq!((encoder.dimension(), encoder.tokens_max()), (dimension, 24));
        assert_eq!(encoder.identity().name, family);
        let items = items(name);
        assert!(items.len() > 20);
        let expected = vectors(&items, "vector");
        let texts = texts(&items);
        let batch = encoder.encode(&texts).unwrap();
        assert_equal(&batch, &expected, name);
        for (text, vector) in texts.iter().zip(&batch) {
            let alone = encoder.encode(&[text]).unwrap();
            let what = format!("{name}: {text:?} beside its neighbours");
            assert_same(&alone[0], vector, &what);
        }
    }
}

#[test]
fn every_way_to_pool_is_that_of_the_reference() {
    let items = items("tiny-bge");
    let place = copy("tiny-bge");
    let file = place.path().join("1_Pooling/config.json");
    let mut before = "cls";
    let mut digests = Vec::new();
    for mode in [
        "mean", "max", "mean_sqrt_len_tokens", "weightedmean", "lasttoken", "cls",
    ] {
        let (old, new) = (format!("\"{before}\""), format!("\"{mode}\""));
        edit(&file, &old, &new);
        before = mode;
        let encoder = SentenceEncoder::load(place.path()).unwrap();
        let found = encoder.encode(&texts(&items)).unwrap();
        assert_equal(&found, &vectors(&items, mode), mode);
        digests.push(encoder.identity().digest.clone());
    }
    // Vectors from different pooling must not be compared.
    digests.sort();
    digests.dedup();
    assert_eq!(digests.len(), 6);
}

#[test]
fn questions_and_passages_have_the_words_of_the_checkpoint_before_them() {
    let items = items("tiny-e5");
    let encoder = SentenceEncoder::load_on(golden("tiny-e5"), device()).unwrap();
    let named = Prompts {
        query: "query: ".to_owned(),
        passage: "passage: ".to_owned(),
    };
    assert_eq!(encoder.prompts(), &named);
    let texts = texts(&items);
    let questions = encoder.encode_queries(&texts).unwrap();
    assert_equal(&questions, &vectors(&items, "query"), "a question");
    let digest = encoder.identity().digest.clone();
    let bare = encoder.with_prompts(Prompts::default());
    assert_ne!(bare.identity().digest, digest);
    let plain = bare.encode_queries(&texts).unwrap();
    assert_ne!(plain, questions);
    let again = bare.with_prompts(named);
    assert_eq!(again.identity().digest, digest);
    assert_equal(
        &again.encode(&texts).unwrap(),
        &vectors(&items, "vector"),
        "a passage",
    );
}

#[test]
fn threads_change_no_bit() {
    let items = items("tiny-roberta");
    let texts = texts(&items).repeat(9);
    let load = |threads| {
        let encoder = SentenceEncoder::load_on(golden("tiny-roberta"), device()).unwrap();
        encoder.with_threads(NonZeroUsize::new(threads).unwrap())
    };
    let one = load(1).encode(&texts).unwrap();
    for threads in [2, 3] {
        assert_eq!(load(threads).encode(&texts).unwrap(), one);
    }
}

#[test]
fn several_callers_get_their_own_vectors() {
    let items = items("tiny-bge");
    let encoder = SentenceEncoder::load_on(golden("tiny-bge"), device()).unwrap();
    let (texts, expected) = (texts(&items), vectors(&items, "vector"));
    let before = encoder.resident_bytes();
    std::thread::scope(|scope| {
        for caller in 0..8 {
            let (encoder, texts, expected) = (&encoder, &texts, &expected);
            scope.spawn(move || {
                for _ in 0..5 {
                    let from = caller % texts.len();
                    let found = encoder.encode(&texts[from..]).unwrap();
                    assert_equal(&found, &expected[from..], "a caller's");
                }
            });
        }
    });
    // Scratch memory is kept for the next callers, within a bound.
    let kept = encoder.resident_bytes() - before;
    assert!(kept < 16 << 20, "{kept}");
    if device() == DeviceChoice::Cpu {
        assert!(kept > 0 && encoder.mapped_bytes() > 0);
    }
}

#[test]
fn weights_of_two_bytes_give_nearly_the_same() {
    use candle_core::{DType, Device, safetensors};
    let items = items("tiny-bge");
    for (kind, apart_max) in [(DType::F16, 2e-3), (DType::BF16, 2e-2)] {
        let place = copy("tiny-bge");
        let file = place.path().join("model.safetensors");
        let mut tensors = safetensors::load(&file, &Device::Cpu).unwrap();
        for tensor in tensors.values_mut() {
            *tensor = tensor.to_dtype(kind).unwrap();
        }
        safetensors::save(&tensors, &file).unwrap();
        let encoder = SentenceEncoder::load(place.path()).unwrap();
        let found = encoder.encode(&texts(&items)).unwrap();
        for (found, expected) in found.iter().zip(vectors(&items, "vector")) {
            let cosine: f32 = found.iter().zip(&expected).map(|(a, b)| a * b).sum();
            assert!(1.0 - cosine < apart_max, "{kind:?}: {cosine}");
        }
    }
}

#[test]
fn a_pickle_gives_the_same_vectors_and_holds_its_tables() {
    let place = copy("tiny-roberta");
    let pickle = place.path().join("pytorch_model.bin");
    fs::copy(
        golden("tiny-roberta-pickle").join("pytorch_model.bin"),
        &pickle,
    )
    .unwrap();
    let items = items("tiny-roberta");
    let mapped = SentenceEncoder::load(place.path()).unwrap();
    fs::remove_file(place.path().join("model.safetensors")).unwrap();
    let held = SentenceEncoder::load(place.path()).unwrap();
    // before anything is encoded: scratch memory counts too, and depends on the threads
    assert!(held.resident_bytes() > mapped.resident_bytes() + 20_000);
    let texts = texts(&items);
    assert_eq!(held.encode(&texts).unwrap(), mapped.encode(&texts).unwrap());
    assert_ne!(held.identity().digest, mapped.identity().digest);
    assert_eq!(
        (held.mapped_bytes(), mapped.mapped_bytes() > 20_000),
        (0, true)
    );

    edit(
        &place.path().join("config.json"),
        "\"vocab_size\": ",
        "\"vocab_size\": 9",
    );
    let message = SentenceEncoder::load(place.path()).unwrap_err().to_string();
    assert_has(
        &message,
        &[
            "pytorch_model.bin",
            "word_embeddings",
            "damaged or belongs to another",
        ],
    );
    fs::write(&pickle, "no pickle").unwrap();
    let message = SentenceEncoder::load(place.path()).unwrap_err().to_string();
    assert!(message.contains("not a readable PyTorch file"), "{message}");
    fs::remove_file(&pickle).unwrap();
    let message = SentenceEncoder::load(place.path()).unwrap_err().to_string();
    assert_has(&message, &["model.safetensors is missing"]);
}

#[test]
fn a_megabyte_of_text_is_cut() {
    let encoder = SentenceEncoder::load_on(golden("tiny-roberta"), device()).unwrap();
    let long = "the boat ".repeat(120_000);
    let start = "the boat ".repeat(40);
    let vectors = encoder.encode(&[&long, &start]).unwrap();
    assert_eq!(vectors[0], vectors[1]);
}

#[test]
fn damaged_weights_are_refused_by_name() {
    use candle_core::{DType, Device, Tensor, safetensors};
    let name = "encoder.layer.1.attention.self.query.weight";
    let words = "embeddings.word_embeddings.weight";
    let refusal = |change: &dyn Fn(&Tensor) -> Tensor, name: &str| {
        let place = copy("tiny-bge");
        let file = place.path().join("model.safetensors");
        let mut tensors = safetensors::load(&file, &Device::Cpu).unwrap();
        let changed = change(&tensors[name]);
        tensors.insert(name.to_owned(), changed);
        safetensors::save(&tensors, &file).unwrap();
        SentenceEncoder::load(place.path()).unwrap_err().to_string()
    };
    let whole = |tensor: &Tensor| tensor.to_dtype(DType::I64).unwrap();
    for name in [name, words] {
        let message = refusal(&whole, name);
        assert_has(&message, &[name, "model.safetensors", "I64"]);
    }
    let infinite = |tensor: &Tensor| (tensor * f64::INFINITY).unwrap();
    let message = refusal(&infinite, name);
    assert_has(&message, &[name, "damaged"]);
    let turned = |tensor: &Tensor| tensor.reshape((16, 64)).unwrap();
    let message = refusal(&turned, name);
    assert!(message.contains("[16, 64], expected [32, 32]"), "{message}");
}

/// Checkpoint, file, field, its value, and an invalid one.
const IMPOSSIBLE: [[&str; 5]; 9] = [
    ["tiny-bge", "config.json", "num_attention_heads", "4", "0"],
    ["tiny-bge", "config.json", "type_vocab_size", "2", "0"],
    ["tiny-bge", "config.json", "intermediate_size", "80", "0"],
    [
        "tiny-bge", "config.json", "model_type", r#""bert""#, r#""mpnet""#,
    ],
    [
        "tiny-roberta",
        "config.json",
        "max_position_embeddings",
        "34",
        "4",
    ],
    ["tiny-e5", "2_Dense/config.json", "in_features", "32", "31"],
    ["tiny-e5", "2_Dense/config.json", "out_features", "20", "0"],
    ["tiny-e5", "2_Dense/config.json", "bias", "true", "7"],
    [
        "tiny-bge", "1_Pooling/config.json", "pooling_mode", r#""cls""#, r#"["cls", "mean"]"#,
    ],
];

#[test]
fn settings_that_cannot_be_are_refused_by_name() {
    for [name, file, field, old, new] in IMPOSSIBLE {
        let place = copy(name);
        let (old, new) = (format!("\"{field}\": {old}"), format!("\"{field}\": {new}"));
        edit(&place.path().join(file), &old, &new);
        let message = SentenceEncoder::load(place.path()).unwrap_err().to_string();
        assert!(message.contains(file), "{message}");
        let named = [
            field,
            "a multiple of num_attention_heads",
            "invalid type: integer `7`",
        ];
        assert!(
            named.iter().any(|part| message.contains(part)),
            "{field}: {message}"
        );
    }
}

#[test]
fn an_unknown_activation_after_pooling_is_refused_by_name() {
    let place = copy("tiny-e5");
    let file = place.path().join("2_Dense/config.json");
    edit(&file, "activation.Tanh", "activation.Swish");
    let message = SentenceEncoder::load(place.path()).unwrap_err().to_string();
    assert_has(&message, &["activation_function", "Swish"]);
}

#[test]
fn a_dense_layer_without_weights_names_the_file() {
    let place = copy("tiny-e5");
    fs::remove_file(place.path().join("2_Dense/model.safetensors")).unwrap();
    let message = SentenceEncoder::load(place.path()).unwrap_err().to_string();
    assert_has(&message, &["2_Dense/model.safetensors is missing"]);
}

#[test]
fn a_text_of_which_a_layer_leaves_nothing_is_all_zeros() {
    use candle_core::{Device, safetensors};
    let place = copy("tiny-e5");
    let folder = place.path().join("2_Dense");
    edit(
        &folder.join("config.json"),
        "activation.Tanh",
        "activation.ReLU",
    );
    let file = folder.join("model.safetensors");
    let mut tensors = safetensors::load(&file, &Device::Cpu).unwrap();
    for tensor in tensors.values_mut() {
        *tensor = tensor.affine(0.0, -1.0).unwrap();
    }
    safetensors::save(&tensors, &file).unwrap();
    let encoder = SentenceEncoder::load(place.path()).unwrap();
    let vectors = encoder.encode(&["the boat", ""]).unwrap();
    assert_eq!(vectors, [vec![0.0; 20], vec![0.0; 20]]);
    for tensor in tensors.values_mut() {
        *tensor = tensor.affine(0.0, f64::NAN).unwrap();
    }
    safetensors::save(&tensors, &file).unwrap();
    let encoder = SentenceEncoder::load(place.path());
    let error = encoder.unwrap().encode(&["the boat"]).unwrap_err();
    assert_has(&error, &["not finite for text 0"]);
}

#[test]
fn small_letters_are_part_of_the_identity_and_plain_settings_are_the_weights() {
    let place = copy("tiny-roberta");
    let plain = SentenceEncoder::load(place.path()).unwrap();
    let settings = place.path().join("sentence_bert_config.json");
    edit(&settings, "{", "{\"do_lower_case\": true,");
    let small = SentenceEncoder::load(place.path()).unwrap();
    assert_ne!(plain.identity().digest, small.identity().digest);
    edit(
        &settings,
        "\"do_lower_case\": true",
        "\"do_lower_case\": false",
    );
    let again = SentenceEncoder::load(place.path()).unwrap();
    assert_eq!(plain.identity(), again.identity());
}

/// A copy whose tokenizer adds other special tokens to a text.
fn with_added(name: &str, change: impl FnOnce(&mut Value)) -> TempDir {
    let place = copy(name);
    let file = place.path().join("tokenizer.json");
    let mut tokenizer: Value = read_json(&file);
    change(&mut tokenizer["post_processor"]);
    fs::write(file, tokenizer.to_string()).unwrap();
    place
}

#[test]
fn tokens_that_the_weights_do_not_know_are_not_added_to_texts() {
    for name in ["tiny-bge", "tiny-roberta"] {
        let place = with_added(name, |post| {
            let first = post["special_tokens"].as_object_mut().unwrap();
            let first = first.values_mut().next().unwrap();
            first["ids"] = serde_json::json!([4_000_000]);
        });
        let message = SentenceEncoder::load(place.path()).unwrap_err().to_string();
        assert_has(
            &message,
            &["tokenizer.json", "token 4000000", "the model knows"],
        );
    }
}
