//! Folders of safetensors: settings, one or several weight files, and the tokenizer.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

use candle_core::{Device, Tensor};
use serde::Deserialize;
use serde_json::Value;
use tokenizers::Tokenizer;

use super::config::{Config, Family, Rotation};
use super::source::{Matrix, Source};
use super::vocabulary::{Special, Vocabulary, byte_level, piece};
use crate::LoadError;
use crate::checkpoint::{Weights, read_json, read_json_if_there};

const INDEX: &str = "model.safetensors.index.json";
const WHOLE: &str = "model.safetensors";

/// The fields of config.json that are used; the others have no effect here.
#[derive(Debug, Deserialize)]
struct Settings {
    model_type: String,
    hidden_size: usize,
    num_hidden_layers: usize,
    num_attention_heads: usize,
    num_key_value_heads: Option<usize>,
    head_dim: Option<usize>,
    intermediate_size: usize,
    vocab_size: usize,
    max_position_embeddings: usize,
    rms_norm_eps: f64,
    hidden_act: Option<String>,
    rope_theta: Option<f64>,
    rope_scaling: Option<Scaling>,
    /// The two above combined, since transformers 5.
    rope_parameters: Option<Scaling>,
    #[serde(default)]
    tie_word_embeddings: bool,
    #[serde(default)]
    use_sliding_window: bool,
}

#[derive(Debug, Clone, Default, Deserialize)]
struct Scaling {
    #[serde(alias = "type")]
    rope_type: Option<String>,
    rope_theta: Option<f64>,
    factor: Option<f64>,
    low_freq_factor: Option<f64>,
    high_freq_factor: Option<f64>,
    original_max_position_embeddings: Option<f64>,
}

/// The weights of a folder.
pub(super) struct Folder {
    shards: Vec<Weights>,
    /// The shard of each tensor; empty if there is one shard.
    places: HashMap<String, usize>,
    is_tied: bool,
}

#[derive(Deserialize)]
struct Index {
    weight_map: BTreeMap<String, String>,
}

impl Folder {
    /// Maps the weights of `folder`.
    pub(super) fn open(folder: &Path) -> Result<(Self, Config), LoadError> {
        let file = folder.join("config.json");
        let settings: Settings = read_json(&file)?;
        let config = config(&file, &settings)?;
        let index: Option<Index> = read_json_if_there(&folder.join(INDEX))?;
        let mut names: Vec<String> = Vec::new();
        let mut places = HashMap::new();
        for (tensor, name) in index.into_iter().flat_map(|index| index.weight_map) {
            if name.contains(['/', '\\']) {
                return Err(LoadError::Json {
                    file: folder.join(INDEX),
                    reason: format!("{name} is not the name of a file beside it"),
                });
            }
            let at = names.iter().position(|known| *known == name);
            places.insert(tensor, at.unwrap_or(names.len()));
            if at.is_none() {
                names.push(name);
            }
        }
        if names.is_empty() {
            names.push(WHOLE.to_owned());
        }
        let open = |name: &String| {
            let file = folder.join(name);
            if file.is_file() {
                Weights::open(&file)
            } else {
                Err(LoadError::Missing { file })
            }
        };
        let folder = Self {
            shards: names.iter().map(open).collect::<Result<_, _>>()?,
            places,
            is_tied: settings.tie_word_embeddings,
        };
        Ok((folder, config))
    }

    /// The weights that hold a tensor, and its name in them.
    fn place(&self, name: &str) -> (&Weights, String) {
        let name = their_name(name);
        let at = self.places.get(&name).copied().unwrap_or(0);
        (&self.shards[at], name)
    }
}

impl Source for Folder {
    fn has(&self, name: &str) -> bool {
        if name == "output.weight" && self.is_tied {
            return false;
        }
        let (weights, name) = self.place(name);
        weights.has(&name)
    }

    fn matrix(
        &self,
        name: &str,
        rows: usize,
        columns: usize,
        device: &Device,
    ) -> Result<Matrix, LoadError> {
        let (weights, name) = self.place(name);
        let tensor = weights.take(&name, &[rows, columns])?;
        let tensor = tensor.to_device(device).and_then(Matrix::floats);
        weights.made(tensor)
    }

    fn vector(&self, name: &str, len: usize, device: &Device) -> Result<Tensor, LoadError> {
        let (weights, name) = self.place(name);
        let tensor = weights.take(&name, &[len])?;
        weights.made(tensor.to_device(device))
    }
}

