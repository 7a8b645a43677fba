//! The network: T5's encoder and decoder (Raffel et al. 2020), in floats or quantised blocks.
//!
//! candle-transformers has one too. It is not used, because its decoder uses the encoder's distance
//! buckets (wrong from the ninth token on) and projects the whole prompt again for every token.
//! Here the prompt's keys and values are computed once and shared by all beams.

use candle_core::{D, Result, Tensor};
use candle_nn::ops::{rms_norm, softmax_last_dim};

use super::bias::Bias;
use super::config::{Activation, Config};
use super::memory::{Memory, Prompt};
use crate::checkpoint::{LoadError, Matrix, TensorFile, tensor_bytes};

/// The weights of a T5, all on one device.
#[derive(Debug)]
pub(super) struct Network {
    words: Matrix,
    /// The head, if it is separate from the embedding.
    head: Option<Matrix>,
    head_scale: Option<f64>,
    encoder: Stack,
    decoder: Stack,
    pub(super) config: Config,
}

#[derive(Debug)]
struct Stack {
    bias: Bias,
    layers: Vec<Layer>,
    norm: Norm,
}

#[derive(Debug)]
struct Layer {
    own: Attention,
    /// Cross-attention to the prompt, in the decoder only.
    prompt: Option<Attention>,
    forward: Forward,
}

#[derive(Debug)]
struct Attention {
    norm: Norm,
    query: Matrix,
    key: Matrix,
    value: Matrix,
    out: Matrix,
}

#[derive(Debug)]
struct Forward {
    norm: Norm,
    gate: Option<Matrix>,
    up: Matrix,
    down: Matrix,
    activation: Activation,
}

#[derive(Debug)]
struct Norm {
    scale: Tensor,
    eps: f32,
}

impl Network {
    /// Loads the weights of a network of this size.
    pub(super) fn new(config: Config, file: &TensorFile) -> std::result::Result<Self, LoadError> {
        let (tokens, size) = (config.vocab_size, config.size);
        let names = [
            "shared.weight",
            "encoder.embed_tokens.weight",
            "decoder.embed_tokens.weight",
        ];
        let words = names.into_iter().find(|name| file.has(name));
        let words = file.matrix(words.unwrap_or(names[0]), tokens, size)?;
        let head = match file.has("lm_head.weight") {
            true => Some(file.matrix("lm_head.weight", tokens, size)?),
            false => None,
        };
        // Old files store the embedding twice.
        let head = head.filter(|head| !file.made(equal(head, &words)).unwrap_or(false));
        let shelf = Shelf {
            file,
            config: &config,
        };
        let encoder = shelf.stack("encoder", config.layers, true)?;
        let decoder = shelf.stack("decoder", config.decoder_layers, false)?;
        Ok(Self {
            words,
            head,
            head_scale: config.scaled_head.then(|| (size as f64).sqrt().recip()),
            encoder,
            decoder,
            config,
        })
    }

    /// Reads a prompt of at least one token; returns the keys and values for every reply.
    /// O(tokens^2).
    pub(super) fn read(&self, ids: &[u32]) -> Result<Prompt> {
        let bias = self.encoder.bias.square(ids.len())?;
        let mut x = self.words.rows(ids)?;
        for layer in &self.encoder.layers {
            x = (layer.own.among(&x, &bias, &self.config)? + &x)?;
            x = (layer.forward.apply(&x)? + &x)?;
        }
        let x = self.encoder.norm.apply(&x)?;
        let attentions = self.decoder.layers.iter().flat_map(|layer| &layer.prompt);
        let layers = attentions.map(|attention| {
            let keys = self.by_head(&attention.key.apply(&x)?)?;
            Ok((keys, self.by_head(&attention.value.apply(&x)?)?))
        });
        Ok(Prompt {
            layers: layers.collect::<Result<_>>()?,
        })
    }

    /// An empty cache for `beams` replies.
    pub(super) fn memory(&self, beams: usize) -> Result<Memory> {
        let Config {
            heads, head_size, ..
        } = self.config;
        let shape = [beams, heads, head_size];
        Memory::new(self.decoder.layers.len(), shape, &self.words.device())
    }

