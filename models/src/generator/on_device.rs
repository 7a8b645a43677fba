//! The decoder on a GPU through the tensor library: the arithmetic of [`Decoder`], with weights and
//! cache in device memory.
//!
//! [`Decoder`]: super::decoder::Decoder

#[cfg(test)]
mod tests;

use candle_core::quantized::QMatMul;
use candle_core::{DType, Device, Module, Result, Tensor};
use candle_nn::ops::{rms_norm, silu, softmax_last_dim};
use candle_nn::rotary_emb::{rope, rope_i};

use super::config::Config;
use super::decoder::{Decode, Tensors, Wanted, check};
use super::layer::{Layer, Projection};

/// Initial size of a cache in tokens; it doubles when full.
const ROOM_TOKENS: usize = 256;

/// A decoder on a device with its cache.
#[derive(Debug)]
pub(super) struct DeviceDecoder {
    config: Config,
    embedding: QMatMul,
    layers: Vec<DeviceLayer>,
    norm: Tensor,
    /// `None` if the embedding is reused.
    head: Option<QMatMul>,
    /// Tokens whose keys and values are cached.
    len: usize,
    positions: usize,
    device: Device,
}

#[derive(Debug)]
struct DeviceLayer {
    attention_norm: Tensor,
    query: Linear,
    key: Linear,
    value: Linear,
    /// Norms of each head's query and key.
    query_norm: Option<Tensor>,
    key_norm: Option<Tensor>,
    output: QMatMul,
    inner_norm: Tensor,
    gate: QMatMul,
    up: QMatMul,
    down: QMatMul,
    /// Keys and values, `[heads, room, width of a head]` each.
    cache: [Tensor; 2],
}

/// A product and its bias.
#[derive(Debug)]
struct Linear {
    weights: QMatMul,
    bias: Option<Tensor>,
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

impl DeviceDecoder {
    /// Builds a decoder whose matrices are on `device`; it can read `positions` tokens.
    ///
    /// # Errors
    /// The device's error if it has no memory for the other tensors.
    pub(super) fn new(
        config: Config,
        tensors: Tensors<QMatMul>,
        positions: usize,
        device: Device,
    ) -> Result<Self> {
        let layers = tensors.layers.into_iter();
        let layers = layers.map(|layer| DeviceLayer::new(layer, &config, positions, &device));
        Ok(Self {
            layers: layers.collect::<Result<_>>()?,
            norm: Tensor::new(tensors.norm, &device)?,
            embedding: tensors.embedding,
            head: tensors.head,
            len: 0,
            positions,
            device,
            config,
        })
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

impl Decode for DeviceDecoder {
    fn positions(&self) -> usize {
        self.positions
    }

    fn vocabulary(&self) -> usize {
        self.config.vocabulary
    }

    fn truncate(&mut self, len: usize) {
        self.len = self.len.min(len);
    }

    fn resident_bytes(&self) -> usize {
        let matrices = self.layers.iter().flat_map(DeviceLayer::matrices);
        let matrices = matrices.chain(&self.head).chain([&self.embedding]);
        let cached: usize = self.layers.iter().map(DeviceLayer::cached_bytes).sum();
        matrices.map(bytes).sum::<usize>() + cached
    }

    fn read(&mut self, tokens: &[u32], wanted: Wanted) -> Result<Vec<f32>> {
        check(tokens, self.positions - self.len, self.config.vocabulary)?;
        let step = Step::new(&self.config, self.len, tokens.len(), &self.device)?;
        let ids = Tensor::new(tokens, &self.device)?;
        let mut hidden = self.embedding.embedding(&ids)?.to_dtype(DType::F32)?;
        for layer in &mut self.layers {
            hidden = step.run(layer, &hidden)?;
        }
        self.len += tokens.len();
        self.logits(&hidden, wanted)
    }
}

impl DeviceLayer {
    fn new(
        layer: Layer<QMatMul>,
        config: &Config,
        positions: usize,
        device: &Device,
    ) -> Result<Self> {
        let vector = |floats: Vec<f32>| Tensor::new(floats, device);
        let some = |floats: Vec<f32>| match floats.is_empty() {
            true => Ok(None),
            false => vector(floats).map(Some),
        };
        let linear = |from: Projection<QMatMul>| {
            Ok::<_, candle_core::Error>(Linear {
                weights: from.weights,
                bias: some(from.bias)?,
            })
        };
        let room = positions.min(ROOM_TOKENS);
        let shape = (config.kv_heads, room, config.head_width);
        let cache = || Tensor::zeros(shape, DType::F32, device);
        Ok(Self {
            attention_norm: vector(layer.attention_norm)?,
            query: linear(layer.query)?,
            key: linear(layer.key)?,
            value: linear(layer.value)?,
            query_norm: some(layer.query_norm)?,
            key_norm: some(layer.key_norm)?,
            output: layer.output,
            inner_norm: vector(layer.inner_norm)?,
            gate: layer.gate,
            up: layer.up,
            down: layer.down,
            cache: [cache()?, cache()?],
        })
    }

    fn matrices(&self) -> [&QMatMul; 7] {
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

impl Linear {
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
    fn run(&self, layer: &mut DeviceLayer, hidden: &Tensor) -> Result<Tensor> {
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
    fn attend(&self, layer: &mut DeviceLayer, x: &Tensor) -> Result<Tensor> {
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

/// Bytes of a matrix.
fn bytes(matrix: &QMatMul) -> usize {
    match matrix {
        QMatMul::QTensor(tensor) => tensor.storage_size_in_bytes(),
        QMatMul::Tensor(tensor) | QMatMul::TensorF16(tensor) => {
            tensor.elem_count() * tensor.dtype().size_in_bytes()
        }
    }
}
