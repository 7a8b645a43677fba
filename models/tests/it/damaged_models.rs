//! Damaged summarisers are refused with the file, the field or tensor, the value
//! found and the value expected.
#![cfg(feature = "writers")]

use std::fs;
use std::time::Instant;

use crate::golden::{copy, golden, read_json};
use crate::told::assert_has;
use candle_core::{DType, Device, Tensor};
use serde_json::{Value, json};
use tempfile::TempDir;
use weir_models::{DeviceChoice, GenerateError, LoadError, Summarise, T5Summariser};

const T5: &str = "tiny-t5";

/// Changes a settings file.
fn edit(place: &TempDir, file: &str, change: impl FnOnce(&mut Value)) {
    let file = place.path().join(file);
    let mut settings: Value = read_json(&file);
    change(&mut settings);
    fs::write(file, settings.to_string()).unwrap();
}

/// Changes one tensor; `None` removes it.
fn retouch(place: &TempDir, name: &str, change: impl FnOnce(Tensor) -> Option<Tensor>) {
    let file = place.path().join("model.safetensors");
    let mut tensors = candle_core::safetensors::load(&file, &Device::Cpu).unwrap();
    let tensor = tensors.remove(name).unwrap();
    if let Some(tensor) = change(tensor) {
        tensors.insert(name.to_owned(), tensor);
    }
    candle_core::safetensors::save(&tensors, file).unwrap();
}

fn t5(place: &TempDir) -> LoadError {
    T5Summariser::load(place.path()).unwrap_err()
}

#[test]
fn a_missing_file_is_named() {
    for file in ["config.json", "tokenizer.json", "model.safetensors"] {
        let place = copy(T5);
        fs::remove_file(place.path().join(file)).unwrap();
        assert_has(&t5(&place), &[file, "is missing"]);
    }
    assert_has(
        &T5Summariser::load("/nowhere/at/all").unwrap_err(),
        &["/nowhere", "not a folder"],
    );
}

#[test]
#[cfg(not(any(feature = "cuda", feature = "metal")))]
fn a_device_that_was_not_built_in_is_refused() {
    let device = DeviceChoice::Cuda(1);
    assert_has(
        &T5Summariser::load_on(golden(T5), device).unwrap_err(),
        &["cuda:1", "feature `cuda`"],
    );
}

#[test]
fn settings_of_another_t5_are_refused_by_field() {
    let cases = [
        ("model_type", json!("mt5"), "mt5"),
        ("feed_forward_proj", json!("gated-tanh"), "gated-tanh"),
        ("feed_forward_proj", json!("gelu"), "gelu"),
        ("d_model", json!(0), "is 0"),
        ("vocab_size", json!(1_u64 << 40), "1099511627776"),
        ("d_kv", json!(u64::MAX), "1 to 1048576"),
        ("num_heads", json!(1_u64 << 60), "1 to 1048576"),
        ("num_decoder_layers", json!(1_u64 << 60), "1 to 1048576"),
        ("relative_attention_num_buckets", json!(1_u64 << 60), "4 to"),
        ("relative_attention_num_buckets", json!(1), "is 1"),
        ("relative_attention_max_distance", json!(8), "is 8"),
    ];
    for (field, value, found) in cases {
        let place = copy(T5);
        edit(&place, "config.json", |settings| settings[field] = value);
        let error = t5(&place);
        assert!(matches!(error, LoadError::Setting { .. }), "{error}");
        assert_has(&error, &["config.json", field, found]);
    }
    let place = copy(T5);
    edit(&place, "tokenizer_config.json", |settings| {
        settings["model_max_length"] = json!(1);
    });
    assert_has(
        &t5(&place),
        &[
            "tokenizer_config.json", "model_max_length is 1", "2 or more",
        ],
    );
    fs::write(place.path().join("config.json"), "{").unwrap();
    assert_has(&t5(&place), &["config.json", "line 1"]);
}

#[test]
fn a_tensor_that_is_wrong_is_named() {
    let name = "decoder.block.1.layer.1.EncDecAttention.k.weight";
    let place = copy(T5);
    retouch(&place, name, |_| None);
    assert_has(
        &t5(&place),
        &["model.safetensors", name, "missing", "[32, 32]"],
    );
    let place = copy(T5);
    retouch(&place, name, |tensor| tensor.to_dtype(DType::I64).ok());
    assert_has(&t5(&place), &[name, "of type I64"]);
    let place = copy(T5);
    edit(&place, "config.json", |settings| {
        settings["d_ff"] = json!(96);
    });
    assert_has(&t5(&place), &["DenseReluDense.wi", "[64, 32]", "[96, 32]"]);
}

