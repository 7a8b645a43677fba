//! How fast the summariser and the extractor are at the sizes of published models, with weights
//! made on the fly. Run by hand:
//! `cargo test --release -p weir-models --features candle --test model_speed -- --ignored
//! --nocapture --test-threads 1`.
#![cfg(feature = "candle")]
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a failed unwrap is a failed test; it prints what it measured"
)]

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use candle_core::quantized::{GgmlDType, QTensor, gguf_file};
use candle_core::{Device, Tensor};
use serde_json::{Value, json};
use tempfile::TempDir;
use weir_models::{Extract, Gliner, Search, T5Summariser};

const TOKENS: usize = 120;
const RUNS: usize = 7;

fn golden(kind: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../fixtures/golden")
        .join(kind)
}

/// The tensors of a small checkpoint, grown by `grow`, which gives the new shape of each.
fn grown(weights: &Path, grow: impl Fn(&str, &[usize]) -> Vec<usize>) -> HashMap<String, Tensor> {
    let small = candle_core::safetensors::load(weights, &Device::Cpu).unwrap();
    let grown = |(name, tensor): (String, Tensor)| {
        let shape = grow(&name, tensor.dims());
        let size = 0.5 / (shape[shape.len() - 1] as f32).sqrt();
        let large = Tensor::randn(0.0_f32, size, shape, &Device::Cpu).unwrap();
        let norm = name.to_lowercase().contains("norm") && name.ends_with("weight");
        (name, if norm { (large + 1.0).unwrap() } else { large })
    };
    small.into_iter().map(grown).collect()
}

/// The same tensors for every layer up to `layers`; the small model has `small`.
fn deepen(tensors: &mut HashMap<String, Tensor>, before: &str, small: usize, layers: usize) {
    for layer in small..layers {
        let (like, name) = (format!("{before}1."), format!("{before}{layer}."));
        let copies: Vec<(String, Tensor)> = tensors
            .iter()
            .filter(|(key, _)| key.starts_with(&like))
            .map(|(key, tensor)| (key.replace(&like, &name), tensor.copy().unwrap()))
            .collect();
        tensors.extend(copies);
    }
}

fn edited(file: &Path, into: &Path, change: impl Fn(&mut Value)) {
    let mut settings: Value = serde_json::from_slice(&fs::read(file).unwrap()).unwrap();
    change(&mut settings);
    fs::write(into, settings.to_string()).unwrap();
}

/// A T5 of the sizes of flan-t5-small.
fn flan_t5_small(place: &Path) {
    let from = golden("tiny-t5-gated");
    let sizes = HashMap::from([(136, 32_128), (32, 512), (64, 384), (4, 6)]);
    let mut tensors = grown(&from.join("model.safetensors"), |name, shape| {
        let one = |(at, size): (usize, &usize)| match (name, at) {
            (name, _) if name.contains("wi_") && *size == 64 => 1_024,
            (name, 1) if name.contains("wo") => 1_024,
            (name, 0) if name.contains("relative") => 32,
            (name, 0) if name.contains("shared") || name.contains("lm_head") => 32_128,
            _ => sizes.get(size).copied().unwrap_or(*size),
        };
        shape.iter().enumerate().map(one).collect()
    });
    deepen(&mut tensors, "encoder.block.", 2, 8);
    deepen(&mut tensors, "decoder.block.", 3, 8);
    candle_core::safetensors::save(&tensors, place.join("model.safetensors")).unwrap();
    edited(
        &from.join("config.json"),
        &place.join("config.json"),
        |settings| {
            for (field, value) in [
                ("vocab_size", 32_128),
                ("d_model", 512),
                ("d_kv", 64),
                ("d_ff", 1_024),
                ("num_layers", 8),
                ("num_decoder_layers", 8),
                ("num_heads", 6),
            ] {
                settings[field] = json!(value);
            }
        },
    );
    fs::copy(from.join("tokenizer.json"), place.join("tokenizer.json")).unwrap();
}

