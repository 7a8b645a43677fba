//! The summariser: a T5 (LaMini-T5, Flan-T5, T5 itself) of candle-transformers, on any device.
//!
//! It reproduces the logits of transformers 5, and its texts without sampling and beams. mT5 and
//! byte-level T5s are refused by their `model_type` or tokenizer.

mod config;
mod network;

use std::path::Path;

use tokenizers::{Tokenizer, TruncationParams};

use crate::checkpoint::{LoadError, TensorFile, read_tokenizer, tokens_added, unusable};
use crate::device::DeviceChoice;
use crate::generate::{GenerateError, Summarise};
use network::Network;

/// Shortens text with a T5 checkpoint.
///
/// A prompt longer than [`tokens_max`](Self::tokens_max) is truncated at its end; its end token
/// stays. This is also the limit of any reply. Text in scripts outside the
/// vocabulary is read as unknown tokens.
///
/// Cost: reading is O(prompt tokens^2); writing is one pass over the decoder per token, which also
/// projects the prompt again.
#[derive(Debug)]
pub struct T5Summariser {
    name: String,
    tokenizer: Tokenizer,
    network: Network,
    tokens_max: usize,
}

impl T5Summariser {
    /// Loads a T5 from `folder` for the CPU; see [`load_on`](Self::load_on).
    ///
    /// # Errors
    /// As for [`load_on`](Self::load_on).
    pub fn load(folder: impl AsRef<Path>) -> Result<Self, LoadError> {
        Self::load_on(folder, DeviceChoice::Cpu)
    }

    /// Loads a T5 onto `device`, from a folder with `config.json`, `tokenizer.json` and its
    /// weights, `model.safetensors` or `pytorch_model.bin`.
    ///
    /// # Errors
    /// [`LoadError`] names the file and the problem: missing, truncated, another architecture, a
    /// tensor of another shape, a tokenizer with more tokens than the weights; or the device.
    pub fn load_on(folder: impl AsRef<Path>, device: DeviceChoice) -> Result<Self, LoadError> {
        let folder = folder.as_ref();
        LoadError::unless_folder(folder)?;
        let config = config::Config::read(folder)?;
        let tokens_max = config::tokens_max(folder)?;
        let tokenizer = load_tokenizer(folder, config.network.vocab_size, tokens_max)?;
        let file = TensorFile::find(folder, &device.open()?)?;
        let name = format!(
            "t5-{}x{}",
            config.network.d_model, config.network.num_layers
        );
        Ok(Self {
            name,
            tokenizer,
            network: Network::new(config, &file)?,
            tokens_max,
        })
    }

    /// The token limit of a prompt and of a reply.
    pub fn tokens_max(&self) -> usize {
        self.tokens_max
    }

    /// Bytes of weights that stay in memory while the model is loaded; on a GPU in its memory.
    pub fn resident_bytes(&self) -> usize {
        self.network.bytes()
    }

    /// The tokens of a prompt as the model reads them.
    ///
    /// # Errors
    /// [`GenerateError::Failed`] if the tokenizer fails on the text.
    pub fn tokens(&self, prompt: &str) -> Result<Vec<u32>, GenerateError> {
        let encoding = self.tokenizer.encode_fast(prompt, true);
        let encoding = encoding.map_err(|error| self.failed(&error.to_string()))?;
        Ok(encoding.get_ids().to_vec())
    }

    /// The tokens of the text that [`summarise`](Summarise::summarise) returns, including the end
    /// token if it was generated.
    ///
    /// # Errors
    /// [`GenerateError::Failed`].
    pub fn reply(&mut self, prompt: &str, tokens_max: usize) -> Result<Vec<u32>, GenerateError> {
        let tokens = self.tokens(prompt)?;
        let tokens_max = tokens_max.min(self.tokens_max);
        if tokens.is_empty() {
            return Ok(Vec::new());
        }
        let made = self.network.reply(&tokens, tokens_max);
        made.map_err(|error| self.failed(&error.to_string()))
    }

    /// The logits after each of the tokens `reply`, including the start token, given the tokens of
    /// a prompt: one row per token, as wide as the vocabulary.
    ///
    /// # Errors
    /// [`GenerateError::Request`] if a token is not in the vocabulary, or if one of the two is
    /// empty or longer than [`tokens_max`](Self::tokens_max).
    pub fn logits(
        &mut self,
        prompt: &[u32],
        reply: &[u32],
    ) -> Result<Vec<Vec<f32>>, GenerateError> {
        let tokens = self.network.config.network.vocab_size;
        for ids in [prompt, reply] {
            let known = ids.iter().all(|id| (*id as usize) < tokens);
            if !known || ids.is_empty() || ids.len() > self.tokens_max {
                let limit = self.tokens_max;
                let reason = format!("logits of 1 to {limit} tokens, each below {tokens}");
                let model = self.name.clone();
                return Err(GenerateError::Request { model, reason });
            }
        }
        let mut rows = || {
            let prompt = self.network.read(prompt)?;
            reply
                .iter()
                .map(|token| self.network.step(*token, &prompt))
                .collect()
        };
        let rows: candle_core::Result<Vec<Vec<f32>>> = rows();
        rows.map_err(|error| self.failed(&error.to_string()))
    }

    fn failed(&self, reason: &str) -> GenerateError {
        GenerateError::Failed {
            model: self.name.clone(),
            reason: reason.to_owned(),
        }
    }
}

impl Summarise for T5Summariser {
    fn name(&self) -> &str {
        &self.name
    }

    fn summarise(&mut self, prompt: &str, tokens_max: usize) -> Result<String, GenerateError> {
        let ids = self.reply(prompt, tokens_max)?;
        let text = self.tokenizer.decode(&ids, true);
        let text = text.map_err(|error| self.failed(&error.to_string()))?;
        Ok(text.trim().to_owned())
    }
}

fn load_tokenizer(
    folder: &Path,
    vocab_size: usize,
    tokens_max: usize,
) -> Result<Tokenizer, LoadError> {
    let file = folder.join("tokenizer.json");
    let mut tokenizer = read_tokenizer(&file, vocab_size)?;
    tokens_added(&tokenizer, &file, tokens_max, false)?;
    let cut = TruncationParams {
        max_length: tokens_max,
        ..TruncationParams::default()
    };
    let cut = tokenizer.with_truncation(Some(cut)).map(|_| ());
    cut.map_err(|error| unusable(&file, error.to_string()))?;
    Ok(tokenizer)
}
