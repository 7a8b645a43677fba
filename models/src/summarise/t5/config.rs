//! The content of a T5's `config.json`, and the supported values.

use std::path::Path;

use candle_nn::Activation;
use candle_transformers::models::t5::{self, ActivationWithOptionalGating};
use serde::Deserialize;
use serde_json::Value;

use crate::checkpoint::{LoadError, read_json, read_json_if_there};
use crate::families::SUMMARISER;

/// Tokens that a T5 was trained to read, if its files give no value.
const TOKENS_MAX: usize = 512;
/// Larger values mean "no limit", which tokenizers write as 1e30: attention over the prompt would
/// then need unbounded memory.
const TOKENS_MAX_LARGEST: usize = 4_096;
/// Larger sizes mean a damaged file.
const SIZE_MAX: usize = 1 << 20;

#[derive(Debug, Deserialize)]
struct Raw {
    model_type: String,
    vocab_size: usize,
    d_model: usize,
    d_kv: usize,
    d_ff: usize,
    num_layers: usize,
    num_decoder_layers: Option<usize>,
    num_heads: usize,
    relative_attention_num_buckets: usize,
    relative_attention_max_distance: Option<usize>,
    layer_norm_epsilon: f64,
    feed_forward_proj: Option<String>,
    tie_word_embeddings: Option<bool>,
    scale_decoder_outputs: Option<bool>,
    eos_token_id: Option<Value>,
    pad_token_id: Option<u32>,
    decoder_start_token_id: Option<u32>,
}

/// The settings of a T5.
#[derive(Debug, Clone)]
pub(super) struct Config {
    /// The library's; whether the head is the embedding depends on the weights.
    pub(super) network: t5::Config,
    pub(super) decoder_layers: usize,
    /// Whether the last layer is scaled by `1 / sqrt(size)` before the head: true for T5, false for
    /// its version 1.1 (Flan-T5).
    pub(super) scaled_head: bool,
    /// Tokens that end a text.
    pub(super) ends: Vec<u32>,
    pub(super) start: u32,
}

impl Config {
    /// Reads and checks `folder`'s `config.json`.
    pub(super) fn read(folder: &Path) -> Result<Self, LoadError> {
        let file = folder.join("config.json");
        let raw: Raw = read_json(&file)?;
        let refuse = |field, found, expected| LoadError::Setting {
            file: file.clone(),
            field,
            found,
            expected,
        };
        if raw.model_type != SUMMARISER {
            return Err(refuse("model_type", raw.model_type, SUMMARISER));
        }
        let projection = raw.feed_forward_proj.as_deref().unwrap_or("relu");
        let Some(feed_forward) = feed_forward(projection) else {
            let expected = "relu, gated-relu, gated-gelu or gated-silu";
            return Err(refuse("feed_forward_proj", projection.to_owned(), expected));
        };
        for (field, value) in [
            ("vocab_size", raw.vocab_size),
            ("d_model", raw.d_model),
            ("d_kv", raw.d_kv),
            ("d_ff", raw.d_ff),
            ("num_heads", raw.num_heads),
            ("num_layers", raw.num_layers),
            (
                "num_decoder_layers",
                raw.num_decoder_layers.unwrap_or(raw.num_layers),
            ),
        ] {
            if value == 0 || value > SIZE_MAX {
                return Err(refuse(field, value.to_string(), "1 to 1048576"));
            }
        }
        if !(4..=SIZE_MAX).contains(&raw.relative_attention_num_buckets) {
            let found = raw.relative_attention_num_buckets.to_string();
            let expected = "4 to 1048576";
            return Err(refuse("relative_attention_num_buckets", found, expected));
        }
        let distance_max = raw.relative_attention_max_distance.unwrap_or(128);
        if distance_max <= raw.relative_attention_num_buckets / 2 {
            let (found, expected) = (distance_max.to_string(), "more than half the buckets");
            return Err(refuse("relative_attention_max_distance", found, expected));
        }
        Ok(raw.into_config(feed_forward, distance_max))
    }
}

impl Raw {
    fn into_config(
        self,
        feed_forward: ActivationWithOptionalGating,
        distance_max: usize,
    ) -> Config {
        let ends = match &self.eos_token_id {
            Some(Value::Array(ids)) => ids.iter().filter_map(Value::as_u64).collect(),
            Some(id) => id.as_u64().into_iter().collect(),
            None => vec![1],
        };
        Config {
            decoder_layers: self.num_decoder_layers.unwrap_or(self.num_layers),
            scaled_head: self
                .scale_decoder_outputs
                .unwrap_or(self.tie_word_embeddings != Some(false)),
            ends: ends
                .into_iter()
                .filter_map(|id| u32::try_from(id).ok())
                .collect(),
            start: self
                .decoder_start_token_id
                .or(self.pad_token_id)
                .unwrap_or(0),
            network: t5::Config {
                vocab_size: self.vocab_size,
                d_model: self.d_model,
                d_kv: self.d_kv,
                d_ff: self.d_ff,
                num_layers: self.num_layers,
                num_heads: self.num_heads,
                relative_attention_num_buckets: self.relative_attention_num_buckets,
                relative_attention_max_distance: distance_max,
                layer_norm_epsilon: self.layer_norm_epsilon,
                feed_forward_proj: feed_forward,
                ..t5::Config::default()
            },
        }
    }
}

/// The feed-forward part of this name, if the library has it.
fn feed_forward(name: &str) -> Option<ActivationWithOptionalGating> {
    let (gated, activation) = match name {
        "relu" => (false, Activation::Relu),
        "gated-relu" => (true, Activation::Relu),
        // transformers uses the tanh version for gated-gelu, as the published models do.
        "gated-gelu" | "gated-gelu_new" => (true, Activation::NewGelu),
        "gated-silu" | "gated-swish" => (true, Activation::Silu),
        _ => return None,
    };
    Some(ActivationWithOptionalGating { gated, activation })
}

/// Token limit of a prompt: from the tokenizer, else 512.
pub(super) fn tokens_max(folder: &Path) -> Result<usize, LoadError> {
    let file = folder.join("tokenizer_config.json");
    let settings: Option<Value> = read_json_if_there(&file)?;
    let limit = settings
        .as_ref()
        .and_then(|settings| settings.get("model_max_length")?.as_f64());
    match limit {
        Some(limit) if limit < 2.0 => Err(LoadError::Setting {
            file,
            field: "model_max_length",
            found: limit.to_string(),
            expected: "2 or more",
        }),
        Some(limit) if limit <= TOKENS_MAX_LARGEST as f64 => Ok(limit as usize),
        _ => Ok(TOKENS_MAX),
    }
}
