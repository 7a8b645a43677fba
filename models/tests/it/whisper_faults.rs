//! A folder without a Whisper checkpoint, or with a damaged one, gives one clear error and no
//! panic.
#![cfg(feature = "weights")]

use std::fs::{self, File};
use std::io::{Seek, SeekFrom, Write};
use std::path::Path;

use crate::told::assert_has;
use crate::whisper_folders::{NAMES, Words, checkpoint, unpack, write_words};
use tempfile::TempDir;
use weir_models::whisper::{Checkpoint, ConvertError, Quantisation};

fn refusal(path: &Path) -> ConvertError {
    Checkpoint::open(path).expect_err("it is refused")
}

fn weights(name: &str) -> &'static str {
    match name {
        "english-hugging-face" => "model-00002-of-00003.safetensors",
        "large-v3-hugging-face" => "model.safetensors",
        _ => "model.bin",
    }
}

#[test]
fn what_is_no_checkpoint_says_what_is_there_and_what_is_needed() {
    let folder = TempDir::new().unwrap();
    let error = refusal(folder.path()).to_string();
    assert!(error.contains("the folder is empty"), "{error}");
    fs::write(folder.path().join("pytorch_model.bin"), "x").unwrap();
    fs::write(folder.path().join("config.json"), "{}").unwrap();
    let error = refusal(folder.path()).to_string();
    assert!(error.contains("config.json, pytorch_model.bin"), "{error}");
    assert!(error.contains("model.safetensors"), "{error}");
    let error = refusal(&folder.path().join("config.json")).to_string();
    assert!(error.contains("does not begin as a ggml file"), "{error}");
    let error = refusal(&folder.path().join("nothing")).to_string();
    assert!(error.contains("cannot be read"), "{error}");
    fs::write(folder.path().join("model.safetensors"), "x").unwrap();
    fs::write(
        folder.path().join("config.json"),
        r#"{"model_type": "bert"}"#,
    )
    .unwrap();
    let error = refusal(folder.path()).to_string();
    assert!(error.contains("model_type \"bert\""), "{error}");
}

#[test]
fn a_file_cut_short_anywhere_is_refused() {
    for name in NAMES {
        let folder = checkpoint(name);
        let file = folder.path().join(weights(name));
        let whole = fs::read(&file).unwrap();
        for share in [0, 1, 2, 30, 60, 99] {
            let bytes = (whole.len() * share / 100).min(whole.len() - 1);
            fs::write(&file, &whole[..bytes]).unwrap();
            let error = refusal(folder.path());
            let is_told = matches!(error, ConvertError::Truncated { .. });
            assert!(is_told, "{name} at {bytes}: {error}");
        }
    }
}

#[test]
fn a_ggml_file_cut_short_is_refused() {
    let folder = checkpoint("large-v3-ctranslate2");
    let mut whole = Vec::new();
    let opened = Checkpoint::open(folder.path()).unwrap();
    opened.write(None, &mut whole, &mut |_| {}).unwrap();
    let file = folder.path().join("ggml.bin");
    for bytes in [5, 40, 60, 2_000, 200_000, whole.len() / 2, whole.len() - 1] {
        fs::write(&file, &whole[..bytes]).unwrap();
        let error = refusal(&file);
        let is_told = matches!(
            error,
            ConvertError::Truncated { .. } | ConvertError::Tensor { .. }
        );
        assert!(is_told, "{bytes}: {error}");
    }
}

#[test]
fn damaged_headers_are_refused_or_read_without_a_panic() {
    for name in NAMES {
        let folder = checkpoint(name);
        let file = folder.path().join(weights(name));
        let whole = fs::read(&file).unwrap();
        let mut place = File::options().write(true).open(&file).unwrap();
        let mut put = |at: usize, byte: u8| {
            place.seek(SeekFrom::Start(at as u64)).unwrap();
            place.write_all(&[byte]).unwrap();
        };
        // Lengths and counts are among the first bytes.
        for (at, &byte) in whole.iter().enumerate().take(120) {
            for value in [0, 1, 0x7f, 0xff] {
                put(at, value);
                if let Ok(opened) = Checkpoint::open(folder.path()) {
                    assert!(opened.bytes(None) < 10_000_000);
                }
            }
            put(at, byte);
        }
    }
}

