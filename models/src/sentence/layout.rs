//! The files of an encoder folder, and their settings.
//!
//! Reads the layout of sentence-transformers, old and new (`modules.json` with transformer,
//! pooling, dense and normalising modules), and a bare folder, for which mean pooling is assumed.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::Deserialize;
use serde_json::Value;

use super::config::Config;
use super::pooling::Pooling;
use super::prompts::Prompts;
use crate::checkpoint::{LoadError, read_json_if_there};

/// The parts of one encoder folder.
#[derive(Debug)]
pub(super) struct Layout {
    pub(super) body: Body,
    pub(super) pooling: Pooling,
    /// The folders of the layers after pooling.
    pub(super) dense: Vec<PathBuf>,
    pub(super) prompts: Prompts,
}

/// The network and its tokenizer.
#[derive(Debug)]
pub(super) struct Body {
    pub(super) config: Arc<Config>,
    pub(super) config_file: PathBuf,
    pub(super) tokenizer: PathBuf,
    /// Folder of the weights.
    pub(super) folder: PathBuf,
    /// Tokens, special tokens included, above which a text is truncated.
    pub(super) tokens_max: usize,
    /// Whether text is converted to lower case before tokenization.
    pub(super) lower_case: bool,
}

/// An entry of `modules.json`.
#[derive(Debug, Deserialize)]
struct Module {
    path: String,
    #[serde(rename = "type")]
    kind: String,
}

impl Layout {
    /// Reads the settings of `folder` and checks that they are supported.
    pub(super) fn read(folder: &Path) -> Result<Self, LoadError> {
        LoadError::unless_folder(folder)?;
        let modules = modules(folder)?;
        Ok(Self {
            body: Body::read(folder, &folder.join(&modules.body))?,
            pooling: Pooling::read(&folder.join(&modules.pooling).join("config.json"))?,
            dense: modules.dense.iter().map(|path| folder.join(path)).collect(),
            prompts: Prompts::read(folder)?,
        })
    }
}

impl Body {
    /// Reads the settings of the network in `body`, which is `folder` or a folder in it.
    pub(super) fn read(folder: &Path, body: &Path) -> Result<Self, LoadError> {
        let config_file = body.join("config.json");
        let config = Arc::new(Config::read(&config_file)?);
        let sentence_file = folder.join("sentence_bert_config.json");
        let sentence: Option<Value> = read_json_if_there(&sentence_file)?;
        let lower_case = sentence.as_ref().and_then(|s| s.get("do_lower_case"));
        let lower_case = lower_case.and_then(Value::as_bool).unwrap_or(false);
        let tokens_max = tokens_max((sentence_file, sentence), body, config.positions())?;
        Ok(Self {
            config,
            config_file,
            tokenizer: body.join("tokenizer.json"),
            folder: body.to_owned(),
            tokens_max,
            lower_case,
        })
    }
}

/// The folders of the modules, relative to the encoder's folder.
struct ModuleFolders {
    body: String,
    pooling: String,
    dense: Vec<String>,
}

fn modules(folder: &Path) -> Result<ModuleFolders, LoadError> {
    let mut folders = ModuleFolders {
        body: String::new(),
        pooling: "1_Pooling".to_owned(),
        dense: Vec::new(),
    };
    let file = folder.join("modules.json");
    let Some(modules) = read_json_if_there::<Vec<Module>>(&file)? else {
        return Ok(folders);
    };
    for module in modules {
        // Old and new releases use different paths for the classes; the last part is the same.
        match module.kind.rsplit('.').next() {
            Some("Transformer") => folders.body = module.path,
            Some("Pooling") => folders.pooling = module.path,
            Some("Dense") => folders.dense.push(module.path),
            Some("Normalize") => {}
            _ => {
                return Err(LoadError::Setting {
                    file,
                    field: "type",
                    found: module.kind,
                    expected: "Transformer, Pooling, Dense and Normalize",
                });
            }
        }
    }
    Ok(folders)
}

/// The truncation length: from the sentence encoder's settings, else from its tokenizer's, and at
/// most the number of positions.
fn tokens_max(
    (sentence_file, sentence): (PathBuf, Option<Value>),
    body: &Path,
    positions: usize,
) -> Result<usize, LoadError> {
    let tokenizer_file = body.join("tokenizer_config.json");
    let tokenizer: Option<Value> = read_json_if_there(&tokenizer_file)?;
    let sources = [
        (sentence_file, sentence, "max_seq_length"),
        (tokenizer_file, tokenizer, "model_max_length"),
    ];
    for (file, settings, field) in sources {
        let limit = settings.as_ref().and_then(|s| s.get(field));
        let Some(limit) = limit.and_then(Value::as_f64) else {
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
