//! The decoder of the Llama and Qwen families through the tensor library: norms, rotary attention
//! over cached keys and values, gated feed-forward (Touvron et al. 2023, LLaMA; Shazeer 2020,
//! SwiGLU).
//!
//! The library's own models keep their caches to themselves. This one can forget the end of what it
//! read, so that a conversation is read only from its first difference.

#[cfg(test)]
mod tests;

use candle_core::{DType, Device, Result, Tensor};
use candle_nn::ops::{rms_norm, silu, softmax_last_dim};
use candle_nn::rotary_emb::{rope, rope_i};

use super::config::{Config, Family};
use super::source::{Matrix, Source};
use crate::LoadError;

/// Initial size of a cache in tokens; it doubles when full.
const ROOM_TOKENS: usize = 256;

/// A decoder on a device with its cache.
#[derive(Debug)]
pub(super) struct Decoder {
    config: Config,
    embedding: Matrix,
    layers: Vec<Layer>,
    norm: Tensor,
    /// `None` if the embedding is reused.
    head: Option<Matrix>,
    /// Tokens whose keys and values are cached.
    len: usize,
    positions: usize,
    device: Device,
}

#[derive(Debug)]
struct Layer {
    attention_norm: Tensor,
    query: Projection,
    key: Projection,
    value: Projection,
    /// Norms of each head's query and key.
    query_norm: Option<Tensor>,
    key_norm: Option<Tensor>,
    output: Matrix,
    inner_norm: Tensor,
    gate: Matrix,
    up: Matrix,
    down: Matrix,
    /// Keys and values, `[heads, room, width of a head]` each.
    cache: [Tensor; 2],
}

/// A product and its bias.
#[derive(Debug)]
struct Projection {
    weights: Matrix,
    bias: Option<Tensor>,
}

/// Which tokens' logits are returned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wanted {
    None,
    Last,
    All,
}

/// Values shared by all layers for the current tokens.
struct Step<'a> {
    config: &'a Config,
    /// The position of the first token.
    first: usize,
    count: usize,
    /// Cosines and sines, `[tokens, half the width of a head]`.
    turns: [Tensor; 2],
    /// 0 for visible positions, minus infinity for later ones: `[tokens, positions]`. `None` for a
    /// single token, which sees all.
    mask: Option<Tensor>,
}

impl Decoder {
    /// Loads a decoder onto `device`; it can read `positions` tokens.
    ///
    /// # Errors
    /// [`LoadError`] names the tensor, or what the system refused.
    pub(super) fn load(
        config: Config,
        source: &dyn Source,
        positions: usize,
        device: Device,
    ) -> std::result::Result<Self, LoadError> {
        let shape = (
            config.kv_heads,
            positions.min(ROOM_TOKENS),
            config.head_width,
        );
        let cache = || Tensor::zeros(shape, DType::F32, &device);
        let layer = |at| {
            let cache = || Ok([cache()?, cache()?]);
            let cache = cache().map_err(|error: candle_core::Error| LoadError::Start {
                reason: error.to_string(),
            })?;
            Layer::load(&config, source, at, &device, cache)
        };
        let (rows, width) = (config.vocabulary, config.width);
        let has_head = source.has("output.weight");
        let head = has_head.then(|| source.matrix("output.weight", rows, width, &device));
        Ok(Self {
            embedding: source.matrix("token_embd.weight", rows, width, &device)?,
            layers: (0..config.layers)
                .map(layer)
                .collect::<std::result::Result<_, _>>()?,
            norm: source.vector("output_norm.weight", width, &device)?,
            head: head.transpose()?,
            len: 0,
            positions,
            device,
            config,
        })
    }

    /// Most tokens that can be read.
    pub(super) fn positions(&self) -> usize {
        self.positions
    }

    /// The vocabulary size of the logits.
    pub(super) fn vocabulary(&self) -> usize {
        self.config.vocabulary
    }

    /// Forgets all but the first `len` tokens.
    pub(super) fn truncate(&mut self, len: usize) {
        self.len = self.len.min(len);
    }

    /// Bytes of weights, and of memory for keys and values.
    pub(super) fn resident_bytes(&self) -> usize {
        let matrices = self.layers.iter().flat_map(Layer::matrices);
        let matrices = matrices.chain(&self.head).chain([&self.embedding]);
        let cached: usize = self.layers.iter().map(Layer::cached_bytes).sum();
        matrices.map(Matrix::bytes).sum::<usize>() + cached
    }