#[test]
fn cut_weights_are_told() {
    for bytes in [0, 7, 100, 5_000] {
        let place = copy(T5);
        let file = place.path().join("model.safetensors");
        let whole = fs::read(&file).unwrap();
        fs::write(&file, &whole[..bytes]).unwrap();
        let error = t5(&place);
        assert!(matches!(error, LoadError::Truncated { .. }), "{error}");
        assert_has(
            &error,
            &["model.safetensors", &format!("{bytes} bytes of ")],
        );
    }
}

#[test]
fn a_tokenizer_of_another_model_is_refused() {
    let place = copy(T5);
    edit(&place, "config.json", |settings| {
        settings["vocab_size"] = json!(100);
    });
    let error = t5(&place);
    assert!(
        matches!(error, LoadError::TokenizerMisfit { expected: 100, .. }),
        "{error}"
    );
    assert_has(&error, &["tokenizer.json", "know 100"]);
    // the second is no JSON, where the tokenizer library panics
    for text in [r#"{"version": "1.0"}"#, r#"{"decoder": {5: 1}}"#] {
        let place = copy(T5);
        fs::write(place.path().join("tokenizer.json"), text).unwrap();
        let error = t5(&place);
        assert!(matches!(error, LoadError::Tokenizer { .. }), "{error}");
        assert_has(&error, &["tokenizer.json"]);
    }
}

#[test]
fn a_tokenizer_that_leaves_no_room_for_a_text_is_refused() {
    let place = copy(T5);
    edit(&place, "tokenizer_config.json", |settings| {
        settings["model_max_length"] = json!(2);
    });
    let mut model = T5Summariser::load(place.path()).unwrap();
    assert_eq!(model.tokens("We leave.").unwrap().len(), 2);
    model.summarise("We leave.", 8).unwrap();
    edit(&place, "tokenizer.json", |tokenizer| {
        let end = json!({"SpecialToken": {"id": "</s>", "type_id": 0}});
        let text = json!({"Sequence": {"id": "A", "type_id": 0}});
        tokenizer["post_processor"]["single"] = json!([end, text, end, end]);
    });
    let error = t5(&place);
    assert!(matches!(error, LoadError::Tokenizer { .. }), "{error}");
    assert_has(
        &error,
        &["tokenizer.json", "adds 3 tokens", "the model reads 2"],
    );
}

#[test]
fn a_summariser_reads_nothing_and_a_megabyte() {
    let mut model = T5Summariser::load(golden(T5)).unwrap();
    assert_eq!(model.tokens("").unwrap(), [1]);
    model.summarise("", 8).unwrap();
    let began = Instant::now();
    for text in [
        "We leave. ".repeat(100_000),
        "a".repeat(1_000_000),
        " ".repeat(1_000_000),
    ] {
        assert!(model.tokens(&text).unwrap().len() <= model.tokens_max());
        model.summarise(&text, 8).unwrap();
    }
    assert!(began.elapsed().as_secs() < 120, "{:?}", began.elapsed());
}

#[test]
fn tokens_that_cannot_be_are_refused() {
    let mut model = T5Summariser::load(golden(T5)).unwrap();
    for (prompt, reply) in [(&[5_u32][..], &[9_999][..]), (&[], &[0]), (&[5], &[])] {
        let error = model.logits(prompt, reply).unwrap_err();
        assert!(matches!(error, GenerateError::Request { .. }), "{error}");
        assert!(error.to_string().contains("t5-32x2"), "{error}");
        assert!(error.to_string().contains("1 to 512 tokens"), "{error}");
    }
}

#[test]
fn weights_that_are_no_numbers_end_in_an_error() {
    let place = copy(T5);
    retouch(&place, "decoder.final_layer_norm.weight", |tensor| {
        tensor.affine(0.0, f64::NAN).ok()
    });
    let mut model = T5Summariser::load(place.path()).unwrap();
    let error = model.summarise("We leave.", 4).unwrap_err();
    assert!(error.to_string().contains("damaged"), "{error}");
}