/// The transformers name of a GGUF tensor.
fn their_name(name: &str) -> String {
    let (layer, rest) = match name
        .strip_prefix("blk.")
        .and_then(|rest| rest.split_once('.'))
    {
        Some((layer, rest)) => (Some(layer), rest),
        None => (None, name),
    };
    let (part, end) = rest.rsplit_once('.').unwrap_or((rest, ""));
    let part = match part {
        "token_embd" => return format!("model.embed_tokens.{end}"),
        "output_norm" => return format!("model.norm.{end}"),
        "output" => return format!("lm_head.{end}"),
        "attn_norm" => "input_layernorm",
        "attn_q" => "self_attn.q_proj",
        "attn_k" => "self_attn.k_proj",
        "attn_v" => "self_attn.v_proj",
        "attn_q_norm" => "self_attn.q_norm",
        "attn_k_norm" => "self_attn.k_norm",
        "attn_output" => "self_attn.o_proj",
        "ffn_norm" => "post_attention_layernorm",
        "ffn_gate" => "mlp.gate_proj",
        "ffn_up" => "mlp.up_proj",
        "ffn_down" => "mlp.down_proj",
        other => other,
    };
    format!("model.layers.{}.{part}.{end}", layer.unwrap_or_default())
}

fn config(file: &Path, settings: &Settings) -> Result<Config, LoadError> {
    let wrong = |field, found: String, expected| LoadError::Setting {
        file: file.to_owned(),
        field,
        found,
        expected,
    };
    let family = Family::from_name(&settings.model_type)
        .ok_or_else(|| wrong("model_type", settings.model_type.clone(), Family::NAMES))?;
    let act = settings.hidden_act.as_deref().unwrap_or("silu");
    if act != "silu" {
        return Err(wrong("hidden_act", act.to_owned(), "silu"));
    }
    if settings.use_sliding_window {
        return Err(wrong("use_sliding_window", "true".to_owned(), "false"));
    }
    let (width, heads) = (settings.hidden_size, settings.num_attention_heads);
    let kv_heads = settings.num_key_value_heads.unwrap_or(heads);
    let head_width = settings
        .head_dim
        .unwrap_or(width.checked_div(heads).unwrap_or(0));
    check_sizes(settings, kv_heads, head_width)
        .map_err(|(field, found, expected)| wrong(field, found.to_string(), expected))?;
    let rotation = rotation(settings, head_width)
        .map_err(|found| wrong("rope_type", found, "default, linear or llama3"))?;
    Ok(Config {
        family,
        layers: settings.num_hidden_layers,
        width,
        heads,
        kv_heads,
        head_width,
        inner_width: settings.intermediate_size,
        vocabulary: settings.vocab_size,
        context_tokens: settings.max_position_embeddings,
        norm_epsilon: settings.rms_norm_eps as f32,
        rotation,
    })
}

/// Checks the sizes before they are used; an error names the field, its value and the allowed
/// values.
fn check_sizes(
    settings: &Settings,
    kv_heads: usize,
    head_width: usize,
) -> Result<(), (&'static str, usize, &'static str)> {
    let (width, heads) = (settings.hidden_size, settings.num_attention_heads);
    let sizes = [
        ("hidden_size", width, 1 << 16, "1 to 65536"),
        ("num_attention_heads", heads, 1 << 10, "1 to 1024"),
        ("num_key_value_heads", kv_heads, 1 << 10, "1 to 1024"),
        ("head_dim", head_width, 1 << 10, "1 to 1024"),
        (
            "num_hidden_layers",
            settings.num_hidden_layers,
            1 << 10,
            "1 to 1024",
        ),
        (
            "intermediate_size",
            settings.intermediate_size,
            1 << 20,
            "1 to 1048576",
        ),
        ("vocab_size", settings.vocab_size, 1 << 24, "1 to 16777216"),
        (
            "max_position_embeddings",
            settings.max_position_embeddings,
            1 << 24,
            "1 to 16777216",
        ),
    ];
    for (field, found, most, expected) in sizes {
        if !(1..=most).contains(&found) {
            return Err((field, found, expected));
        }
    }
    if !heads.is_multiple_of(kv_heads) {
        let expected = "a multiple of num_key_value_heads";
        return Err(("num_attention_heads", heads, expected));
    }
    if !head_width.is_multiple_of(2) {
        return Err(("head_dim", head_width, "an even number"));
    }
    Ok(())
}

/// The rotation of heads; an unknown scaling type is an error.
fn rotation(settings: &Settings, head_width: usize) -> Result<Rotation, String> {
    let scaling = settings.rope_parameters.as_ref();
    let scaling = scaling.or(settings.rope_scaling.as_ref());
    let scaling = scaling.cloned().unwrap_or_default();
    let base = settings.rope_theta.or(scaling.rope_theta);
    let mut rotation = Rotation::new(base.unwrap_or(10_000.0), head_width, false);
    match scaling.rope_type.as_deref() {
        None | Some("default") => {}
        Some("linear") => {
            let factor = scaling.factor.unwrap_or(1.0) as f32;
            rotation
                .shares
                .iter_mut()
                .for_each(|share| *share /= factor);
        }
        Some("llama3") => stretch(&scaling, &mut rotation),
        Some(other) => {
            return Err(other.to_owned());
        }
    }
    Ok(rotation)
}

