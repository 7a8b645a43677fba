//! GGUF files: every supported type of weights is read, and incomplete or unsupported files are
//! refused with a clear message.
#![cfg(feature = "writers")]

use std::fs;
use std::path::{Path, PathBuf};

use crate::told::assert_has;
use candle_core::quantized::gguf_file::{self, Value};
use candle_core::quantized::{GgmlDType, QTensor};
use candle_core::{Device, Tensor};
use tempfile::TempDir;
use weir_models::{
    Flow, Generate, Generator, GeneratorOptions, JsonShape, LoadError, Message, Request, Role,
    Shape,
};

const WIDTH: usize = 256;

/// A small model in parts that a test may change.
struct Parts {
    entries: Vec<(String, Value)>,
    tensors: Vec<(String, QTensor)>,
}

/// A visible character for every byte, as in byte-level vocabularies.
fn byte_tokens() -> Vec<String> {
    let is_visible = |byte: u32| matches!(byte, 0x21..=0x7e | 0xa1..=0xac | 0xae..=0xff);
    let mut hidden = 0x100;
    let token = |byte| {
        let code = if is_visible(byte) {
            byte
        } else {
            hidden += 1;
            hidden - 1
        };
        char::from_u32(code).unwrap().to_string()
    };
    (0..256).map(token).collect()
}

fn parts(architecture: &str, kind: GgmlDType) -> Parts {
    let text = |text: &str| Value::String(text.to_owned());
    let mut tokens = byte_tokens();
    tokens.extend(["he", "<|im_start|>", "<|im_end|>"].map(str::to_owned));
    let count = tokens.len();
    let kinds = (0..count)
        .map(|at| Value::I32(if at > 256 { 3 } else { 1 }))
        .collect();
    let template = "{% for m in messages %}<|im_start|>{{ m.content }}<|im_end|>{% endfor %}";
    let mut entries = vec![
        ("general.architecture".to_owned(), text(architecture)),
        ("tokenizer.ggml.model".to_owned(), text("gpt2")),
        ("tokenizer.ggml.pre".to_owned(), text("qwen2")),
        ("tokenizer.ggml.tokens".to_owned(), list(&tokens)),
        ("tokenizer.ggml.token_type".to_owned(), Value::Array(kinds)),
        (
            "tokenizer.ggml.merges".to_owned(),
            list(&["h e".to_owned()]),
        ),
        ("tokenizer.ggml.eos_token_id".to_owned(), Value::U32(258)),
        ("tokenizer.chat_template".to_owned(), text(template)),
    ];
    let sizes = [
        ("block_count", 1),
        ("embedding_length", WIDTH as u32),
        ("feed_forward_length", 256),
        ("attention.head_count", 4),
        ("attention.head_count_kv", 2),
        ("context_length", 64),
    ];
    let sizes = sizes.map(|(key, size)| (format!("{architecture}.{key}"), Value::U32(size)));
    entries.extend(sizes);
    let epsilon = format!("{architecture}.attention.layer_norm_rms_epsilon");
    entries.push((epsilon, Value::F32(1e-5)));
    let tensors = tensors(count, kind);
    Parts { entries, tensors }
}

/// The tensors of one layer and those outside layers.
fn tensors(count: usize, kind: GgmlDType) -> Vec<(String, QTensor)> {
    let mut tensors = Vec::new();
    let mut add = |name: &str, shape: &[usize], kind| {
        let floats: usize = shape.iter().product();
        let seed = tensors.len() * 31;
        let value = |i: usize| (((i + seed) * 7919 % 1009) as f32 / 504.5 - 1.0) * 0.3;
        let values: Vec<f32> = (0..floats).map(value).collect();
        let tensor = Tensor::from_vec(values, shape, &Device::Cpu).unwrap();
        tensors.push((name.to_owned(), QTensor::quantize(&tensor, kind).unwrap()));
    };
    add("token_embd.weight", &[count, WIDTH], kind);
    add("output_norm.weight", &[WIDTH], GgmlDType::F32);
    for norm in ["attn_norm", "ffn_norm"] {
        add(&format!("blk.0.{norm}.weight"), &[WIDTH], GgmlDType::F32);
    }
    for (name, rows) in [
        ("attn_q", WIDTH),
        ("attn_k", WIDTH / 2),
        ("attn_v", WIDTH / 2),
        ("attn_output", WIDTH),
        ("ffn_gate", 256),
        ("ffn_up", 256),
        ("ffn_down", WIDTH),
    ] {
        add(&format!("blk.0.{name}.weight"), &[rows, WIDTH], kind);
    }
    tensors
}

