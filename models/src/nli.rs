//! Natural-language inference with a DeBERTa: reads premise and hypothesis together and tells the
//! chances of entailment, contradiction and neither.
//!
//! It reproduces `DebertaV2ForSequenceClassification` of transformers: a dense layer and a
//! classifier on the first token. Which class is which is read from `id2label`.

use std::path::Path;

use candle_core::{Result as Computed, Tensor};
use serde::Deserialize;
use serde_json::{Map, Value};
use tokenizers::utils::truncation::truncate_encodings;
use tokenizers::{Tokenizer, TruncationParams};

use crate::checkpoint::{LoadError, TensorFile, read_json, read_tokenizer, tokens_added};
use crate::deberta::{Deberta, Encoder, SIZE_MAX, refuse};
use crate::device::DeviceChoice;
use crate::entail::{Entail, EntailError, Entailment};
use crate::layers::Linear;

/// Name prefix of the network's tensors.
const ROOT: &str = "deberta";
/// Bytes of a text that are read: a longer one has more tokens than any model reads.
const TEXT_BYTES_MAX: usize = 1 << 16;

/// A DeBERTa of version 2 or 3 that was trained on natural-language inference, with the classes
/// entailment, neutral and contradiction in any order.
///
/// Cost: one pass over premise and hypothesis together, O(tokens^2); concurrent calls do not wait
/// for each other.
#[derive(Debug)]
pub struct EntailmentModel {
    name: String,
    tokenizer: Tokenizer,
    cut: TruncationParams,
    deberta: Deberta,
    pooler: Linear,
    classifier: Linear,
    classes: Classes,
}

/// The classifier's settings, beside those of the network in the same file.
#[derive(Debug, Deserialize)]
struct Head {
    id2label: Map<String, Value>,
    pooler_hidden_size: Option<usize>,
    #[serde(default = "gelu")]
    pooler_hidden_act: String,
}

fn gelu() -> String {
    "gelu".to_owned()
}

/// Which output is which class.
#[derive(Debug, Clone, Copy)]
struct Classes {
    entailment: usize,
    neutral: usize,
    contradiction: usize,
}

impl Head {
    fn classes(&self, file: &Path) -> Result<Classes, LoadError> {
        let place = |name: &str| {
            let mut labels = self.id2label.iter();
            let label = labels.find(|(_, label)| {
                label
                    .as_str()
                    .is_some_and(|label| label.eq_ignore_ascii_case(name))
            });
            label
                .and_then(|(id, _)| id.parse().ok())
                .filter(|&id: &usize| id < 3)
        };
        let classes = [
            place("entailment"),
            place("neutral"),
            place("contradiction"),
        ];
        match (classes, self.id2label.len()) {
            ([Some(entailment), Some(neutral), Some(contradiction)], 3) => Ok(Classes {
                entailment,
                neutral,
                contradiction,
            }),
            _ => {
                let found = Value::Object(self.id2label.clone()).to_string();
                let expected = "0 to 2 as entailment, neutral and contradiction";
                Err(refuse(file, "id2label", &found, expected))
            }
        }
    }
}

impl EntailmentModel {
    /// Loads a model from `folder` for the CPU; see [`load_on`](Self::load_on).
    ///
    /// # Errors
    /// As for [`load_on`](Self::load_on).
    pub fn load(folder: impl AsRef<Path>) -> Result<Self, LoadError> {
        Self::load_on(folder, DeviceChoice::Cpu)
    }

