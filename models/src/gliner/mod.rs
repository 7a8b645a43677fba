//! The extractor: GLiNER (Zaratiana et al. 2024), finds spans of a text for labels in plain words.
//!
//! It reproduces the `gliner` package for checkpoints laid out like gliner_small-v2.1: a DeBERTa
//! that reads labels and text together, word vectors taken from first tokens, an LSTM, and spans
//! scored by their two ends. Token-level models (gliner multitask), models with two encoders or a
//! decoder, and relation models are not supported; each is refused with the setting that identifies
//! it.

mod config;
mod heads;
#[cfg(test)]
mod hidden_tests;
mod tokens;
mod windows;
mod words;

use std::path::Path;

use candle_core::{Result as Computed, Tensor};

use crate::checkpoint::{LoadError, TensorFile};
use crate::deberta::Deberta;
use crate::device::DeviceChoice;
use crate::extract::{Extract, ExtractError, Extracted};
use crate::layers::{Linear, Lstm, LstmSize};
use config::{BACKBONE, Config};
use heads::{Candidate, Heads, without_overlaps};
use tokens::{Prompt, TextTokens, Tokens};
use windows::{Limits, Window, windows};

/// Finds labelled spans with a GLiNER checkpoint.
///
/// Labels are read with the text and in its language: `person`, `place that was visited`. Duplicate
/// labels count once, at their first position. A text with more words than the model's limit (384)
/// is read in windows that overlap by twice the longest span. A span belongs to the window in which
/// its first word is farther from the edges; if spans of two windows overlap, the better one is
/// kept. Words are split like the reference, so `Anna's` is three.
///
/// Cost: O(windows), each a pass over the backbone with all labels: fewer labels, less work.
#[derive(Debug)]
pub struct Gliner {
    name: String,
    tokens: Tokens,
    deberta: Deberta,
    projection: Option<Linear>,
    lstm: Option<Lstm>,
    heads: Heads,
    width_max: usize,
    words_max: usize,
}

impl Gliner {
    /// Loads a GLiNER from `folder` for the CPU; see [`load_on`](Self::load_on).
    ///
    /// # Errors
    /// As for [`load_on`](Self::load_on).
    pub fn load(folder: impl AsRef<Path>) -> Result<Self, LoadError> {
        Self::load_on(folder, DeviceChoice::Cpu)
    }

    /// Loads a GLiNER onto `device`, from a folder with `gliner_config.json`, `tokenizer.json` and
    /// its weights, `model.safetensors` or `pytorch_model.bin`.
    ///
    /// Some published folders have no `tokenizer.json`; `GLiNER.save_pretrained` of the reference
    /// writes one.
    ///
    /// # Errors
    /// [`LoadError`] names the file and what is wrong with it: missing, truncated, another
    /// architecture, a tensor of another shape, a tokenizer of another model; or the device.
    pub fn load_on(folder: impl AsRef<Path>, device: DeviceChoice) -> Result<Self, LoadError> {
        let folder = folder.as_ref();
        LoadError::unless_folder(folder)?;
        let (config, encoder) = Config::read(folder)?;
        let file = TensorFile::find(folder, &device.open()?)?;
        // The embedding grows by GLiNER's marker tokens after the backbone's settings were written.
        let table = format!("{BACKBONE}.embeddings.word_embeddings.weight");
        let rows = file.shape(&table).and_then(|shape| shape.first().copied());
        let rows = rows.unwrap_or(0);
        let tokens = Tokens::load(folder, &config, rows, encoder.max_position_embeddings)?;
        let (from, to) = (encoder.hidden_size, config.hidden_size);
        let projection = match from == to {
            true => None,
            false => Some(Linear::take(&file, "token_rep_layer.projection", from, to)?),
        };
        let lstm = match config.num_rnn_layers {
            0 => None,
            layers => {
                let size = LstmSize {
                    inputs: to,
                    hidden: to / 2,
                    layers,
                };
                Some(Lstm::new(&file, "rnn.lstm", size)?)
            }
        };
        Ok(Self {
            name: format!("gliner-{from}x{}", encoder.num_hidden_layers),
            deberta: Deberta::new(&encoder, &file, BACKBONE, rows, tokens.tokens_max())?,
            tokens,
            projection,
            lstm,
            heads: Heads::new(&file, to)?,
            width_max: config.max_width,
            words_max: config.max_len,
        })
    }