fn list(texts: &[String]) -> Value {
    Value::Array(texts.iter().cloned().map(Value::String).collect())
}

impl Parts {
    fn write(&self, place: &TempDir) -> PathBuf {
        let path = place.path().join("model.gguf");
        let mut file = fs::File::create(&path).unwrap();
        let entries: Vec<(&str, &Value)> = self
            .entries
            .iter()
            .map(|(key, value)| (key.as_str(), value))
            .collect();
        let tensors: Vec<(&str, &QTensor)> = self
            .tensors
            .iter()
            .map(|(name, tensor)| (name.as_str(), tensor))
            .collect();
        gguf_file::write(&mut file, &entries, &tensors).unwrap();
        path
    }

    fn entry(&mut self, key: &str) -> &mut Value {
        &mut self
            .entries
            .iter_mut()
            .find(|(name, _)| name == key)
            .unwrap()
            .1
    }
}

fn load(path: &Path) -> Result<Generator, LoadError> {
    Generator::load(path, GeneratorOptions::default())
}

fn refusal(parts: &Parts) -> String {
    let place = TempDir::new().unwrap();
    let path = parts.write(&place);
    let message = load(&path).unwrap_err().to_string();
    assert!(message.contains("model.gguf"), "{message}");
    message
}

#[test]
fn every_type_of_weights_gives_what_its_floats_do() {
    let ids: Vec<u32> = "the harbour".bytes().map(u32::from).collect();
    let logits = |parts: &Parts| {
        let place = TempDir::new().unwrap();
        let path = parts.write(&place);
        let mut model = load(place.path()).unwrap();
        assert_eq!(
            model.name(),
            place.path().file_name().unwrap().to_str().unwrap()
        );
        assert_eq!(load(&path).unwrap().name(), "model");
        assert_eq!(model.tokens("he h").unwrap(), [256, 32, 104]);
        model.logits(&ids).unwrap().concat()
    };
    for kind in [
        GgmlDType::F16,
        GgmlDType::Q8_0,
        GgmlDType::Q6K,
        GgmlDType::Q5K,
        GgmlDType::Q5_1,
        GgmlDType::Q5_0,
        GgmlDType::Q4K,
        GgmlDType::Q4_1,
        GgmlDType::Q4_0,
    ] {
        let packed = parts("llama", kind);
        // what these are rounded to
        let rounded = match kind {
            GgmlDType::Q5_0 => Some(GgmlDType::Q6K),
            GgmlDType::Q4_1 | GgmlDType::Q5_1 => Some(GgmlDType::Q8_0),
            _ => None,
        };
        let floats = |(name, tensor): &(String, QTensor)| {
            let mut floats = tensor.dequantize(&Device::Cpu).unwrap();
            if let Some(to) = rounded.filter(|_| tensor.dtype() == kind) {
                let rounded = QTensor::quantize(&floats, to).unwrap();
                floats = rounded.dequantize(&Device::Cpu).unwrap();
            }
            let floats = QTensor::quantize(&floats, GgmlDType::F32).unwrap();
            (name.clone(), floats)
        };
        let exact = Parts {
            entries: packed.entries.clone(),
            tensors: packed.tensors.iter().map(floats).collect(),
        };
        let exact = logits(&exact);
        let size = exact.iter().map(|x| x * x).sum::<f32>();
        let off = logits(&packed)
            .iter()
            .zip(&exact)
            .map(|(a, b)| (a - b).powi(2))
            .sum::<f32>();
        let off = (off / size).sqrt();
        println!("{kind:?}: {off}");
        assert!(off < 0.03, "{kind:?}: {off}");
    }
}

