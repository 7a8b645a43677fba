//! Reads a folder of Hugging Face transformers: `config.json`, and the weights as one safetensors
//! file or several with an index.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::Value;

use super::binary::{self, Binary};
use super::dims::Dims;
use super::error::{self, ConvertError};
use super::plan::{Element, Index, Stored};

pub(super) const CONFIG: &str = "config.json";
pub(super) const WEIGHTS: &str = "model.safetensors";
pub(super) const WEIGHTS_INDEX: &str = "model.safetensors.index.json";

const FORMAT: &str = "safetensors";
/// Limits larger than in any Whisper: settings, and the headers and index of the weights.
const CONFIG_BYTES_MAX: u64 = 8 << 20;
const HEADER_BYTES_MAX: u64 = 16 << 20;
const FILES_MAX: usize = 256;
const NAME_BYTES_MAX: usize = 1_024;
const RANK_MAX: usize = 8;
const SHOWN_BYTES_MAX: usize = 100;

/// Content of a folder.
pub(super) struct Model {
    pub(super) index: Index,
    pub(super) dims: Dims,
}

/// Reads the settings, and the names and positions of the tensors.
pub(super) fn read(folder: &Path) -> Result<Model, ConvertError> {
    let file = folder.join(CONFIG);
    let config = Config {
        values: binary::json(&file, CONFIG_BYTES_MAX)?,
        file: &file,
    };
    config.check_kind(folder)?;
    let mut index = Index::default();
    for name in weights(folder)? {
        add(&mut index, &folder.join(name))?;
    }
    let (audio, text) = (
        "encoder.embed_positions.weight",
        "decoder.embed_positions.weight",
    );
    let dims = Dims {
        n_vocab: index.size("decoder.embed_tokens.weight", 2, 0)?,
        n_audio_ctx: index.size(audio, 2, 0)?,
        n_audio_state: index.size(audio, 2, 1)?,
        n_audio_head: config.number("encoder_attention_heads")?,
        n_audio_layer: config.number("encoder_layers")?,
        n_text_ctx: index.size(text, 2, 0)?,
        n_text_state: index.size(text, 2, 1)?,
        n_text_head: config.number("decoder_attention_heads")?,
        n_text_layer: config.number("decoder_layers")?,
        n_mels: index.size("encoder.conv1.weight", 3, 1)?,
    };
    Ok(Model { index, dims })
}

struct Config<'a> {
    values: Value,
    file: &'a Path,
}

impl Config<'_> {
    fn check_kind(&self, folder: &Path) -> Result<(), ConvertError> {
        let kind = self.values["model_type"].as_str().unwrap_or("nothing");
        if kind != "whisper" {
            return Err(ConvertError::NotWhisper {
                path: folder.to_owned(),
                found: format!("its config.json says model_type {:?}", shown(kind)),
            });
        }
        for (field, expected) in [
            ("activation_function", Value::from("gelu")),
            ("scale_embedding", Value::from(false)),
            ("tie_word_embeddings", Value::from(true)),
        ] {
            let found = &self.values[field];
            if !found.is_null() && *found != expected {
                return Err(self.refused(field, found, expected.to_string()));
            }
        }
        Ok(())
    }

    fn number(&self, field: &'static str) -> Result<u32, ConvertError> {
        let found = &self.values[field];
        let number = found.as_u64().and_then(|number| u32::try_from(number).ok());
        number.ok_or_else(|| self.refused(field, found, "1 to 64".to_owned()))
    }

    fn refused(&self, field: &'static str, found: &Value, expected: String) -> ConvertError {
        ConvertError::Setting {
            file: self.file.to_owned(),
            field,
            found: shown(&found.to_string()).to_owned(),
            expected,
        }
    }
}

/// The start of a text for a message.
fn shown(text: &str) -> &str {
    &text[..text.floor_char_boundary(SHOWN_BYTES_MAX)]
}

