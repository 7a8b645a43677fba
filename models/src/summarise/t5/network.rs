//! The network of candle-transformers, with two repairs of its decoder.
//!
//! - The library puts the decoder's distances into buckets for both directions, of which a decoder
//!   uses half; they would be wrong from the ninth token on. Twice as many buckets, half of them
//!   empty, are T5's buckets for one direction. Encoder and decoder have one setting for it, so
//!   each is built alone.
//! - It multiplies by the square root of the width, before a head that is the embedding, where T5
//!   divides by it.

use candle_core::{Result, Tensor, bail};
use candle_transformers::models::t5::{self, T5EncoderModel, T5ForConditionalGeneration};

use super::config::Config;
use crate::checkpoint::{LoadError, SharedTensors, TensorFile};

const EMBEDDING: &str = "shared.weight";
const HEAD: &str = "lm_head.weight";
/// The decoder's biases by distance, `[buckets, heads]`.
const BIASES: &str = "decoder.block.0.layer.0.SelfAttention.relative_attention_bias.weight";

/// The weights of a T5 on one device.
#[derive(Debug)]
pub(super) struct Network {
    encoder: T5EncoderModel,
    /// Its encoder has no layers.
    decoder: T5ForConditionalGeneration,
    /// Factor from the library's logits to T5's.
    logit_scale: f64,
    pub(super) config: Config,
    bytes: usize,
}

impl Network {
    pub(super) fn new(config: Config, file: &TensorFile) -> std::result::Result<Self, LoadError> {
        let tensors = SharedTensors::new(file);
        let t5::Config {
            d_model,
            num_heads,
            relative_attention_num_buckets: buckets,
            ..
        } = config.network;
        let is_tied = head_is_embedding(&config, file, &tensors)?;
        let encoder =
            tensors.build("", |tensors| T5EncoderModel::load(tensors, &config.network))?;

        let biases = tensors.take(BIASES, &[buckets, num_heads])?;
        let biases = Tensor::cat(&[&biases, &file.made(biases.zeros_like())?], 0);
        tensors.replace(BIASES, file.made(biases)?);
        let decoder = t5::Config {
            num_layers: 0,
            num_decoder_layers: Some(config.decoder_layers),
            relative_attention_num_buckets: 2 * buckets,
            tie_word_embeddings: is_tied,
            ..config.network.clone()
        };
        let decoder = tensors.build("", |tensors| {
            T5ForConditionalGeneration::load(tensors, &decoder)
        })?;
        let root = (d_model as f64).sqrt();
        let wanted = if config.scaled_head {
            root.recip()
        } else {
            1.0
        };
        Ok(Self {
            encoder,
            decoder,
            logit_scale: if is_tied { wanted / root } else { wanted },
            config,
            bytes: tensors.bytes(),
        })
    }

    /// Reads a prompt of at least one token. The next [`step`](Self::step) begins a reply to it.
    /// O(tokens^2).
    pub(super) fn read(&mut self, ids: &[u32]) -> Result<Tensor> {
        self.decoder.clear_kv_cache();
        let ids = Tensor::new(ids, self.encoder.device())?.unsqueeze(0)?;
        self.encoder.forward(&ids)
    }

    /// The logits after `token`, which continues the reply to `prompt`.
    pub(super) fn step(&mut self, token: u32, prompt: &Tensor) -> Result<Vec<f32>> {
        let token = Tensor::new(&[[token]], self.decoder.device())?;
        let logits = (self.decoder.decode(&token, prompt)? * self.logit_scale)?;
        logits.flatten_all()?.to_vec1()
    }

    /// The likeliest reply to a prompt, token by token: at most `tokens_max` tokens, including the
    /// end token.
    pub(super) fn reply(&mut self, prompt: &[u32], tokens_max: usize) -> Result<Vec<u32>> {
        let prompt = self.read(prompt)?;
        let (mut ids, mut last) = (Vec::new(), self.config.start);
        while ids.len() < tokens_max {
            last = likeliest(&self.step(last, &prompt)?)?;
            ids.push(last);
            if self.config.ends.contains(&last) {
                break;
            }
        }
        Ok(ids)
    }

    /// Bytes of all weights.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }
}

/// Whether the head is the embedding. Old files store the embedding twice.
fn head_is_embedding(
    config: &Config,
    file: &TensorFile,
    tensors: &SharedTensors<'_>,
) -> std::result::Result<bool, LoadError> {
    let shape = [config.network.vocab_size, config.network.d_model];
    let names = ["encoder.embed_tokens.weight", "decoder.embed_tokens.weight"];
    let name = names
        .into_iter()
        .find(|name| file.has(name) && !file.has(EMBEDDING));
    let embedding = file.take(name.unwrap_or(EMBEDDING), &shape)?;
    tensors.replace(EMBEDDING, embedding.clone());
    if !file.has(HEAD) {
        return Ok(true);
    }
    let head = file.take(HEAD, &shape)?;
    let different = embedding
        .ne(&head)
        .and_then(|different| different.max_all());
    Ok(file.made(different.and_then(|any| any.to_scalar::<u8>()))? == 0)
}

/// The token with the largest logit; the first of equal ones.
fn likeliest(row: &[f32]) -> Result<u32> {
    let mut best = (0, f32::NEG_INFINITY);
    for (token, value) in (0u32..).zip(row) {
        if !value.is_finite() {
            bail!("it gave a value that is not finite; its weights are damaged, fetch them again");
        }
        if *value > best.1 {
            best = (token, *value);
        }
    }
    Ok(best.0)
}