#[test]
fn a_folder_of_one_file_is_loaded_and_of_two_refused() {
    let place = TempDir::new().unwrap();
    let path = parts("llama", GgmlDType::Q8_0).write(&place);
    let mut model = load(place.path()).unwrap();
    let asked = Request::new(vec![Message::new(Role::User, "he")], 3);
    assert!(
        model
            .generate(&asked, &mut |_| Flow::On)
            .unwrap()
            .reply_tokens
            <= 3
    );
    assert_eq!(model.context_tokens(), 64);
    fs::copy(&path, place.path().join("other.GGUF")).unwrap();
    let message = load(place.path()).unwrap_err().to_string();
    assert_has(&message, &["other.GGUF", "model.gguf"]);
    assert!(matches!(
        load(Path::new("/nowhere")).unwrap_err(),
        LoadError::NotAFolder { .. }
    ));
}

#[test]
fn a_file_that_is_cut_or_no_gguf_is_refused() {
    let place = TempDir::new().unwrap();
    let path = parts("llama", GgmlDType::Q4_1).write(&place);
    let whole = fs::read(&path).unwrap();
    for bytes in [0, 3, 4, 10, 200, 5_000, whole.len() / 2, whole.len() - 1] {
        fs::write(&path, &whole[..bytes]).unwrap();
        let error = load(&path).unwrap_err();
        let is_told = matches!(
            error,
            LoadError::NotGguf { .. } | LoadError::Truncated { .. }
        );
        assert!(is_told, "{bytes}: {error}");
        assert!(error.to_string().contains("model.gguf"), "{error}");
    }
    fs::write(&path, b"<html>please log in</html>").unwrap();
    assert!(
        load(&path)
            .unwrap_err()
            .to_string()
            .contains("does not begin with GGUF")
    );
    let mut wild = parts("llama", GgmlDType::Q4_1);
    wild.entries
        .insert(0, ("general.alignment".to_owned(), Value::U32(0)));
    assert!(refusal(&wild).contains("aligned to 0"));
}

/// The error for a changed model.
fn changed(change: &dyn Fn(&mut Parts)) -> String {
    let mut parts = parts("llama", GgmlDType::Q8_0);
    change(&mut parts);
    refusal(&parts)
}

#[test]
fn a_file_of_another_kind_is_refused_by_its_entry_or_tensor() {
    assert_has(
        &refusal(&parts("gpt-j", GgmlDType::Q8_0)),
        &["general.architecture", "gpt-j", "qwen3"],
    );
    assert_has(
        &refusal(&parts("qwen2", GgmlDType::Q8_0)),
        &["blk.0.attn_q.bias", "missing"],
    );
    assert_has(
        &refusal(&parts("qwen3", GgmlDType::Q8_0)),
        &["blk.0.attn_q_norm.weight", "missing"],
    );
    let missing = changed(&|parts| parts.entries.retain(|(key, _)| key != "llama.block_count"));
    assert_has(&missing, &["llama.block_count", "missing"]);
    let wrong = changed(&|parts| *parts.entry("llama.attention.head_count_kv") = Value::U32(3));
    assert_has(&wrong, &["head_count_kv", "3"]);
    let wrong = changed(&|parts| *parts.entry("llama.feed_forward_length") = Value::U32(128));
    assert_has(
        &wrong,
        &["blk.0.ffn_gate.weight", "[256, 256]", "[128, 256]"],
    );
}