    /// Words of the longest span that can be found.
    pub fn width_max(&self) -> usize {
        self.width_max
    }

    /// Words read at once; a longer text is read in windows.
    pub fn words_max(&self) -> usize {
        self.words_max
    }

    /// Bytes of weights that stay in memory while the model is loaded; on a GPU in its memory,
    /// except the LSTM's.
    pub fn resident_bytes(&self) -> usize {
        let projection = self.projection.as_ref().map_or(0, Linear::bytes);
        let lstm = self.lstm.as_ref().map_or(0, Lstm::bytes);
        self.deberta.bytes() + projection + lstm + self.heads.bytes()
    }

    /// The spans that belong to one window.
    fn read(
        &self,
        prompt: &Prompt,
        text: &TextTokens,
        window: &Window,
        threshold: f32,
    ) -> Computed<Vec<Candidate>> {
        let sequence = self.tokens.sequence(prompt, text, window.words.clone());
        let x = self.deberta.forward(&sequence.ids)?;
        let pick = |places: &[u32]| -> Computed<Tensor> {
            let x = x.index_select(&Tensor::new(places, x.device())?, 0)?;
            match &self.projection {
                Some(projection) => projection.apply(&x),
                None => Ok(x),
            }
        };
        let labels = pick(&sequence.labels)?;
        let mut words = pick(&sequence.words)?;
        if !sequence.empty.is_empty() {
            words = blank(&words, &sequence.empty)?;
        }
        if let Some(lstm) = &self.lstm {
            words = lstm.forward(&words)?;
        }
        let mut found = self
            .heads
            .candidates(&words, &labels, self.width_max, threshold)?;
        for candidate in &mut found {
            candidate.start += window.words.start;
            candidate.end += window.words.start;
        }
        found.retain(|candidate| window.own.contains(&candidate.start));
        Ok(without_overlaps(found))
    }

    fn failed(&self, reason: String) -> ExtractError {
        ExtractError::Failed {
            model: self.name.clone(),
            reason,
        }
    }
}

impl Extract for Gliner {
    fn name(&self) -> &str {
        &self.name
    }

    fn extract(
        &self,
        text: &str,
        labels: &[&str],
        threshold: f32,
    ) -> Result<Vec<Extracted>, ExtractError> {
        if !(0.0..=1.0).contains(&threshold) {
            return Err(self.failed(format!("a threshold of {threshold}; 0 to 1 are possible")));
        }
        let mut asked: Vec<usize> = (0..labels.len()).collect();
        asked.retain(|&at| !labels[..at].contains(&labels[at]));
        let words = words::words(text);
        if asked.is_empty() || words.is_empty() {
            return Ok(Vec::new());
        }
        let prompt = asked.iter().map(|&at| labels[at]);
        let prompt = self.tokens.prompt(prompt);
        let prompt = prompt.map_err(|error| self.failed(error))?;
        if prompt.len() > self.tokens.prompt_max() {
            return Err(ExtractError::Labels {
                model: self.name.clone(),
                found: prompt.len(),
                limit: self.tokens.prompt_max(),
            });
        }
        let tokens = self.tokens.text(text, &words);
        let tokens = tokens.map_err(|error| self.failed(error))?;
        let limits = Limits {
            words: self.words_max,
            tokens: self.tokens.window_max(),
            shared: (2 * self.width_max).min(self.words_max / 2),
        };
        let mut found = Vec::new();
        for window in windows(&tokens.counts(), limits) {
            let spans = self.read(&prompt, &tokens, &window, threshold);
            found.extend(spans.map_err(|error| self.failed(error.to_string()))?);
        }
        let spans = without_overlaps(found).into_iter();
        let spans = spans.map(|span| Extracted {
            bytes: words[span.start].start..words[span.end].end,
            label: asked[span.label],
            score: span.score,
        });
        Ok(spans.collect())
    }
}

/// The same with zeros in the rows of words that have no tokens left.
fn blank(words: &Tensor, rows: &[usize]) -> Computed<Tensor> {
    let mut keep = vec![1.0_f32; words.dims()[0]];
    for &row in rows {
        keep[row] = 0.0;
    }
    let keep = Tensor::from_vec(keep, (words.dims()[0], 1), words.device())?;
    words.broadcast_mul(&keep)
}
