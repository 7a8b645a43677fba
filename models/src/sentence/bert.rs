//! The network: BERT's encoder (Devlin et al. 2018) and the mean over its last layer.
//!
//! Tokens of all texts stand in one matrix `[tokens, hidden]`, text after text, so the linear
//! layers see one large product and no padding; attention looks at one text at a time.

use candle_core::{D, Result, Tensor};
use candle_nn::ops::{layer_norm, softmax_last_dim};

use super::layout::Config;
use crate::checkpoint::{LoadError, Weights};

/// The weights of a BERT, in f32, on the CPU.
#[derive(Debug)]
pub(super) struct Bert {
    words: Tensor,
    /// Position embeddings with the one segment embedding that is ever used already added.
    positions: Tensor,
    norm: Norm,
    layers: Vec<Layer>,
    heads: usize,
}

#[derive(Debug)]
struct Layer {
    /// Query, key and value projections side by side: one product instead of three.
    qkv: Linear,
    attended: Linear,
    attended_norm: Norm,
    up: Linear,
    down: Linear,
    down_norm: Norm,
}

/// A linear layer with its weight already transposed: `[in, out]`.
#[derive(Debug)]
struct Linear {
    weight: Tensor,
    bias: Tensor,
}

impl Linear {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        x.matmul(&self.weight)?.broadcast_add(&self.bias)
    }
}

#[derive(Debug)]
struct Norm {
    scale: Tensor,
    shift: Tensor,
    eps: f32,
}

impl Norm {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        layer_norm(x, &self.scale, &self.shift, self.eps)
    }
}

impl Bert {
    /// Takes the weights of a network of this size.
    pub(super) fn new(config: &Config, weights: &Weights) -> std::result::Result<Self, LoadError> {
        let shelf = Shelf {
            weights,
            eps: config.layer_norm_eps as f32,
        };
        let size = config.hidden_size;
        let segments = "embeddings.token_type_embeddings.weight";
        let segments = shelf.take(segments, &[config.type_vocab_size, size])?;
        let positions = "embeddings.position_embeddings.weight";
        let positions = shelf.take(positions, &[config.max_position_embeddings, size])?;
        let positions = shelf
            .weights
            .made(segments.get(0).and_then(|s| positions.broadcast_add(&s)))?;
        let layers = (0..config.num_hidden_layers).map(|index| Layer::new(&shelf, config, index));
        Ok(Self {
            words: shelf.take(
                "embeddings.word_embeddings.weight",
                &[config.vocab_size, size],
            )?,
            positions,
            norm: shelf.norm("embeddings.LayerNorm", size)?,
            layers: layers.collect::<std::result::Result<_, _>>()?,
            heads: config.num_attention_heads,
        })
    }

    /// The number of components of a vector.
    pub(super) fn hidden_size(&self) -> usize {
        self.words.dims()[1]
    }

    /// The mean of each text's last layer. Every text has at least one token.
    pub(super) fn forward(&self, texts: &[Vec<u32>]) -> Result<Vec<Vec<f32>>> {
        let x = self.last_layer(texts)?;
        let lengths: Vec<usize> = texts.iter().map(Vec::len).collect();
        spans(&lengths)
            .map(|(start, length)| x.narrow(0, start, length)?.mean(0)?.to_vec1::<f32>())
            .collect()
    }

    /// The last layer of each text, token after token.
    pub(super) fn tokens(&self, texts: &[Vec<u32>]) -> Result<Vec<Vec<f32>>> {
        let x = self.last_layer(texts)?;
        let lengths: Vec<usize> = texts.iter().map(Vec::len).collect();
        spans(&lengths)
            .map(|(start, length)| x.narrow(0, start, length)?.flatten_all()?.to_vec1::<f32>())
            .collect()
    }

    /// `[tokens of all texts, hidden]`.
    fn last_layer(&self, texts: &[Vec<u32>]) -> Result<Tensor> {
        let lengths: Vec<usize> = texts.iter().map(Vec::len).collect();
        let mut x = self.norm.forward(&self.embed(texts)?)?;
        for layer in &self.layers {
            x = layer.forward(&x, &lengths, self.heads)?;
        }
        Ok(x)
    }

