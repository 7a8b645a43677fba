//! DeBERTa of versions 2 and 3 (He et al. 2021): the network of extractors and of
//! natural-language inference.
//!
//! candle-transformers has one too. It is not used, because it projects the position table again in
//! every layer for every text. The table does not depend on the text: here it is projected once,
//! while loading.

mod config;
mod positions;

use candle_core::{Result, Tensor};
use candle_nn::ops::layer_norm;

use crate::checkpoint::{LoadError, TensorFile, tensor_bytes};
use crate::layers::{Linear, Ready};
pub(crate) use config::{Encoder, SIZE_MAX, refuse};
use positions::{Positions, Reach, weights};

/// The weights of a DeBERTa, in f32, on one device.
#[derive(Debug)]
pub(crate) struct Deberta {
    words: Tensor,
    /// The only segment embedding in use.
    segment: Option<Tensor>,
    norm: Norm,
    layers: Vec<Layer>,
    positions: Positions,
    heads: usize,
}

#[derive(Debug)]
struct Layer {
    /// Query, key and value projections concatenated: one product instead of three. The queries are
    /// already scaled.
    qkv: Ready,
    /// The position table as keys and as scaled queries, `[heads, rows, head]`; zeros if the model
    /// lacks that part.
    position_keys: Tensor,
    position_queries: Tensor,
    attended: Ready,
    attended_norm: Norm,
    up: Ready,
    down: Ready,
    down_norm: Norm,
}

#[derive(Debug)]
struct Norm {
    scale: Tensor,
    shift: Tensor,
    eps: f32,
}

impl Norm {
    fn take(
        file: &TensorFile,
        name: &str,
        size: usize,
        eps: f64,
    ) -> std::result::Result<Self, LoadError> {
        Ok(Self {
            scale: file.take(&format!("{name}.weight"), &[size])?,
            shift: file.take(&format!("{name}.bias"), &[size])?,
            eps: eps as f32,
        })
    }

    fn apply(&self, x: &Tensor) -> Result<Tensor> {
        layer_norm(&x.contiguous()?, &self.scale, &self.shift, self.eps)
    }

    fn bytes(&self) -> usize {
        tensor_bytes(&self.scale) + tensor_bytes(&self.shift)
    }
}

impl Deberta {
    /// Loads the weights of a network of this size, whose names begin with `root`.
    pub(crate) fn new(
        config: &Encoder,
        file: &TensorFile,
        root: &str,
        tokens: usize,
    ) -> std::result::Result<Self, LoadError> {
        let (size, eps) = (config.hidden_size, config.layer_norm_eps);
        let words = format!("{root}embeddings.word_embeddings.weight");
        let segment = match config.type_vocab_size {
            0 => None,
            kinds => {
                let name = format!("{root}embeddings.token_type_embeddings.weight");
                let table = file.take(&name, &[kinds, size])?;
                Some(file.made(table.get(0))?)
            }
        };
        let table = format!("{root}encoder.rel_embeddings.weight");
        let mut table = file.take(&table, &[2 * config.span(), size])?;
        if config.normed_positions() {
            let norm = Norm::take(file, &format!("{root}encoder.LayerNorm"), size, eps)?;
            table = file.made(norm.apply(&table))?;
        }
        let layer = |index| {
            let name = format!("{root}encoder.layer.{index}.");
            Layer::new(config, file, &name, &table)
        };
        Ok(Self {
            words: file.take(&words, &[tokens, size])?,
            segment,
            norm: Norm::take(file, &format!("{root}embeddings.LayerNorm"), size, eps)?,
            layers: (0..config.num_hidden_layers)
                .map(layer)
                .collect::<std::result::Result<_, _>>()?,
            positions: Positions::new(config),
            heads: config.num_attention_heads,
        })
    }

    /// The last layer for a text of at least one token, `[tokens, hidden]`. O(tokens^2).
    pub(crate) fn forward(&self, ids: &[u32]) -> Result<Tensor> {
        let ids = Tensor::new(ids, self.words.device())?;
        let mut x = self.words.index_select(&ids, 0)?;
        if let Some(segment) = &self.segment {
            x = x.broadcast_add(segment)?;
        }
        x = self.norm.apply(&x)?;
        let reach = self.positions.reach(x.dims()[0]).on(x.device())?;
        for layer in &self.layers {
            x = layer.forward(&x, &reach, self.heads)?;
        }
        Ok(x)
    }

