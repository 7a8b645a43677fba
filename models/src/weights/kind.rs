//! Detects the kind of weights from the files of a folder or repository.

use std::fs;
use std::path::Path;

use serde_json::Value;

use super::manifest::Kind;
use super::wanted::ENTRIES_MAX;
use crate::families::{ENCODER_NAMES, ENCODERS, GENERATOR_NAMES, GENERATORS, SUMMARISER};

/// The settings file that names the architecture.
pub(super) const CONFIG: &str = "config.json";

const TOKENIZER: &str = "tokenizer.json";
const WEIGHTS: &str = "model.safetensors|pytorch_model.bin";

/// A `config.json` is a few kB; a larger one is ignored.
const CONFIG_BYTES_MAX: u64 = 8 << 20;

/// Reads the kind from the names of a folder's files and from its `config.json`, if it has one;
/// `None` if weir does not support it.
///
/// For one kind the architecture takes precedence over `modules.json`: newer cross-encoders have
/// both.
pub(super) fn of_files(paths: &[&str], config: Option<&Value>) -> Option<Kind> {
    let has = |name: &str| paths.contains(&name);
    let architectures = config.and_then(|config| config["architectures"].as_array());
    let ends_with = |ending: &str| {
        let mut names = architectures
            .into_iter()
            .flatten()
            .filter_map(Value::as_str);
        names.any(|name| name.ends_with(ending))
    };
    if ends_with("DebertaV2ForSequenceClassification") {
        // no cross-encoder that is supported is a DeBERTa
        Some(Kind::Entailment)
    } else if ends_with("ForSequenceClassification") {
        Some(Kind::Reranker)
    } else if has("modules.json") || has("sentence_bert_config.json") {
        Some(Kind::Encoder)
    } else if ends_with("T5ForConditionalGeneration") {
        Some(Kind::Summariser)
    } else if ends_with("ForCausalLM") || paths.iter().any(|path| is_gguf(path)) {
        Some(Kind::Generator)
    } else {
        None
    }
}

/// Reads the kind of a local folder. Settings with an unknown architecture count as an encoder: its
/// loader then reports the problem.
pub(super) fn of_folder(folder: &Path) -> Option<Kind> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let names = entries.take(ENTRIES_MAX);
    let names = names.filter_map(|entry| entry.file_name().into_string().ok());
    let names: Vec<String> = names.collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let file = folder.join(CONFIG);
    let is_small = fs::metadata(&file).is_ok_and(|about| about.len() <= CONFIG_BYTES_MAX);
    let text = is_small.then(|| fs::read(&file).unwrap_or_default());
    let config = text.and_then(|text| serde_json::from_slice(&text).ok());
    of_files(&names, config.as_ref()).or_else(|| names.contains(&CONFIG).then_some(Kind::Encoder))
}

pub(super) fn is_gguf(path: &str) -> bool {
    path.ends_with(".gguf")
}

/// The architectures of `kind` by which a repository can be refused before it is downloaded, and
/// their names for messages; `None` if other files tell it, or the kind follows from it.
pub(super) fn families(kind: Kind) -> Option<(&'static [&'static str], &'static str)> {
    match kind {
        Kind::Encoder | Kind::Reranker => Some((ENCODERS, ENCODER_NAMES)),
        Kind::Generator => Some((GENERATORS, GENERATOR_NAMES)),
        Kind::Summariser => Some((&[SUMMARISER], SUMMARISER)),
        Kind::Entailment | Kind::Speech | Kind::Speaker | Kind::Segmentation => None,
    }
}

/// The required files of a repository of this kind.
pub(super) fn wanted(kind: Kind) -> Vec<String> {
    let own: &[&str] = match kind {
        // never detected
        Kind::Speech | Kind::Speaker | Kind::Segmentation => &[],
        Kind::Encoder => &[
            CONFIG,
            TOKENIZER,
            WEIGHTS,
            "modules.json?",
            "sentence_bert_config.json?",
            "config_sentence_transformers.json?",
            "*_Pooling/config.json?",
            "*_Dense/config.json?",
            "*_Dense/model.safetensors|*_Dense/pytorch_model.bin?",
        ],
        Kind::Summariser => &[CONFIG, TOKENIZER, WEIGHTS, "generation_config.json?"],
        Kind::Reranker | Kind::Entailment => &[CONFIG, TOKENIZER, WEIGHTS],
        Kind::Generator => &[
            CONFIG,
            TOKENIZER,
            "model.safetensors|model-*-of-*.safetensors",
            "model.safetensors.index.json?",
            "generation_config.json?",
            "chat_template.jinja?",
        ],
    };
    let of_all = ["tokenizer_config.json?", "special_tokens_map.json?"];
    own.iter()
        .chain(&of_all)
        .map(|&text| text.to_owned())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::wanted::Pattern;
    use super::*;

    #[test]
    fn the_kind_is_read_from_what_lies_there() {
        let folder = &["modules.json"][..];
        for (paths, architecture, expected) in [
            (folder, "BertModel", Some(Kind::Encoder)),
            (folder, "Qwen3ForCausalLM", Some(Kind::Encoder)),
            (&["sentence_bert_config.json"], "X", Some(Kind::Encoder)),
            (
                folder,
                "BertForSequenceClassification",
                Some(Kind::Reranker),
            ),
            (
                folder,
                "DebertaV2ForSequenceClassification",
                Some(Kind::Entailment),
            ),
            (&[], "T5ForConditionalGeneration", Some(Kind::Summariser)),
            (&[], "LlamaForCausalLM", Some(Kind::Generator)),
            (&[], "BartForConditionalGeneration", None),
            (&["a/b.gguf"], "", Some(Kind::Generator)),
            (&["model.onnx"], "", None),
        ] {
            let config = serde_json::json!({ "architectures": [architecture] });
            let found = of_files(paths, Some(&config));
            assert_eq!(found, expected, "{paths:?} {architecture}");
            let wanted = found.map(wanted).unwrap_or_default();
            let is_sound = |text: &String| Pattern::new(text).is_inside();
            assert!(wanted.iter().all(is_sound), "{architecture}");
        }
    }
}