/// The rotation of Llama 3.1: slow pairs are slowed further, fast ones left, with a transition
/// between (the "llama3" scaling of transformers).
fn stretch(scaling: &Scaling, rotation: &mut Rotation) {
    let factor = scaling.factor.unwrap_or(8.0);
    let low = scaling.low_freq_factor.unwrap_or(1.0);
    let high = scaling.high_freq_factor.unwrap_or(4.0);
    let trained = scaling.original_max_position_embeddings.unwrap_or(8192.0);
    for at in 0..rotation.shares.len() {
        let wave = std::f64::consts::TAU / rotation.speed(at);
        let share = ((trained / wave - low) / (high - low)).clamp(0.0, 1.0);
        rotation.shares[at] = (share + (1.0 - share) / factor) as f32;
    }
}

/// Content of tokenizer_config.json and related files.
pub(super) struct Words {
    pub(super) vocabulary: Vocabulary,
    pub(super) template: Option<String>,
    pub(super) bos: String,
    pub(super) eos: String,
    /// The file that holds the template, for messages.
    pub(super) template_file: PathBuf,
}

/// Reads the tokenizer and the chat template of a folder.
pub(super) fn words(folder: &Path) -> Result<Words, LoadError> {
    let file = folder.join("tokenizer.json");
    let bad = |reason: String| LoadError::Tokenizer {
        file: file.clone(),
        reason,
    };
    let mut json: Value = read_json(&file)?;
    let specials = specials(&json);
    let is_byte_level = json["decoder"].to_string().contains("ByteLevel");
    let Some(fields) = json.as_object_mut() else {
        return Err(bad("it is not an object".to_owned()));
    };
    for field in ["post_processor", "truncation", "padding"] {
        fields.insert(field.to_owned(), Value::Null);
    }
    fields.insert("added_tokens".to_owned(), Value::Array(Vec::new()));
    let text = serde_json::to_vec(&json).map_err(|error| bad(error.to_string()))?;
    let plain = Tokenizer::from_bytes(&text).map_err(|error| bad(error.to_string()))?;
    let known = plain.get_vocab(false);
    let ids = known
        .values()
        .chain(specials.iter().map(|special| &special.id));
    let count = ids.max().map_or(0, |&id| id as usize + 1);
    if count > 1 << 24 {
        return Err(bad(format!("it numbers a token {count}")));
    }
    let mut bytes = vec![Vec::new(); count];
    for (token, id) in known {
        let token = if is_byte_level {
            byte_level(&token)
        } else {
            piece(&token)
        };
        bytes[id as usize] = token;
    }
    let (template, template_file, about) = template(folder)?;
    let text = |name: &str| {
        let token = &about[name];
        let text = token.as_str().or_else(|| token["content"].as_str());
        text.unwrap_or_default().to_owned()
    };
    let (bos, eos) = (text("bos_token"), text("eos_token"));
    let mut ends = ends(folder)?;
    ends.extend(specials.iter().filter(|s| s.text == eos).map(|s| s.id));
    Ok(Words {
        vocabulary: Vocabulary::new(plain, bytes, specials, ends),
        template,
        template_file,
        bos,
        eos,
    })
}

/// The special tokens.
fn specials(json: &Value) -> Vec<Special> {
    let tokens = json["added_tokens"].as_array().into_iter().flatten();
    let special = |token: &Value| {
        Some(Special {
            text: token["content"].as_str()?.to_owned(),
            id: u32::try_from(token["id"].as_u64()?).ok()?,
            is_control: token["special"].as_bool().unwrap_or(true),
        })
    };
    tokens.filter_map(special).collect()
}

/// The chat template, its file, and the tokenizer's settings.
fn template(folder: &Path) -> Result<(Option<String>, PathBuf, Value), LoadError> {
    let file = folder.join("tokenizer_config.json");
    let about: Value = read_json_if_there(&file)?.unwrap_or_default();
    let apart = folder.join("chat_template.jinja");
    match std::fs::read_to_string(&apart) {
        Ok(text) => return Ok((Some(text), apart, about)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
        Err(source) => {
            return Err(LoadError::Read {
                file: apart,
                source,
            });
        }
    }
    let template = match &about["chat_template"] {
        Value::String(text) => Some(text.clone()),
        // Several named templates: the default one is used.
        Value::Array(all) => {
            let default = all.iter().find(|one| one["name"] == "default");
            default.and_then(|one| Some(one["template"].as_str()?.to_owned()))
        }
        _ => None,
    };
    Ok((template, file, about))
}

/// The tokens that end a reply: one or several.
fn ends(folder: &Path) -> Result<Vec<u32>, LoadError> {
    let mut ends = Vec::new();
    for name in ["generation_config.json", "config.json"] {
        let settings: Value = read_json_if_there(&folder.join(name))?.unwrap_or_default();
        let ids = match &settings["eos_token_id"] {
            Value::Array(ids) => ids.clone(),
            id => vec![id.clone()],
        };
        let ids = ids.iter().filter_map(Value::as_u64);
        ends.extend(ids.filter_map(|id| u32::try_from(id).ok()));
    }
    Ok(ends)
}
