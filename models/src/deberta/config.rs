//! The settings of a DeBERTa, and those that are supported.

use std::path::Path;

use candle_transformers::models::debertav2::{Config, HiddenAct};
use serde::Deserialize;
use serde_json::Value;

use crate::checkpoint::LoadError;

/// More layers and the like mean a damaged file.
pub(crate) const SIZE_MAX: usize = 1 << 20;

/// The settings of a DeBERTa of versions 2 and 3.
#[derive(Debug, Clone, Deserialize)]
#[serde(default)]
pub(crate) struct Encoder {
    pub(crate) model_type: String,
    pub(crate) hidden_size: usize,
    pub(crate) num_hidden_layers: usize,
    pub(crate) num_attention_heads: usize,
    pub(crate) intermediate_size: usize,
    pub(crate) hidden_act: String,
    pub(crate) max_position_embeddings: usize,
    pub(crate) max_relative_positions: i64,
    pub(crate) position_buckets: i64,
    pub(crate) relative_attention: bool,
    pub(crate) pos_att_type: Value,
    pub(crate) share_att_key: bool,
    pub(crate) norm_rel_ebd: String,
    pub(crate) position_biased_input: bool,
    pub(crate) type_vocab_size: usize,
    pub(crate) layer_norm_eps: f64,
    pub(crate) embedding_size: Option<usize>,
    pub(crate) conv_kernel_size: Option<usize>,
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

impl Encoder {
    /// Refuses settings of another architecture, and sizes that no model has.
    pub(crate) fn check(&self, file: &Path) -> Result<(), LoadError> {
        let is = |field, found: &str, expected: &'static str| match found == expected {
            true => Ok(()),
            false => Err(refuse(file, field, found, expected)),
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
            return Err(refuse(file, "hidden_size", &size.to_string(), expected));
        }
        if self
            .embedding_size
            .is_some_and(|embedding| embedding != size)
        {
            return Err(refuse(file, "embedding_size", "another", "hidden_size"));
        }
        let span = self.span();
        let positions = self.max_position_embeddings;
        if !(8..=SIZE_MAX).contains(&positions) {
            let found = positions.to_string();
            return Err(refuse(
                file,
                "max_position_embeddings",
                &found,
                "8 to 1048576",
            ));
        }
        if !(2..=SIZE_MAX).contains(&span) {
            return Err(refuse(
                file,
                "position_buckets",
                &span.to_string(),
                "2 to 1048576",
            ));
        }
        if self.position_buckets > 0 && self.positions() <= self.span() / 2 + 1 {
            let found = self.positions().to_string();
            let expected = "more than half the position_buckets";
            return Err(refuse(file, "max_relative_positions", &found, expected));
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

    /// Buckets of one direction; `None` if every distance has its own row.
    fn buckets(&self) -> Option<usize> {
        usize::try_from(self.position_buckets)
            .ok()
            .filter(|&buckets| buckets > 0)
    }

    /// Distances below this have a row of their own in the table of relative positions.
    pub(super) fn exact_distances(&self) -> usize {
        self.buckets()
            .map_or(self.span(), |buckets| buckets / 2 + 1)
    }

    /// The library's settings of a network of `words` different tokens that reads texts of up to
    /// `tokens_max` tokens. Distances up to `positions` are put into the buckets of this model;
    /// with `None`, each distance has its own row.
    pub(super) fn for_candle(
        &self,
        words: usize,
        tokens_max: usize,
        positions: Option<usize>,
    ) -> Config {
        let kinds = ["c2p", "p2c"].into_iter().filter(|kind| self.attends(kind));
        let norm = if self.normed_positions() {
            "layer_norm"
        } else {
            "none"
        };
        Config {
            vocab_size: words,
            hidden_size: self.hidden_size,
            num_hidden_layers: self.num_hidden_layers,
            num_attention_heads: self.num_attention_heads,
            intermediate_size: self.intermediate_size,
            hidden_act: HiddenAct::Gelu,
            hidden_dropout_prob: 0.0,
            attention_probs_dropout_prob: 0.0,
            max_position_embeddings: tokens_max,
            type_vocab_size: self.type_vocab_size,
            initializer_range: 0.02,
            layer_norm_eps: self.layer_norm_eps,
            relative_attention: true,
            max_relative_positions: positions.unwrap_or(tokens_max) as isize,
            pad_token_id: None,
            position_biased_input: false,
            pos_att_type: kinds.map(str::to_owned).collect(),
            position_buckets: positions
                .and(self.buckets())
                .map(|buckets| buckets as isize),
            share_att_key: Some(self.share_att_key),
            attention_head_size: None,
            embedding_size: None,
            norm_rel_ebd: Some(norm.to_owned()),
            conv_kernel_size: None,
            conv_groups: None,
            conv_act: None,
            id2label: None,
            label2id: None,
            pooler_dropout: None,
            pooler_hidden_act: None,
            pooler_hidden_size: None,
            cls_dropout: None,
        }
    }

    /// Whether this `kind` (`c2p`, `p2c`) of position attention is used.
    fn attends(&self, kind: &str) -> bool {
        match &self.pos_att_type {
            Value::String(kinds) => kinds.split('|').any(|one| one.trim() == kind),
            Value::Array(kinds) => kinds.iter().any(|one| one == kind),
            _ => false,
        }
    }

    /// Whether the table of relative positions is normalised.
    fn normed_positions(&self) -> bool {
        let kinds = self.norm_rel_ebd.to_lowercase();
        kinds.split('|').any(|kind| kind.trim() == "layer_norm")
    }
}

/// The error that a setting is not supported.
pub(crate) fn refuse(
    file: &Path,
    field: &'static str,
    found: &str,
    expected: &'static str,
) -> LoadError {
    LoadError::Setting {
        file: file.to_owned(),
        field,
        found: match found {
            "" => "empty".to_owned(),
            found => found.to_owned(),
        },
        expected,
    }
}