    /// The logits after the last token of each reply: `[beams, vocabulary]`. `tokens` has one token
    /// per beam, which is added to the cache.
    pub(super) fn step(
        &self,
        tokens: &[u32],
        prompt: &Prompt,
        memory: &mut Memory,
    ) -> Result<Tensor> {
        let bias = self.decoder.bias.last_row(memory.len() + 1)?;
        let mut x = self.words.rows(tokens)?;
        for (index, layer) in self.decoder.layers.iter().enumerate() {
            let own = &layer.own;
            let normed = own.norm.apply(&x)?;
            let row = |matrix: &Matrix| {
                let shape = (tokens.len(), self.config.heads, 1, self.config.head_size);
                matrix.apply(&normed)?.reshape(shape)
            };
            let (keys, values) = memory.push(index, &row(&own.key)?, &row(&own.value)?)?;
            let scores = row(&own.query)?.matmul(&keys.t()?)?.broadcast_add(&bias)?;
            let seen = softmax_last_dim(&scores)?.matmul(&values)?;
            let inner = self.config.heads * self.config.head_size;
            x = (own.out.apply(&seen.reshape((tokens.len(), inner))?)? + x)?;
            if let Some(attention) = &layer.prompt {
                let seen = self.look_up(attention, &x, &prompt.layers[index])?;
                x = (seen + x)?;
            }
            x = (layer.forward.apply(&x)? + x)?;
        }
        memory.advance();
        self.logits(&self.decoder.norm.apply(&x)?)
    }

    /// Bytes of all weights.
    pub(super) fn bytes(&self) -> usize {
        let head = self.head.as_ref().map_or(0, Matrix::bytes);
        self.words.bytes() + head + self.encoder.bytes() + self.decoder.bytes()
    }

    /// All beams attend to one prompt, so the beam dimension takes the place of tokens.
    fn look_up(
        &self,
        attention: &Attention,
        x: &Tensor,
        (keys, values): &(Tensor, Tensor),
    ) -> Result<Tensor> {
        let query = attention.query.apply(&attention.norm.apply(x)?)?;
        let scores = self.by_head(&query)?.matmul(&keys.t()?)?;
        let seen = softmax_last_dim(&scores)?.matmul(values)?;
        attention.out.apply(&flat(&seen)?)
    }

    fn logits(&self, x: &Tensor) -> Result<Tensor> {
        let head = self.head.as_ref().unwrap_or(&self.words);
        match self.head_scale {
            Some(scale) => head.apply(&(x * scale)?),
            None => head.apply(x),
        }
    }

    /// `[n, heads * head]` to `[heads, n, head]`.
    fn by_head(&self, x: &Tensor) -> Result<Tensor> {
        by_head(x, &self.config)
    }
}

fn by_head(x: &Tensor, config: &Config) -> Result<Tensor> {
    let n = x.dims()[0];
    x.reshape((n, config.heads, config.head_size))?
        .transpose(0, 1)?
        .contiguous()
}

/// `[heads, n, head]` to `[n, heads * head]`.
fn flat(x: &Tensor) -> Result<Tensor> {
    let (heads, n, head) = x.dims3()?;
    x.transpose(0, 1)?.reshape((n, heads * head))
}

fn equal(a: &Matrix, b: &Matrix) -> Result<bool> {
    let (Matrix::Dense(a), Matrix::Dense(b)) = (a, b) else {
        return Ok(false);
    };
    Ok(a.ne(b)?.max_all()?.to_scalar::<u8>()? == 0)
}

impl Stack {
    fn bytes(&self) -> usize {
        let layers: usize = self.layers.iter().map(Layer::bytes).sum();
        layers + self.norm.bytes() + self.bias.bytes()
    }
}

impl Layer {
    fn bytes(&self) -> usize {
        let attention = |part: &Attention| {
            let matrices = [&part.query, &part.key, &part.value, &part.out];
            part.norm.bytes() + matrices.map(Matrix::bytes).iter().sum::<usize>()
        };
        let forward = &self.forward;
        let gate = forward.gate.as_ref().map_or(0, Matrix::bytes);
        let matrices = gate + forward.up.bytes() + forward.down.bytes();
        let prompt = self.prompt.as_ref().map_or(0, attention);
        attention(&self.own) + prompt + matrices + forward.norm.bytes()
    }
}