    /// Reads `tokens`, which must fit, after those read before. Returns the requested logits, one
    /// row of the vocabulary per token.
    pub(super) fn read(&mut self, tokens: &[u32], wanted: Wanted) -> Result<Vec<f32>> {
        self.check(tokens)?;
        // from outside candle's threads every operation would first have to wake one of them
        self.device
            .clone()
            .with_context(|| self.run(tokens, wanted))
    }

    fn run(&mut self, tokens: &[u32], wanted: Wanted) -> Result<Vec<f32>> {
        let Self {
            config,
            embedding,
            layers,
            len,
            device,
            ..
        } = self;
        let step = Step::new(config, *len, tokens.len(), device)?;
        let ids = Tensor::new(tokens, device)?;
        let mut hidden = embedding.rows(&ids)?;
        for layer in layers {
            hidden = step.run(layer, &hidden)?;
        }
        self.len += tokens.len();
        self.logits(&hidden, wanted)
    }

    /// Refuses empty input, more tokens than there is room for, and tokens outside the vocabulary.
    fn check(&self, tokens: &[u32]) -> Result<()> {
        let room = self.positions - self.len;
        if tokens.is_empty() || tokens.len() > room {
            let count = tokens.len();
            candle_core::bail!("{count} tokens are to be read, there is room for {room}");
        }
        let vocabulary = self.config.vocabulary;
        match tokens.iter().find(|&&token| token as usize >= vocabulary) {
            Some(token) => candle_core::bail!("token {token} is not in the vocabulary"),
            None => Ok(()),
        }
    }

    fn logits(&self, hidden: &Tensor, wanted: Wanted) -> Result<Vec<f32>> {
        let count = hidden.dim(0)?;
        let first = match wanted {
            Wanted::None => return Ok(Vec::new()),
            Wanted::Last => count - 1,
            Wanted::All => 0,
        };
        let hidden = hidden.narrow(0, first, count - first)?.contiguous()?;
        let hidden = rms_norm(&hidden, &self.norm, self.config.norm_epsilon)?;
        let head = self.head.as_ref().unwrap_or(&self.embedding);
        head.forward(&hidden)?.flatten_all()?.to_vec1()
    }
}

impl Layer {
    fn load(
        config: &Config,
        source: &dyn Source,
        at: usize,
        device: &Device,
        cache: [Tensor; 2],
    ) -> std::result::Result<Self, LoadError> {
        let (width, inner) = (config.width, config.inner_width);
        let name = |rest: &str| format!("blk.{at}.{rest}");
        let matrix = |rest: &str, rows, columns| source.matrix(&name(rest), rows, columns, device);
        let vector = |rest: &str, len| source.vector(&name(rest), len, device);
        let projection = |rest: &str, rows| {
            let bias = format!("{rest}.bias");
            let has_bias = config.family == Family::Qwen2 || source.has(&name(&bias));
            Ok::<_, LoadError>(Projection {
                weights: matrix(&format!("{rest}.weight"), rows, width)?,
                bias: has_bias.then(|| vector(&bias, rows)).transpose()?,
            })
        };
        let head_norm = |rest: &str| {
            let has_norm = config.family == Family::Qwen3;
            has_norm
                .then(|| vector(rest, config.head_width))
                .transpose()
        };
        Ok(Self {
            attention_norm: vector("attn_norm.weight", width)?,
            query: projection("attn_q", config.query_width())?,
            key: projection("attn_k", config.kv_width())?,
            value: projection("attn_v", config.kv_width())?,
            query_norm: head_norm("attn_q_norm.weight")?,
            key_norm: head_norm("attn_k_norm.weight")?,
            output: matrix("attn_output.weight", width, config.query_width())?,
            inner_norm: vector("ffn_norm.weight", width)?,
            gate: matrix("ffn_gate.weight", inner, width)?,
            up: matrix("ffn_up.weight", inner, width)?,
            down: matrix("ffn_down.weight", width, inner)?,
            cache,
        })
    }

    fn matrices(&self) -> [&Matrix; 7] {
        [
            &self.query.weights, &self.key.weights, &self.value.weights, &self.output, &self.gate,
            &self.up, &self.down,
        ]
    }

    fn cached_bytes(&self) -> usize {
        let floats = self.cache.iter().map(Tensor::elem_count);
        floats.sum::<usize>() * size_of::<f32>()
    }

