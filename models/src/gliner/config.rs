//! The content of `gliner_config.json`, and the supported values.

use std::path::Path;

use serde::Deserialize;
use serde_json::Value;

use crate::checkpoint::{LoadError, read_json};
use crate::deberta::{Encoder, SIZE_MAX, refuse};

/// Name prefix of the backbone's tensors.
pub(super) const BACKBONE: &str = "token_rep_layer.bert_layer.model";

/// The file in a GLiNER folder that replaces `config.json`.
const FILE: &str = "gliner_config.json";

#[derive(Debug, Deserialize)]
pub(super) struct Config {
    #[serde(default)]
    model_name: String,
    pub(super) hidden_size: usize,
    #[serde(default = "twelve")]
    pub(super) max_width: usize,
    #[serde(default = "words_max")]
    pub(super) max_len: usize,
    #[serde(default = "one")]
    pub(super) num_rnn_layers: usize,
    #[serde(default = "minus_one")]
    pub(super) class_token_index: i64,
    #[serde(default = "ent")]
    pub(super) ent_token: String,
    #[serde(default = "sep")]
    pub(super) sep_token: String,
    #[serde(default = "yes")]
    pub(super) embed_ent_token: bool,
    #[serde(default = "marker")]
    span_mode: String,
    #[serde(default = "first")]
    subtoken_pooling: String,
    #[serde(default = "whitespace")]
    words_splitter_type: String,
    #[serde(default)]
    fuse_layers: bool,
    #[serde(default)]
    post_fusion_schema: Option<String>,
    labels_encoder: Option<Value>,
    labels_decoder: Option<Value>,
    relations_layer: Option<Value>,
    span_encoder_config: Option<Value>,
    encoder_config: Option<Encoder>,
}

fn twelve() -> usize {
    12
}

fn words_max() -> usize {
    384
}

fn one() -> usize {
    1
}

fn minus_one() -> i64 {
    -1
}

fn ent() -> String {
    "<<ENT>>".to_owned()
}

fn sep() -> String {
    "<<SEP>>".to_owned()
}

fn yes() -> bool {
    true
}

fn marker() -> String {
    "markerV0".to_owned()
}

fn first() -> String {
    "first".to_owned()
}

fn whitespace() -> String {
    "whitespace".to_owned()
}

impl Config {
    /// Reads and checks the settings of `folder`, including those of the backbone.
    pub(super) fn read(folder: &Path) -> Result<(Self, Encoder), LoadError> {
        let file = folder.join(FILE);
        let config: Self = read_json(&file)?;
        config.check(&file)?;
        let encoder = match &config.encoder_config {
            Some(encoder) => encoder.clone(),
            None => config.published(&file)?,
        };
        encoder.check(&file)?;
        Ok((config, encoder))
    }

    fn check(&self, file: &Path) -> Result<(), LoadError> {
        let is = |field, found: &str, expected: &'static str| match found == expected {
            true => Ok(()),
            false => Err(refuse(file, field, found, expected)),
        };
        is("span_mode", &self.span_mode, "markerV0")?;
        is("subtoken_pooling", &self.subtoken_pooling, "first")?;
        let splitter = &self.words_splitter_type;
        is("words_splitter_type", splitter, "whitespace")?;
        is("fuse_layers", &self.fuse_layers.to_string(), "false")?;
        let fusion = self.post_fusion_schema.as_deref().unwrap_or_default();
        is("post_fusion_schema", fusion, "")?;
        for (field, value) in [
            ("labels_encoder", &self.labels_encoder),
            ("labels_decoder", &self.labels_decoder),
            ("relations_layer", &self.relations_layer),
            ("span_encoder_config", &self.span_encoder_config),
        ] {
            if let Some(value) = value {
                return Err(refuse(file, field, &value.to_string(), "null"));
            }
        }
        for (field, value) in [
            ("hidden_size", self.hidden_size),
            ("max_width", self.max_width),
            ("max_len", self.max_len),
        ] {
            if value == 0 || value > SIZE_MAX {
                return Err(refuse(file, field, &value.to_string(), "1 to 1048576"));
            }
        }
        let odd = self.num_rnn_layers > 0 && !self.hidden_size.is_multiple_of(2);
        if odd {
            let found = self.hidden_size.to_string();
            return Err(refuse(file, "hidden_size", &found, "even numbers"));
        }
        Ok(())
    }

    /// The backbones of the published models, whose settings give only their names.
    fn published(&self, file: &Path) -> Result<Encoder, LoadError> {
        let sizes = match self.model_name.rsplit('/').next().unwrap_or_default() {
            "deberta-v3-xsmall" => [384, 12, 6, 1536],
            "deberta-v3-small" => [768, 6, 12, 3072],
            "deberta-v3-base" | "mdeberta-v3-base" => [768, 12, 12, 3072],
            "deberta-v3-large" => [1024, 24, 16, 4096],
            _ => {
                let expected = "microsoft/deberta-v3-xsmall, -small, -base, -large or \
                                mdeberta-v3-base, where there is no encoder_config";
                let found = &self.model_name;
                return Err(refuse(file, "model_name", found, expected));
            }
        };
        Ok(Encoder {
            hidden_size: sizes[0],
            num_hidden_layers: sizes[1],
            num_attention_heads: sizes[2],
            intermediate_size: sizes[3],
            position_buckets: 256,
            relative_attention: true,
            pos_att_type: Value::from("p2c|c2p"),
            share_att_key: true,
            norm_rel_ebd: "layer_norm".to_owned(),
            position_biased_input: false,
            ..Encoder::default()
        })
    }
}
