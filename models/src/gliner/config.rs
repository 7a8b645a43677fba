//! The content of `gliner_config.json`, and the supported values.

use std::path::Path;

use serde::Deserialize;
use serde_json::Value;

use crate::checkpoint::{LoadError, read_json};

/// Name prefix of the backbone's tensors.
pub(super) const BACKBONE: &str = "token_rep_layer.bert_layer.model.";

/// The file in a GLiNER folder that replaces `config.json`.
const FILE: &str = "gliner_config.json";
/// More layers and the like mean a damaged file.
const SIZE_MAX: usize = 1 << 20;

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

/// The settings of a DeBERTa of versions 2 and 3.
#[derive(Debug, Clone, Deserialize)]
#[serde(default)]
pub(super) struct Encoder {
    model_type: String,
    pub(super) hidden_size: usize,
    pub(super) num_hidden_layers: usize,
    pub(super) num_attention_heads: usize,
    pub(super) intermediate_size: usize,
    hidden_act: String,
    pub(super) max_position_embeddings: usize,
    max_relative_positions: i64,
    position_buckets: i64,
    relative_attention: bool,
    pos_att_type: Value,
    pub(super) share_att_key: bool,
    norm_rel_ebd: String,
    position_biased_input: bool,
    pub(super) type_vocab_size: usize,
    pub(super) layer_norm_eps: f64,
    embedding_size: Option<usize>,
    conv_kernel_size: Option<usize>,
}

impl Default for Encoder {
    /// Default of transformers if a file gives no value.
    fn default() -> Self {
        Self {
            model_type: "deberta-v2".to_owned(),
            hidden_size: 1536,
            num_hidden_layers: 24,
            num_attention_heads: 24,
            intermediate_size: 6144,
            hidden_act: "gelu".to_owned(),
            max_position_embeddings: 512,
            max_relative_positions: -1,
            position_buckets: -1,
            relative_attention: false,
            pos_att_type: Value::Null,
            share_att_key: false,
            norm_rel_ebd: "none".to_owned(),
            position_biased_input: true,
            type_vocab_size: 0,
            layer_norm_eps: 1e-7,
            embedding_size: None,
            conv_kernel_size: None,
        }
    }
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
            false => refuse(file, field, found, expected),
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
                return refuse(file, field, &value.to_string(), "null");
            }
        }
        for (field, value) in [
            ("hidden_size", self.hidden_size),
            ("max_width", self.max_width),
            ("max_len", self.max_len),
        ] {
            if value == 0 || value > SIZE_MAX {
                return refuse(file, field, &value.to_string(), "1 to 1048576");
            }
        }
        let odd = self.num_rnn_layers > 0 && !self.hidden_size.is_multiple_of(2);
        match odd {
            true => refuse(
                file,
                "hidden_size",
                &self.hidden_size.to_string(),
                "even numbers",
            ),
            false => Ok(()),
        }
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
                refuse(file, "model_name", found, expected)?;
                [0; 4]
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

impl Encoder {
    fn check(&self, file: &Path) -> Result<(), LoadError> {
        let is = |field, found: &str, expected: &'static str| match found == expected {
            true => Ok(()),
            false => refuse(file, field, found, expected),
        };
        is("model_type", &self.model_type, "deberta-v2")?;
        is("hidden_act", &self.hidden_act, "gelu")?;
        is(
            "relative_attention",
            &self.relative_attention.to_string(),
            "true",
        )?;
        let biased = self.position_biased_input.to_string();
        is("position_biased_input", &biased, "false")?;
        let kernel = self.conv_kernel_size.unwrap_or(0).to_string();
        is("conv_kernel_size", &kernel, "0")?;
        let (size, heads) = (self.hidden_size, self.num_attention_heads);
        if size == 0 || heads == 0 || !size.is_multiple_of(heads) || size > SIZE_MAX {
            let expected = "a multiple of num_attention_heads";
            return refuse(file, "hidden_size", &size.to_string(), expected);
        }
        if self
            .embedding_size
            .is_some_and(|embedding| embedding != size)
        {
            return refuse(file, "embedding_size", "another", "hidden_size");
        }
        let span = self.span();
        let positions = self.max_position_embeddings;
        if !(8..=SIZE_MAX).contains(&positions) {
            let found = positions.to_string();
            return refuse(file, "max_position_embeddings", &found, "8 to 1048576");
        }
        if !(2..=SIZE_MAX).contains(&span) {
            return refuse(file, "position_buckets", &span.to_string(), "2 to 1048576");
        }
        if self.position_buckets > 0 && self.positions() <= self.span() / 2 + 1 {
            let found = self.positions().to_string();
            let expected = "more than half the position_buckets";
            return refuse(file, "max_relative_positions", &found, expected);
        }
        Ok(())
    }

    /// Largest relative position before buckets.
    pub(super) fn positions(&self) -> usize {
        match usize::try_from(self.max_relative_positions) {
            Ok(positions) if positions > 0 => positions,
            _ => self.max_position_embeddings,
        }
    }

    /// Half the rows of the table of relative positions.
    pub(super) fn span(&self) -> usize {
        self.buckets().unwrap_or(self.positions())
    }

    /// Buckets of one direction; 0 if every distance has its own row.
    pub(super) fn buckets(&self) -> Option<usize> {
        usize::try_from(self.position_buckets)
            .ok()
            .filter(|&buckets| buckets > 0)
    }

    /// Whether this `kind` (`c2p`, `p2c`) of position attention is used.
    pub(super) fn attends(&self, kind: &str) -> bool {
        match &self.pos_att_type {
            Value::String(kinds) => kinds.split('|').any(|one| one.trim() == kind),
            Value::Array(kinds) => kinds.iter().any(|one| one == kind),
            _ => false,
        }
    }

    /// Whether the table of relative positions is normalised.
    pub(super) fn normed_positions(&self) -> bool {
        let kinds = self.norm_rel_ebd.to_lowercase();
        kinds.split('|').any(|kind| kind.trim() == "layer_norm")
    }
}

fn refuse(
    file: &Path,
    field: &'static str,
    found: &str,
    expected: &'static str,
) -> Result<(), LoadError> {
    Err(LoadError::Setting {
        file: file.to_owned(),
        field,
        found: match found {
            "" => "empty".to_owned(),
            found => found.to_owned(),
        },
        expected,
    })
}