    /// Stores keys and values, `[heads, tokens, width]` each, from position `first` on, and returns
    /// all up to them.
    fn keep(&mut self, first: usize, found: &[Tensor; 2]) -> Result<[Tensor; 2]> {
        let end = first + found[0].dim(1)?;
        let [keys, values] = &mut self.cache;
        for (kept, found) in [keys, values].into_iter().zip(found) {
            let (heads, room, width) = kept.dims3()?;
            if end > room {
                let shape = (heads, end.next_power_of_two(), width);
                let wider = Tensor::zeros(shape, DType::F32, kept.device())?;
                wider.slice_set(kept, 1, 0)?;
                *kept = wider;
            }
            kept.slice_set(found, 1, first)?;
        }
        let [keys, values] = &self.cache;
        Ok([keys.narrow(1, 0, end)?, values.narrow(1, 0, end)?])
    }
}

impl Projection {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let product = self.weights.forward(x)?;
        match &self.bias {
            Some(bias) => product.broadcast_add(bias),
            None => Ok(product),
        }
    }
}

impl<'a> Step<'a> {
    fn new(config: &'a Config, first: usize, count: usize, device: &Device) -> Result<Self> {
        let turns = (first..first + count).flat_map(|position| config.rotation.at(position));
        let (sines, cosines): (Vec<f32>, Vec<f32>) = turns.unzip();
        let turns = |all| Tensor::from_vec(all, (count, config.head_width / 2), device);
        let mask = (count > 1).then(|| {
            let end = first + count;
            let sees = |at: usize| (0..end).map(move |other| other <= first + at);
            let shares = (0..count).flat_map(sees);
            let shares = shares.map(|sees| if sees { 0.0 } else { f32::NEG_INFINITY });
            Tensor::from_iter(shares, device)?.reshape((count, end))
        });
        Ok(Self {
            config,
            first,
            count,
            turns: [turns(cosines)?, turns(sines)?],
            mask: mask.transpose()?,
        })
    }

    /// One layer: `[tokens, width]` to the same.
    fn run(&self, layer: &mut Layer, hidden: &Tensor) -> Result<Tensor> {
        let epsilon = self.config.norm_epsilon;
        let x = rms_norm(hidden, &layer.attention_norm, epsilon)?;
        let found = self.attend(layer, &x)?;
        let hidden = (hidden + layer.output.forward(&found)?)?;
        let x = rms_norm(&hidden, &layer.inner_norm, epsilon)?;
        let inner = (silu(&layer.gate.forward(&x)?)? * layer.up.forward(&x)?)?;
        hidden + layer.down.forward(&inner)?
    }

    /// The attention output of all heads, `[tokens, heads * width]`. Query heads that share a key
    /// head are stacked like additional tokens.
    fn attend(&self, layer: &mut Layer, x: &Tensor) -> Result<Tensor> {
        let config = self.config;
        let (kv_heads, width) = (config.kv_heads, config.head_width);
        let shared = config.heads / kv_heads;
        let query = self.heads(&layer.query.forward(x)?, config.heads)?;
        let query = self.turned(&self.normed(query, layer.query_norm.as_ref())?)?;
        let query = query.reshape((kv_heads, shared * self.count, width))?;
        let key = self.heads(&layer.key.forward(x)?, kv_heads)?;
        let key = self.turned(&self.normed(key, layer.key_norm.as_ref())?)?;
        let value = self.heads(&layer.value.forward(x)?, kv_heads)?;
        let [keys, values] = layer.keep(self.first, &[key, value])?;

        let scale = 1.0 / (width as f64).sqrt();
        let mut scores = (query.matmul(&keys.transpose(1, 2)?)? * scale)?;
        if let Some(mask) = &self.mask {
            let end = self.first + self.count;
            scores = scores
                .reshape((kv_heads, shared, self.count, end))?
                .broadcast_add(mask)?
                .reshape((kv_heads, shared * self.count, end))?;
        }
        let found = softmax_last_dim(&scores)?.matmul(&values)?;
        found
            .reshape((config.heads, self.count, width))?
            .transpose(0, 1)?
            .reshape((self.count, config.query_width()))?
            .contiguous()
    }

    /// `[tokens, heads * width]` to `[heads, tokens, width]`.
    fn heads(&self, x: &Tensor, heads: usize) -> Result<Tensor> {
        x.reshape((self.count, heads, self.config.head_width))?
            .transpose(0, 1)?
            .contiguous()
    }

    fn normed(&self, x: Tensor, norm: Option<&Tensor>) -> Result<Tensor> {
        match norm {
            Some(norm) => rms_norm(&x, norm, self.config.norm_epsilon),
            None => Ok(x),
        }
    }

    /// Every head rotated by its position.
    fn turned(&self, x: &Tensor) -> Result<Tensor> {
        let [cosines, sines] = &self.turns;
        let turn = match self.config.rotation.neighbours {
            true => rope_i,
            false => rope,
        };
        turn(&x.unsqueeze(0)?, cosines, sines)?.squeeze(0)
    }
}
