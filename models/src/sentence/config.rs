//! The network settings in a checkpoint's `config.json`, and the supported values.

use std::path::Path;

use serde::Deserialize;
use serde_json::Value;

use crate::checkpoint::{LoadError, read_json};
use crate::families::{ENCODER_NAMES, ENCODERS};
use crate::kernel::Activation;

/// The fields used in the `config.json` of a BERT, a RoBERTa or an XLM-RoBERTa.
#[derive(Debug, Deserialize)]
pub(crate) struct Config {
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
    /// RoBERTa's positions start after this one.
    pad_token_id: Option<usize>,
    /// The classes of a classifier.
    id2label: Option<serde_json::Map<String, Value>>,
}

/// Networks with different tensor names, positions and heads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Family {
    /// Devlin et al. 2018.
    Bert,
    /// Liu et al. 2019, and Conneau et al. 2019, the same for many languages.
    Roberta,
}

fn absolute() -> String {
    "absolute".to_owned()
}

impl Config {
    /// Reads `file` and checks that its values are supported.
    pub(super) fn read(file: &Path) -> Result<Self, LoadError> {
        let config: Self = read_json(file)?;
        config.check(file)?;
        Ok(config)
    }

    /// The same for an embedded text, called `file`.
    pub(super) fn parse(file: &Path, text: &str) -> Result<Self, LoadError> {
        let config: Self = serde_json::from_str(text).map_err(|error| LoadError::Json {
            file: file.to_owned(),
            reason: error.to_string(),
        })?;
        config.check(file)?;
        Ok(config)
    }

    pub(super) fn family(&self) -> Family {
        match self.model_type.as_str() {
            "bert" => Family::Bert,
            _ => Family::Roberta,
        }
    }

    /// `bert-384x6`: the family, the width and the number of layers.
    pub(super) fn name(&self) -> String {
        let (size, layers) = (self.hidden_size, self.num_hidden_layers);
        format!("{}-{size}x{layers}", self.model_type)
    }

    pub(super) fn activation(&self) -> Activation {
        match self.hidden_act.as_str() {
            "gelu" => Activation::Gelu,
            "relu" => Activation::Relu,
            _ => Activation::GeluTanh,
        }
    }

    /// The position of a text's first token.
    pub(super) fn first_position(&self) -> usize {
        match self.family() {
            Family::Bert => 0,
            // 1 is the default of RoBERTa's settings.
            Family::Roberta => self.pad_token_id.unwrap_or(1).saturating_add(1),
        }
    }

    /// Number of positions for tokens.
    pub(super) fn positions(&self) -> usize {
        self.max_position_embeddings
            .saturating_sub(self.first_position())
    }

    /// The number of classes; two if the file gives none, like the default of its writers.
    pub(super) fn labels(&self) -> usize {
        self.id2label.as_ref().map_or(2, serde_json::Map::len)
    }

    fn check(&self, file: &Path) -> Result<(), LoadError> {
        let refuse = |field, found: String, expected| {
            Err(LoadError::Setting {
                file: file.to_owned(),
                field,
                found,
                expected,
            })
        };
        if !ENCODERS.contains(&self.model_type.as_str()) {
            return refuse("model_type", self.model_type.clone(), ENCODER_NAMES);
        }
        let known = ["gelu", "relu", "gelu_new", "gelu_pytorch_tanh"];
        if !known.contains(&self.hidden_act.as_str()) {
            let expected = "gelu, relu, gelu_new or gelu_pytorch_tanh";
            return refuse("hidden_act", self.hidden_act.clone(), expected);
        }
        if self.position_embedding_type != "absolute" {
            let found = self.position_embedding_type.clone();
            return refuse("position_embedding_type", found, "absolute");
        }
        let (size, heads) = (self.hidden_size, self.num_attention_heads);
        if size == 0 || heads == 0 || size % heads != 0 {
            let expected = "a multiple of num_attention_heads";
            return refuse("hidden_size", size.to_string(), expected);
        }
        let counts = [
            ("type_vocab_size", self.type_vocab_size, 1, "1 or more"),
            ("intermediate_size", self.intermediate_size, 1, "1 or more"),
            (
                "max_position_embeddings",
                self.positions(),
                3,
                "3 or more, after padding",
            ),
        ];
        for (field, found, least, expected) in counts {
            if found < least {
                return refuse(field, found.to_string(), expected);
            }
        }
        Ok(())
    }
}