    /// Bytes of all weights, the projected tables of positions included.
    pub(crate) fn bytes(&self) -> usize {
        let layers: usize = self.layers.iter().map(Layer::bytes).sum();
        let segment = self.segment.as_ref().map_or(0, tensor_bytes);
        tensor_bytes(&self.words) + segment + self.norm.bytes() + layers
    }
}

impl Layer {
    fn new(
        config: &Encoder,
        file: &TensorFile,
        name: &str,
        table: &Tensor,
    ) -> std::result::Result<Self, LoadError> {
        let (size, wide) = (config.hidden_size, config.intermediate_size);
        let linear = |part: &str, from, to| Linear::take(file, &format!("{name}{part}"), from, to);
        let norm =
            |part: &str| Norm::take(file, &format!("{name}{part}"), size, config.layer_norm_eps);
        let ready = |part: &str, from, to| file.made(Ready::new(linear(part, from, to)?));
        let own = |part: &str| linear(&format!("attention.self.{part}"), size, size);
        let (query, key, value) = (own("query_proj")?, own("key_proj")?, own("value_proj")?);
        let (to, from) = (config.attends("c2p"), config.attends("p2c"));
        let position_keys = match (to, config.share_att_key) {
            (false, _) => None,
            (true, true) => Some(key.apply(table)),
            (true, false) => Some(own("pos_key_proj")?.apply(table)),
        };
        let position_queries = match (from, config.share_att_key) {
            (false, _) => None,
            (true, true) => Some(query.apply(table)),
            (true, false) => Some(own("pos_query_proj")?.apply(table)),
        };
        let heads = config.num_attention_heads;
        let parts = 1 + usize::from(to) + usize::from(from);
        let scale = 1.0 / ((size / heads * parts) as f64).sqrt();
        let by_head = |part: Option<Result<Tensor>>, scale: f64| {
            let part = part.unwrap_or_else(|| table.zeros_like());
            file.made(part.and_then(|part| split(&(part * scale)?, heads)))
        };
        let qkv = || -> Result<Linear> {
            let (weight, bias) = ((&query.weight * scale)?, (&query.bias * scale)?);
            Ok(Linear {
                weight: Tensor::cat(&[&weight, &key.weight, &value.weight], 1)?,
                bias: Tensor::cat(&[&bias, &key.bias, &value.bias], 0)?,
            })
        };
        Ok(Self {
            qkv: file.made(qkv().and_then(Ready::new))?,
            position_keys: by_head(position_keys, 1.0)?,
            position_queries: by_head(position_queries, scale)?,
            attended: ready("attention.output.dense", size, size)?,
            attended_norm: norm("attention.output.LayerNorm")?,
            up: ready("intermediate.dense", size, wide)?,
            down: ready("output.dense", wide, size)?,
            down_norm: norm("output.LayerNorm")?,
        })
    }

    fn forward(&self, x: &Tensor, reach: &Reach, heads: usize) -> Result<Tensor> {
        let (tokens, size) = x.dims2()?;
        let qkv = self.qkv.apply(x)?;
        let part = |at: usize| split(&qkv.narrow(1, at * size, size)?, heads);
        let (query, key, value) = (part(0)?, part(1)?, part(2)?);
        let near = |table: &Tensor| table.narrow(1, reach.first, reach.count)?.t();
        let seen = weights(
            reach,
            &query.matmul(&key.t()?)?,
            &query.matmul(&near(&self.position_keys)?)?,
            &key.matmul(&near(&self.position_queries)?)?,
        )?;
        let mixed = seen.matmul(&value)?.transpose(0, 1)?;
        let mixed = mixed.reshape((tokens, size))?;
        let x = self
            .attended_norm
            .apply(&(self.attended.apply(&mixed)? + x)?)?;
        let wide = self.up.apply(&x)?.gelu_erf()?;
        self.down_norm.apply(&(self.down.apply(&wide)? + x)?)
    }

    fn bytes(&self) -> usize {
        let linears = [&self.qkv, &self.attended, &self.up, &self.down];
        let linears: usize = linears.map(Ready::bytes).iter().sum();
        let tables = tensor_bytes(&self.position_keys) + tensor_bytes(&self.position_queries);
        linears + tables + self.attended_norm.bytes() + self.down_norm.bytes()
    }
}

/// `[n, heads * head]` to `[heads, n, head]`.
fn split(x: &Tensor, heads: usize) -> Result<Tensor> {
    let (n, size) = x.dims2()?;
    x.reshape((n, heads, size / heads))?
        .transpose(0, 1)?
        .contiguous()
}