#[test]
fn a_vocabulary_or_template_of_another_kind_is_refused() {
    let text = |text: &str| Value::String(text.to_owned());
    let wrong = changed(&|parts| *parts.entry("tokenizer.ggml.model") = text("bert"));
    assert_has(&wrong, &["tokenizer.ggml.model", "bert", "gpt2"]);
    let wrong = changed(&|parts| *parts.entry("tokenizer.ggml.pre") = text("new"));
    assert_has(&wrong, &["tokenizer.ggml.pre", "new", "smollm"]);
    let merges = list(&["q qq".to_owned()]);
    let wrong = changed(&|parts| *parts.entry("tokenizer.ggml.merges") = merges.clone());
    assert_has(&wrong, &["tokenizer"]);
    let wrong = changed(&|parts| *parts.entry("tokenizer.chat_template") = text("{% if"));
    assert_has(&wrong, &["chat template"]);
    let wrong = changed(&|parts| {
        parts
            .entries
            .retain(|(key, _)| key != "tokenizer.chat_template");
    });
    assert_has(&wrong, &["chat_template", "trained to answer"]);
    let wrong = changed(&|parts| parts.tensors.retain(|(name, _)| !name.contains("ffn_down")));
    assert_has(&wrong, &["blk.0.ffn_down.weight", "missing"]);
    let wrong = changed(&|parts| {
        let mut tokens = byte_tokens();
        tokens.extend((0..20).map(|at| format!("extra{at}")));
        parts
            .entries
            .retain(|(key, _)| key != "tokenizer.ggml.token_type");
        *parts.entry("tokenizer.ggml.tokens") = list(&tokens);
        parts
            .entries
            .retain(|(key, _)| key != "tokenizer.ggml.merges");
        parts
            .entries
            .push(("tokenizer.ggml.merges".to_owned(), Value::Array(Vec::new())));
    });
    assert_has(&wrong, &["276 tokens", "259"]);
}

fn shaped(shape: JsonShape) -> Request {
    Request {
        shape: Shape::Json(shape),
        ..Request::new(vec![Message::new(Role::User, "he")], 20)
    }
}

/// A model in which five values of a tensor are no numbers.
fn damaged(kind: GgmlDType, name: &str) -> Parts {
    let mut parts = parts("llama", kind);
    let tensor = parts.tensors.iter_mut().find(|(found, _)| found == name);
    let tensor = &mut tensor.unwrap().1;
    let whole = tensor.dequantize(&Device::Cpu).unwrap();
    let mut values: Vec<f32> = whole.flatten_all().unwrap().to_vec1().unwrap();
    values[40..45].fill(f32::NAN);
    let values = Tensor::from_vec(values, whole.dims(), &Device::Cpu).unwrap();
    *tensor = QTensor::quantize(&values, tensor.dtype()).unwrap();
    parts
}

#[test]
fn norms_that_are_no_numbers_are_refused() {
    for kind in [GgmlDType::F16, GgmlDType::Q8_0, GgmlDType::Q4_0] {
        for name in ["output_norm.weight", "blk.0.attn_norm.weight"] {
            assert_has(&refusal(&damaged(kind, name)), &[name, "NaN", "finite"]);
        }
    }
}

#[test]
fn damaged_weights_end_in_an_error_with_a_shape_and_without() {
    let place = TempDir::new().unwrap();
    let parts = damaged(GgmlDType::F16, "blk.0.ffn_down.weight");
    let mut model = load(&parts.write(&place)).unwrap();
    let text = JsonShape::Object(vec![(
        "text".to_owned(),
        JsonShape::String { chars_max: 5 },
    )]);
    let plain = Request::new(vec![Message::new(Role::User, "he")], 3);
    for asked in [plain, shaped(text)] {
        let error = model.generate(&asked, &mut |_| Flow::On).unwrap_err();
        let told = error.to_string();
        assert!(told.contains("logit that is a number"), "{told}");
    }
}