    fn embed(&self, texts: &[Vec<u32>]) -> Result<Tensor> {
        let ids: Vec<u32> = texts.concat();
        let places: Vec<u32> = texts
            .iter()
            .flat_map(|ids| (0u32..).take(ids.len()))
            .collect();
        let device = self.words.device();
        let words = self.words.index_select(&Tensor::new(ids, device)?, 0)?;
        words
            + self
                .positions
                .index_select(&Tensor::new(places, device)?, 0)?
    }
}

impl Layer {
    fn new(
        shelf: &Shelf<'_>,
        config: &Config,
        index: usize,
    ) -> std::result::Result<Self, LoadError> {
        let (size, wide) = (config.hidden_size, config.intermediate_size);
        let at = |part: &str| format!("encoder.layer.{index}.{part}");
        let projection = |part: &str| shelf.linear(&at(part), size, size);
        let parts = [
            projection("attention.self.query")?,
            projection("attention.self.key")?,
            projection("attention.self.value")?,
        ];
        let weight = Tensor::cat(&parts.each_ref().map(|part| &part.weight), 1);
        let bias = Tensor::cat(&parts.each_ref().map(|part| &part.bias), 0);
        Ok(Self {
            qkv: Linear {
                weight: shelf.weights.made(weight)?,
                bias: shelf.weights.made(bias)?,
            },
            attended: shelf.linear(&at("attention.output.dense"), size, size)?,
            attended_norm: shelf.norm(&at("attention.output.LayerNorm"), size)?,
            up: shelf.linear(&at("intermediate.dense"), size, wide)?,
            down: shelf.linear(&at("output.dense"), wide, size)?,
            down_norm: shelf.norm(&at("output.LayerNorm"), size)?,
        })
    }

    fn forward(&self, x: &Tensor, lengths: &[usize], heads: usize) -> Result<Tensor> {
        let qkv = self.qkv.forward(x)?;
        let attended: Vec<Tensor> = spans(lengths)
            .map(|(start, length)| attend(&qkv.narrow(0, start, length)?, heads))
            .collect::<Result<_>>()?;
        let attended = self.attended.forward(&Tensor::cat(&attended, 0)?)?;
        let x = self.attended_norm.forward(&(attended + x)?)?;
        let wide = self.up.forward(&x)?.gelu_erf()?;
        self.down_norm.forward(&(self.down.forward(&wide)? + x)?)
    }
}

/// Scaled dot-product attention within one text: `[tokens, 3 * hidden]` to `[tokens, hidden]`.
fn attend(qkv: &Tensor, heads: usize) -> Result<Tensor> {
    let (tokens, width) = qkv.dims2()?;
    let head = width / 3 / heads;
    // [3, heads, tokens, head]
    let parts = qkv
        .reshape((tokens, 3, heads, head))?
        .permute((1, 2, 0, 3))?
        .contiguous()?;
    let query = (parts.get(0)? * (1.0 / (head as f64).sqrt()))?;
    let scores = query.matmul(&parts.get(1)?.transpose(D::Minus1, D::Minus2)?)?;
    let mixed = softmax_last_dim(&scores)?.matmul(&parts.get(2)?)?;
    mixed.transpose(0, 1)?.reshape((tokens, width / 3))
}

/// Where each text starts in the common matrix, and how long it is.
fn spans(lengths: &[usize]) -> impl Iterator<Item = (usize, usize)> {
    let ends = lengths.iter().scan(0, |end, length| {
        *end += length;
        Some(*end)
    });
    ends.zip(lengths)
        .map(|(end, length)| (end - length, *length))
}

/// Hands out the parts of the network.
struct Shelf<'a> {
    weights: &'a Weights,
    eps: f32,
}

impl Shelf<'_> {
    fn take(&self, name: &str, shape: &[usize]) -> std::result::Result<Tensor, LoadError> {
        self.weights.take(name, shape)
    }

    fn linear(
        &self,
        name: &str,
        size_in: usize,
        size_out: usize,
    ) -> std::result::Result<Linear, LoadError> {
        let weight = self.take(&format!("{name}.weight"), &[size_out, size_in])?;
        let weight = self
            .weights
            .made(weight.t().and_then(|weight| weight.contiguous()))?;
        Ok(Linear {
            weight,
            bias: self.take(&format!("{name}.bias"), &[size_out])?,
        })
    }

    fn norm(&self, name: &str, size: usize) -> std::result::Result<Norm, LoadError> {
        let scale = self.take(&format!("{name}.weight"), &[size])?;
        Ok(Norm {
            scale,
            shift: self.take(&format!("{name}.bias"), &[size])?,
            eps: self.eps,
        })
    }
}
