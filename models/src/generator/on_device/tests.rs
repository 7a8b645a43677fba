//! Compares the device decoder, here on the CPU, with the CPU decoder.

use std::path::{Path, PathBuf};

use candle_core::quantized::gguf_file::{self, Value};
use candle_core::quantized::{GgmlDType, QTensor};

use super::super::decoder::Decoder;
use super::super::folder::Folder;
use super::super::gguf::Gguf;
use super::super::pool::Pool;
use super::super::source::{Source, tensors};
use super::*;

/// The same checkpoint in this decoder on the CPU, and in the other decoder.
fn both(source: &dyn Source, config: &Config) -> [Box<dyn Decode>; 2] {
    let positions = 600;
    let product = |name: &str, rows, columns| source.product(name, rows, columns, &Device::Cpu);
    let on_device = tensors(source, config, &product).expect("tensors of the library");
    let on_device = DeviceDecoder::new(config.clone(), on_device, positions, Device::Cpu);
    let linear = |name: &str, rows, columns| source.linear(name, rows, columns);
    let other = tensors(source, config, &linear).expect("tensors of our own");
    let pool = Pool::new(2).expect("threads");
    let other = Decoder::new(config.clone(), other, positions, pool);
    [Box::new(on_device.expect("a decoder")), Box::new(other)]
}

/// Reads a text in pieces beyond the cache's initial size, truncates, and reads on. Returns all
/// logits.
fn logits(decoder: &mut dyn Decode) -> Vec<f32> {
    let token = |i: usize| (i * 37 % decoder.vocabulary()) as u32;
    let tokens: Vec<u32> = (0..300).map(token).collect();
    let mut all = Vec::new();
    let mut read = |decoder: &mut dyn Decode, range: std::ops::Range<usize>| {
        let found = decoder.read(&tokens[range], Wanted::All).expect("logits");
        all.extend(found);
    };
    for range in [0..60, 60..61, 61..62, 62..299] {
        read(decoder, range);
    }
    decoder.truncate(9);
    read(decoder, 20..40);
    let last = decoder.read(&tokens[40..45], Wanted::Last).expect("logits");
    assert_eq!(last.len(), decoder.vocabulary());
    all.extend(last);
    all
}

/// The largest difference between the two, and the largest logit.
fn apart(decoders: [Box<dyn Decode>; 2]) -> (f32, f32) {
    let [ours, others] = decoders.map(|mut decoder| logits(&mut *decoder));
    assert_eq!(ours.len(), others.len());
    let differences = ours.iter().zip(&others).map(|(a, b)| (a - b).abs());
    let size = others.iter().copied().fold(0.0, f32::max);
    (differences.fold(0.0, f32::max), size)
}

fn checkpoint(name: &str) -> PathBuf {
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/golden");
    golden.join("tiny-decoders").join(name)
}

#[test]
fn floats_give_what_the_processors_own_decoder_does() {
    for name in ["llama", "qwen2", "qwen3"] {
        let (source, config) = Folder::open(&checkpoint(name)).expect("a checkpoint");
        let (worst, size) = apart(both(&source, &config));
        assert!(worst < 1e-4 && size > 1.0, "{name}: {worst} of {size}");
    }
}

#[test]
fn tokens_that_do_not_fit_are_refused() {
    let (source, config) = Folder::open(&checkpoint("llama")).expect("a checkpoint");
    for mut decoder in both(&source, &config) {
        let vocabulary = decoder.vocabulary() as u32;
        for tokens in [vec![], vec![0; 601], vec![vocabulary]] {
            assert!(decoder.read(&tokens, Wanted::Last).is_err());
        }
        assert!(decoder.resident_bytes() > 0);
        let nothing = decoder.read(&[1], Wanted::None).expect("nothing");
        assert!(nothing.is_empty());
    }
}

/// The matrices of a two-layer llama in 8-bit blocks, and its norms.
fn llama() -> Vec<(String, QTensor)> {
    let mut all = Vec::new();
    let mut add = |name: String, shape: &[usize], kind| {
        let seed = all.len() * 31;
        let floats: usize = shape.iter().product();
        let value = |i: usize| ((i + seed) * 7919 % 1009) as f32 / 504.5 - 1.0;
        let values: Vec<f32> = (0..floats).map(|i| value(i) * 0.3).collect();
        let tensor = Tensor::from_vec(values, shape, &Device::Cpu).expect("a tensor");
        all.push((name, QTensor::quantize(&tensor, kind).expect("blocks")));
    };
    add("token_embd.weight".to_owned(), &[96, 64], GgmlDType::Q8_0);
    add("output_norm.weight".to_owned(), &[64], GgmlDType::F32);
    for layer in 0..2 {
        let name = |part: &str| format!("blk.{layer}.{part}.weight");
        for norm in ["attn_norm", "ffn_norm"] {
            add(name(norm), &[64], GgmlDType::F32);
        }
        for (part, rows, columns) in [
            ("attn_q", 64, 64),
            ("attn_k", 32, 64),
            ("attn_v", 32, 64),
            ("attn_output", 64, 64),
            ("ffn_gate", 128, 64),
            ("ffn_up", 128, 64),
            ("ffn_down", 64, 128),
        ] {
            add(name(part), &[rows, columns], GgmlDType::Q8_0);
        }
    }
    all
}

fn write_gguf(path: &Path) {
    let number = |(key, value)| (key, Value::U32(value));
    let mut entries = vec![
        ("general.architecture", Value::String("llama".to_owned())),
        ("llama.attention.layer_norm_rms_epsilon", Value::F32(1e-5)),
    ];
    entries.extend(
        [
            ("llama.block_count", 2),
            ("llama.embedding_length", 64),
            ("llama.feed_forward_length", 128),
            ("llama.attention.head_count", 4),
            ("llama.attention.head_count_kv", 2),
            ("llama.context_length", 600),
        ]
        .map(number),
    );
    let entries: Vec<(&str, &Value)> = entries.iter().map(|(key, value)| (*key, value)).collect();
    let all = llama();
    let all: Vec<(&str, &QTensor)> = all
        .iter()
        .map(|(name, tensor)| (name.as_str(), tensor))
        .collect();
    let mut file = std::fs::File::create(path).expect("a file");
    gguf_file::write(&mut file, &entries, &all).expect("a GGUF file");
}

#[test]
fn blocks_give_about_what_the_processors_own_decoder_does() {
    let place = tempfile::tempdir().expect("a folder");
    let path = place.path().join("model.gguf");
    write_gguf(&path);
    let source = Gguf::open(&path).expect("a GGUF file");
    let config = source.config().expect("settings");
    let (worst, size) = apart(both(&source, &config));
    // The other decoder rounds to halves in attention and sums in another order.
    assert!(worst < 0.03 * size && size > 0.05, "{worst} of {size}");
}
