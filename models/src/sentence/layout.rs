//! Where the parts of an encoder lie in its folder, and what their settings say.
//!
//! Reads the layout of sentence-transformers, old and new (`modules.json` with a transformer, a
//! pooling and a normalising module), and a bare BERT folder, which is taken to pool by the mean.

use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::Value;

use crate::checkpoint::{LoadError, read_json, read_json_if_there};

/// The parts of one encoder folder.
#[derive(Debug)]
pub(super) struct Layout {
    pub(super) config: Config,
    pub(super) tokenizer: PathBuf,
    pub(super) weights: PathBuf,
    /// Tokens, special ones included, after which a text is cut.
    pub(super) tokens_max: usize,
}

/// What is used of a BERT's `config.json`.
#[derive(Debug, Deserialize)]
pub(super) struct Config {
    model_type: String,
    hidden_act: String,
    #[serde(default = "absolute")]
    position_embedding_type: String,
    pub(super) vocab_size: usize,
    pub(super) hidden_size: usize,
    pub(super) num_hidden_layers: usize,
    pub(super) num_attention_heads: usize,
    pub(super) intermediate_size: usize,
    pub(super) max_position_embeddings: usize,
    pub(super) type_vocab_size: usize,
    pub(super) layer_norm_eps: f64,
}

fn absolute() -> String {
    "absolute".to_owned()
}

/// One line of `modules.json`.
#[derive(Debug, Deserialize)]
struct Module {
    path: String,
    #[serde(rename = "type")]
    kind: String,
}

impl Layout {
    /// Reads the settings of `folder` and checks that this crate can do what they ask for.
    pub(super) fn read(folder: &Path) -> Result<Self, LoadError> {
        if !folder.is_dir() {
            return Err(LoadError::NotAFolder {
                path: folder.to_owned(),
            });
        }
        let modules = modules(folder)?;
        let body = folder.join(&modules.body);
        let config_file = body.join("config.json");
        let config: Config = read_json(&config_file)?;
        config.check(&config_file)?;
        check_pooling(&folder.join(&modules.pooling).join("config.json"))?;
        let tokens_max = tokens_max(folder, &body, config.max_position_embeddings)?;
        let (tokenizer, weights) = (body.join("tokenizer.json"), body.join("model.safetensors"));
        for file in [&tokenizer, &weights] {
            if !file.is_file() {
                return Err(LoadError::Missing { file: file.clone() });
            }
        }
        Ok(Self {
            config,
            tokenizer,
            weights,
            tokens_max,
        })
    }
}

impl Config {
    fn check(&self, file: &Path) -> Result<(), LoadError> {
        let refuse = |field, found: String, expected| {
            Err(LoadError::Setting {
                file: file.to_owned(),
                field,
                found,
                expected,
            })
        };
        if self.model_type != "bert" {
            return refuse("model_type", self.model_type.clone(), "bert");
        }
        if self.hidden_act != "gelu" {
            return refuse("hidden_act", self.hidden_act.clone(), "gelu");
        }
        if self.position_embedding_type != "absolute" {
            let found = self.position_embedding_type.clone();
            return refuse("position_embedding_type", found, "absolute");
        }
        let (size, heads) = (self.hidden_size, self.num_attention_heads);
        if size == 0 || heads == 0 || size % heads != 0 {
            return refuse(
                "hidden_size",
                size.to_string(),
                "a multiple of num_attention_heads",
            );
        }
        if self.type_vocab_size == 0 {
            return refuse("type_vocab_size", "0".to_owned(), "1 or more");
        }
        Ok(())
    }
}

/// The folders of the modules, relative to the encoder's.
struct ModuleFolders {
    body: String,
    pooling: String,
}

fn modules(folder: &Path) -> Result<ModuleFolders, LoadError> {
    let mut folders = ModuleFolders {
        body: String::new(),
        pooling: "1_Pooling".to_owned(),
    };
    let file = folder.join("modules.json");
    let Some(modules) = read_json_if_there::<Vec<Module>>(&file)? else {
        return Ok(folders);
    };
    for module in modules {
        // Old and new releases name the classes by different paths; the last part stayed.
        match module.kind.rsplit('.').next() {
            Some("Transformer") => folders.body = module.path,
            Some("Pooling") => folders.pooling = module.path,
            Some("Normalize") => {}
            _ => {
                return Err(LoadError::Setting {
                    file,
                    field: "type",
                    found: module.kind,
                    expected: "Transformer, Pooling and Normalize",
                });
            }
        }
    }
    Ok(folders)
}

/// Accepts the mean of the tokens, in either of the two ways in which it is written.
fn check_pooling(file: &Path) -> Result<(), LoadError> {
    let Some(settings) = read_json_if_there::<serde_json::Map<String, Value>>(file)? else {
        return Ok(());
    };
    let mut modes: Vec<String> = settings
        .iter()
        .filter(|(_, value)| **value == Value::Bool(true))
        .filter_map(|(key, _)| key.strip_prefix("pooling_mode_").map(str::to_owned))
        .collect();
    if let Some(Value::String(mode)) = settings.get("pooling_mode") {
        modes.push(mode.clone());
    }
    if modes
        .iter()
        .all(|mode| mode == "mean" || mode == "mean_tokens")
        && !modes.is_empty()
    {
        return Ok(());
    }
    let (field, expected) = ("pooling_mode", "mean");
    let found = if modes.is_empty() {
        "not given".to_owned()
    } else {
        modes.join("+")
    };
    Err(LoadError::Setting {
        file: file.to_owned(),
        field,
        found,
        expected,
    })
}

/// The cut: what the sentence encoder was made for, else what its tokenizer says, and never more
/// than there are positions.
fn tokens_max(folder: &Path, body: &Path, positions: usize) -> Result<usize, LoadError> {
    let sentence_file = folder.join("sentence_bert_config.json");
    let tokenizer_file = body.join("tokenizer_config.json");
    let sources = [
        (sentence_file, "max_seq_length"),
        (tokenizer_file, "model_max_length"),
    ];
    for (file, field) in sources {
        let settings: Option<Value> = read_json_if_there(&file)?;
        let Some(limit) = settings
            .as_ref()
            .and_then(|s| s.get(field))
            .and_then(Value::as_f64)
        else {
            continue;
        };
        // Two special tokens and one of the text. "No limit" is written as 1e30.
        if limit < 3.0 {
            let (found, expected) = (limit.to_string(), "3 or more");
            return Err(LoadError::Setting {
                file,
                field,
                found,
                expected,
            });
        }
        return Ok(if limit < positions as f64 {
            limit as usize
        } else {
            positions
        });
    }
    Ok(positions)
}