#[test]
fn a_vocabulary_that_is_missing_or_of_another_model_is_refused() {
    let folder = unpack("english-ctranslate2");
    let error = refusal(folder.path()).to_string();
    assert_has(&error, &["has no vocabulary: put tokenizer.json"]);
    write_words(folder.path(), Words::VocabJson, false);
    let error = refusal(folder.path()).to_string();
    assert!(error.contains("belongs to another model"), "{error}");
    fs::write(folder.path().join("vocab.json"), r#"{"a": 0}"#).unwrap();
    let error = refusal(folder.path()).to_string();
    assert!(error.contains("token 1 is missing"), "{error}");
    for text in ["[1]", r#"{"a": -1}"#, "3", "{", r#"["▁a"]"#] {
        fs::write(folder.path().join("vocab.json"), text).unwrap();
        let error = refusal(folder.path());
        assert!(
            matches!(error, ConvertError::Format { .. }),
            "{text}: {error}"
        );
    }
}

#[test]
fn settings_that_whisper_cpp_does_not_run_are_refused() {
    let folder = checkpoint("large-v3-hugging-face");
    let file = folder.path().join("config.json");
    let text = fs::read_to_string(&file).unwrap();
    for (from, to, field) in [
        (
            "\"activation_function\": \"gelu\"",
            "\"activation_function\": \"relu\"",
            "relu",
        ),
        (
            "\"encoder_layers\": 2", "\"encoder_layers\": 3", "encoder.layers.2.",
        ),
        (
            "\"encoder_layers\": 2",
            "\"encoder_layers\": 4000000000",
            "n_audio_layer",
        ),
        (
            "\"encoder_layers\": 2",
            "\"encoder_layers\": \"two\"",
            "encoder_layers",
        ),
        (
            "\"decoder_attention_heads\": 2",
            "\"decoder_attention_heads\": 5",
            "n_text_head",
        ),
        (
            "\"decoder_attention_heads\": 2",
            "\"decoder_attention_heads\": 0",
            "n_text_head",
        ),
    ] {
        assert!(text.contains(from), "{from}");
        fs::write(&file, text.replace(from, to)).unwrap();
        let error = refusal(folder.path()).to_string();
        assert!(error.contains(field), "{to}: {error}");
    }
}

#[test]
fn what_is_quantised_is_copied_and_not_quantised_again() {
    let folder = checkpoint("large-v3-ctranslate2");
    let opened = Checkpoint::open(folder.path()).unwrap();
    let mut made = Vec::new();
    let kind = Some(Quantisation::Q5_1);
    opened.write(kind, &mut made, &mut |_| {}).unwrap();
    let file = folder.path().join("ggml.bin");
    fs::write(&file, &made).unwrap();
    let opened = Checkpoint::open(&file).unwrap();
    let mut copied = Vec::new();
    opened.write(None, &mut copied, &mut |_| {}).unwrap();
    assert!(copied == made);
    let error = opened.check(Some(Quantisation::Q8_0)).unwrap_err();
    assert!(error.to_string().contains("is q5_1 already"), "{error}");
    let error = "q6_k".parse::<Quantisation>().unwrap_err().to_string();
    assert!(error.contains("q4_0, q4_1, q5_0, q5_1, q8_0"), "{error}");
}

#[test]
fn a_weight_that_float16_cannot_hold_is_refused() {
    let folder = checkpoint("large-v3-hugging-face");
    let file = folder.path().join("model.safetensors");
    let mut bytes = fs::read(&file).unwrap();
    // The largest bfloat16, in the embedding, which is most of the file.
    let at = bytes.len() / 4 * 2;
    bytes[at..at + 2].copy_from_slice(&[0x7f, 0x7f]);
    fs::write(&file, bytes).unwrap();
    let opened = Checkpoint::open(folder.path()).unwrap();
    let error = opened.write(None, &mut Vec::new(), &mut |_| {});
    let error = error.unwrap_err().to_string();
    assert!(error.contains("finite numbers"), "{error}");
}