/// The files of the weights.
fn weights(folder: &Path) -> Result<Vec<String>, ConvertError> {
    if folder.join(WEIGHTS).is_file() {
        return Ok(vec![WEIGHTS.to_owned()]);
    }
    let file = folder.join(WEIGHTS_INDEX);
    let index = binary::json(&file, HEADER_BYTES_MAX)?;
    let bad = |reason: String| error::format(&file, "JSON", reason);
    let Some(map) = index["weight_map"].as_object() else {
        return Err(bad("it has no weight_map".to_owned()));
    };
    let names: BTreeSet<&str> = map.values().filter_map(Value::as_str).collect();
    if names.is_empty() || names.len() > FILES_MAX {
        let reason = format!("it names {} files, 1 to {FILES_MAX} are read", names.len());
        return Err(bad(reason));
    }
    let is_plain = |name: &&str| name.ends_with(".safetensors") && !name.contains(['/', '\\']);
    match names.iter().find(|name| !is_plain(name)) {
        Some(name) => Err(bad(format!(
            "{:?} is not a safetensors file beside it",
            shown(name)
        ))),
        None => Ok(names.into_iter().map(str::to_owned).collect()),
    }
}

/// Adds the tensors of a file: an eight-byte header length, the header in JSON, values.
fn add(index: &mut Index, file: &Path) -> Result<(), ConvertError> {
    let bad = |reason: String| error::format(file, FORMAT, reason);
    let mut binary = Binary::open(file)?;
    let length = u64::from_le_bytes(binary.array("header")?);
    if length > HEADER_BYTES_MAX {
        let reason = format!("its header has {length} bytes, at most {HEADER_BYTES_MAX} are read");
        return Err(bad(reason));
    }
    let header = binary.take(length as usize, "header")?;
    let header: Value =
        serde_json::from_slice(&header).map_err(|failure| bad(failure.to_string()))?;
    let Some(entries) = header.as_object() else {
        return Err(bad("its header is not an object".to_owned()));
    };
    let number = index.files.len();
    index.files.push(file.to_owned());
    let begin = binary.at();
    for (name, entry) in entries.iter().filter(|(name, _)| *name != "__metadata__") {
        let unclear = || {
            let (name, entry) = (shown(name), entry.to_string());
            bad(format!(
                "the entry of tensor {name} is invalid: {}",
                shown(&entry)
            ))
        };
        let read = stored(entry, number, begin).filter(|_| name.len() <= NAME_BYTES_MAX);
        let (stored, end) = read.ok_or_else(unclear)?;
        if end > binary.bytes() {
            return Err(ConvertError::Truncated {
                file: file.to_owned(),
                found: binary.bytes(),
                expected: end,
                part: format!("tensor {name}"),
            });
        }
        let name = name.strip_prefix("model.").unwrap_or(name);
        index.tensors.insert(name.to_owned(), stored);
    }
    Ok(())
}

/// A tensor and its end position; `None` if its size does not match its shape.
fn stored(entry: &Value, file: usize, begin: u64) -> Option<(Stored, u64)> {
    let element = match entry["dtype"].as_str()? {
        "F32" => Element::F32,
        "F16" => Element::F16,
        "BF16" => Element::Bf16,
        "F64" => Element::Other("float64"),
        "I8" | "U8" => Element::Other("int8"),
        _ => Element::Other("of a type that is not read"),
    };
    let sizes = entry["shape"].as_array()?.iter().map(Value::as_u64);
    let shape: Vec<u64> = sizes.collect::<Option<_>>()?;
    if shape.len() > RANK_MAX {
        return None;
    }
    let from = entry["data_offsets"][0].as_u64()?;
    let to = entry["data_offsets"][1].as_u64()?;
    let values = shape
        .iter()
        .try_fold(1u64, |all, &size| all.checked_mul(size))?;
    let bytes = to.checked_sub(from)?;
    let is_read = element.bytes() > 0;
    if is_read && values.checked_mul(element.bytes())? != bytes {
        return None;
    }
    let at = begin.checked_add(from)?;
    let stored = Stored {
        file,
        shape,
        element,
        at,
    };
    Some((stored, begin.checked_add(to)?))
}