    /// Loads a model onto `device`, from a folder with `config.json`, `tokenizer.json` and
    /// `model.safetensors` or `pytorch_model.bin`.
    ///
    /// # Errors
    /// [`LoadError`] names the file and the problem, other classes included; or the device.
    pub fn load_on(folder: impl AsRef<Path>, device: DeviceChoice) -> Result<Self, LoadError> {
        let folder = folder.as_ref();
        LoadError::unless_folder(folder)?;
        let settings = folder.join("config.json");
        let encoder: Encoder = read_json(&settings)?;
        encoder.check(&settings)?;
        let head: Head = read_json(&settings)?;
        let classes = head.classes(&settings)?;
        let size = encoder.hidden_size;
        let pooled = head.pooler_hidden_size.unwrap_or(size);
        if pooled == 0 || pooled > SIZE_MAX {
            let found = pooled.to_string();
            return Err(refuse(
                &settings, "pooler_hidden_size", &found, "1 to 1048576",
            ));
        }
        if head.pooler_hidden_act != gelu() {
            let found = &head.pooler_hidden_act;
            return Err(refuse(&settings, "pooler_hidden_act", found, "gelu"));
        }
        let file = TensorFile::find(folder, &device.open()?)?;
        let words = file.shape(&format!("{ROOT}.embeddings.word_embeddings.weight"));
        let rows = words.and_then(|shape| shape.first().copied()).unwrap_or(0);
        let (tokenizer, cut) = pair_reader(folder, rows, encoder.max_position_embeddings)?;
        Ok(Self {
            name: format!("nli-deberta-{size}x{}", encoder.num_hidden_layers),
            tokenizer,
            cut,
            deberta: Deberta::new(&encoder, &file, ROOT, rows, encoder.max_position_embeddings)?,
            pooler: Linear::take(&file, "pooler.dense", size, pooled)?,
            classifier: Linear::take(&file, "classifier", pooled, 3)?,
            classes,
        })
    }

    /// Bytes of weights that stay in memory while the model is loaded; on a GPU in its memory.
    pub fn resident_bytes(&self) -> usize {
        self.deberta.bytes() + self.pooler.bytes() + self.classifier.bytes()
    }

    /// The tokens of a pair; if too long, its longer text is truncated.
    fn read(&self, premise: &str, hypothesis: &str) -> tokenizers::Result<Vec<u32>> {
        let encode = |text: &str| {
            let text = &text[..text.floor_char_boundary(TEXT_BYTES_MAX)];
            self.tokenizer.encode_fast(text, false)
        };
        let (premise, hypothesis) = (encode(premise)?, encode(hypothesis)?);
        let (premise, hypothesis) = truncate_encodings(premise, Some(hypothesis), &self.cut)?;
        let pair = self.tokenizer.post_process(premise, hypothesis, true)?;
        Ok(pair.get_ids().to_vec())
    }

    /// The chances of the three classes, in the checkpoint's order.
    fn chances(&self, ids: &[u32]) -> Computed<Vec<f32>> {
        let first: Tensor = self.deberta.forward(ids)?.narrow(0, 0, 1)?;
        let pooled = self.pooler.apply(&first)?.gelu_erf()?;
        let logits = self.classifier.apply(&pooled)?;
        candle_nn::ops::softmax_last_dim(&logits)?
            .squeeze(0)?
            .to_vec1()
    }
}

/// The tokenizer for a network with `rows` tokens that reads `tokens_max` at once, and how it
/// truncates pairs.
fn pair_reader(
    folder: &Path,
    rows: usize,
    tokens_max: usize,
) -> Result<(Tokenizer, TruncationParams), LoadError> {
    let file = folder.join("tokenizer.json");
    let tokenizer = read_tokenizer(&file, rows)?;
    let added = tokens_added(&tokenizer, &file, tokens_max, true)?;
    let cut = TruncationParams {
        max_length: tokens_max - added,
        ..TruncationParams::default()
    };
    Ok((tokenizer, cut))
}

impl Entail for EntailmentModel {
    fn name(&self) -> &str {
        &self.name
    }

    fn entailment(&self, premise: &str, hypothesis: &str) -> Result<Entailment, EntailError> {
        let failed = |reason: String| EntailError {
            model: self.name.clone(),
            reason,
        };
        let ids = self.read(premise, hypothesis);
        let ids = ids.map_err(|error| failed(error.to_string()))?;
        if ids.is_empty() {
            return Err(failed("its tokenizer makes no tokens of it".to_owned()));
        }
        let chances = self
            .chances(&ids)
            .map_err(|error| failed(error.to_string()))?;
        if !chances.iter().all(|chance| chance.is_finite()) {
            return Err(failed(
                "its weights are damaged: a chance is no number".to_owned(),
            ));
        }
        Ok(Entailment {
            entailed: chances[self.classes.entailment],
            neutral: chances[self.classes.neutral],
            contradicted: chances[self.classes.contradiction],
        })
    }
}