impl Attention {
    /// Self-attention; T5 does not scale the products.
    fn among(&self, x: &Tensor, bias: &Tensor, config: &Config) -> Result<Tensor> {
        let x = self.norm.apply(x)?;
        let query = by_head(&self.query.apply(&x)?, config)?;
        let keys = by_head(&self.key.apply(&x)?, config)?;
        let values = by_head(&self.value.apply(&x)?, config)?;
        let scores = (query.matmul(&keys.transpose(D::Minus1, D::Minus2)?)? + bias)?;
        self.out
            .apply(&flat(&softmax_last_dim(&scores)?.matmul(&values)?)?)
    }
}

impl Forward {
    fn apply(&self, x: &Tensor) -> Result<Tensor> {
        let x = self.norm.apply(x)?;
        let wide = match &self.gate {
            Some(gate) => (self.activate(&gate.apply(&x)?)? * self.up.apply(&x)?)?,
            None => self.activate(&self.up.apply(&x)?)?,
        };
        self.down.apply(&wide)
    }

    fn activate(&self, x: &Tensor) -> Result<Tensor> {
        match self.activation {
            Activation::Relu => x.relu(),
            Activation::Gelu => x.gelu_erf(),
            Activation::GeluTanh => x.gelu(),
            Activation::Silu => x.silu(),
        }
    }
}

impl Norm {
    /// RMS norm: no mean is subtracted, no shift added.
    fn apply(&self, x: &Tensor) -> Result<Tensor> {
        rms_norm(x, &self.scale, self.eps)
    }

    fn bytes(&self) -> usize {
        tensor_bytes(&self.scale)
    }
}

/// Loads the parts of the network.
struct Shelf<'a> {
    file: &'a TensorFile,
    config: &'a Config,
}

impl Shelf<'_> {
    fn stack(
        &self,
        side: &str,
        layers: usize,
        both_ways: bool,
    ) -> std::result::Result<Stack, LoadError> {
        let Config { buckets, heads, .. } = *self.config;
        let table = "block.0.layer.0.SelfAttention.relative_attention_bias.weight";
        let table = self
            .file
            .take(&format!("{side}.{table}"), &[buckets, heads])?;
        let bias = Bias::new(&table, self.config.distance_max, both_ways);
        let layer = |index| self.layer(&format!("{side}.block.{index}.layer"), !both_ways);
        Ok(Stack {
            bias: self.file.made(bias)?,
            layers: (0..layers)
                .map(layer)
                .collect::<std::result::Result<_, _>>()?,
            norm: self.norm(&format!("{side}.final_layer_norm"))?,
        })
    }

    fn layer(&self, name: &str, decoder: bool) -> std::result::Result<Layer, LoadError> {
        let prompt = match decoder {
            true => Some(self.attention(&format!("{name}.1"), "EncDecAttention")?),
            false => None,
        };
        let last = format!("{name}.{}", 1 + usize::from(decoder));
        Ok(Layer {
            own: self.attention(&format!("{name}.0"), "SelfAttention")?,
            prompt,
            forward: self.forward(&last)?,
        })
    }

    fn attention(&self, name: &str, kind: &str) -> std::result::Result<Attention, LoadError> {
        let size = self.config.size;
        let inner = self.config.heads * self.config.head_size;
        let part = |part: &str, rows, columns| {
            let name = format!("{name}.{kind}.{part}.weight");
            self.file.matrix(&name, rows, columns)
        };
        Ok(Attention {
            norm: self.norm(&format!("{name}.layer_norm"))?,
            query: part("q", inner, size)?,
            key: part("k", inner, size)?,
            value: part("v", inner, size)?,
            out: part("o", size, inner)?,
        })
    }

    fn forward(&self, name: &str) -> std::result::Result<Forward, LoadError> {
        let Config { size, wide, .. } = *self.config;
        let part = |part: &str, rows, columns| {
            let name = format!("{name}.DenseReluDense.{part}.weight");
            self.file.matrix(&name, rows, columns)
        };
        let (gate, up) = match self.config.gated {
            true => (Some(part("wi_0", wide, size)?), part("wi_1", wide, size)?),
            false => (None, part("wi", wide, size)?),
        };
        Ok(Forward {
            norm: self.norm(&format!("{name}.layer_norm"))?,
            gate,
            up,
            down: part("wo", size, wide)?,
            activation: self.config.activation,
        })
    }

    fn norm(&self, name: &str) -> std::result::Result<Norm, LoadError> {
        Ok(Norm {
            scale: self
                .file
                .take(&format!("{name}.weight"), &[self.config.size])?,
            eps: self.config.eps,
        })
    }
}