fn quantise(place: &Path) -> PathBuf {
    let tensors =
        candle_core::safetensors::load(place.join("model.safetensors"), &Device::Cpu).unwrap();
    let quantised: Vec<(String, QTensor)> = tensors
        .into_iter()
        .map(|(name, tensor)| {
            let whole = name.contains("norm") || name.contains("relative");
            let dtype = [GgmlDType::Q8_0, GgmlDType::F32][usize::from(whole)];
            (name, QTensor::quantize(&tensor, dtype).unwrap())
        })
        .collect();
    let named: Vec<(&str, &QTensor)> = quantised.iter().map(|(name, q)| (&**name, q)).collect();
    let into = place.join("model.gguf");
    gguf_file::write(&mut fs::File::create(&into).unwrap(), &[], &named).unwrap();
    into
}

/// The shortest of some runs: what the machine can do when nothing else does.
fn shortest(mut run: impl FnMut()) -> Duration {
    let once = |_| {
        let began = Instant::now();
        run();
        began.elapsed()
    };
    (0..RUNS).map(once).min().unwrap()
}

#[test]
#[ignore = "measures; run by hand"]
fn t5() {
    let place = TempDir::new().unwrap();
    flan_t5_small(place.path());
    let gguf = quantise(place.path());
    for (kind, path) in [("whole", place.path()), ("Q8_0", &gguf)] {
        let mut model = T5Summariser::load(path).unwrap();
        let megabytes = model.resident_bytes() / 1_000_000;
        let mut prompt = String::new();
        while model.tokens(&prompt).unwrap().len() < TOKENS {
            prompt.push_str("We leave for Lisbon on Friday. ");
        }
        let read = shortest(|| {
            model.reply(&prompt, 1).unwrap();
        });
        println!("T5 {kind}, {megabytes} MB: prompt and first token {read:?}");
        for beams in [1, 4] {
            let search = Search {
                beams,
                ..Search::default()
            };
            model = model.with_search(search).unwrap();
            let mut tokens = 0;
            let all = shortest(|| tokens = model.reply(&prompt, 33).unwrap().len());
            let rate = (tokens - 1) as f64 / (all - read).as_secs_f64();
            println!("  {beams} beams: {tokens} tokens in {all:?}, {rate:.0} tokens/s");
        }
    }
}

/// A GLiNER of the sizes of gliner_small-v2.1, with fewer words in its vocabulary.
fn gliner_small(place: &Path) {
    let from = golden("tiny-gliner");
    let mut tensors = grown(&from.join("model.safetensors"), |name, shape| {
        let backbone = name.contains("bert_layer");
        let one = |size: &usize| match *size {
            16 if name.contains("rel_embeddings") => 512,
            48 => 768,
            64 if backbone => 3_072,
            size if backbone => size,
            size => size * 16,
        };
        shape.iter().map(one).collect()
    });
    deepen(
        &mut tensors,
        "token_rep_layer.bert_layer.model.encoder.layer.",
        2,
        6,
    );
    candle_core::safetensors::save(&tensors, place.join("model.safetensors")).unwrap();
    let settings = "gliner_config.json";
    edited(&from.join(settings), &place.join(settings), |settings| {
        settings["hidden_size"] = json!(512);
        for (field, value) in [
            ("hidden_size", 768),
            ("num_attention_heads", 12),
            ("num_hidden_layers", 6),
            ("intermediate_size", 3_072),
            ("max_position_embeddings", 512),
            ("position_buckets", 256),
        ] {
            settings["encoder_config"][field] = json!(value);
        }
    });
    fs::copy(from.join("tokenizer.json"), place.join("tokenizer.json")).unwrap();
}

#[test]
#[ignore = "measures; run by hand"]
fn gliner() {
    let place = TempDir::new().unwrap();
    gliner_small(place.path());
    let model = Gliner::load(place.path()).unwrap();
    let megabytes = model.resident_bytes() / 1_000_000;
    // The small tokenizer makes about three tokens of a word, the published ones 1.3.
    let text = "We leave for Lisbon on Friday. ".repeat(6);
    let labels = ["person", "place", "animal", "date", "organisation"];
    let mut spans = 0;
    let block = shortest(|| spans = model.extract(&text, &labels, 0.5).unwrap().len());
    println!(
        "GLiNER, {megabytes} MB: a block of 42 words and 5 labels in {block:?} ({spans} spans)"
    );
}
