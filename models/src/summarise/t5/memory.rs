//! The cache of decoding: the keys and values of the prompt and of the tokens so far.

use candle_core::{DType, Device, Result, Tensor};

/// Initial size of a cache in tokens; it doubles for a longer reply.
const TOKENS_AT_FIRST: usize = 32;

/// Keys and values of a prompt, `[heads, tokens, head]` each, for every layer of the decoder.
#[derive(Debug)]
pub(super) struct Prompt {
    pub(super) layers: Vec<(Tensor, Tensor)>,
}

/// Keys and values of the tokens of some replies, `[beams, heads, room, head]` each, for every
/// layer. Tokens are written into preallocated memory: no step copies the previous ones.
#[derive(Debug)]
pub(super) struct Memory {
    layers: Vec<(Tensor, Tensor)>,
    tokens: usize,
}

impl Memory {
    /// An empty one on `device`.
    pub(super) fn new(
        layers: usize,
        [beams, heads, head]: [usize; 3],
        device: &Device,
    ) -> Result<Self> {
        let shape = (beams, heads, TOKENS_AT_FIRST, head);
        let room = || Tensor::zeros(shape, DType::F32, device);
        let layers = (0..layers).map(|_| Ok((room()?, room()?)));
        Ok(Self {
            layers: layers.collect::<Result<_>>()?,
            tokens: 0,
        })
    }

    /// Tokens in every layer.
    pub(super) fn len(&self) -> usize {
        self.tokens
    }

    /// Adds a token's key and value, `[beams, heads, 1, head]`, to a layer; returns its content,
    /// `[beams, heads, tokens + 1, head]`.
    pub(super) fn push(
        &mut self,
        layer: usize,
        key: &Tensor,
        value: &Tensor,
    ) -> Result<(Tensor, Tensor)> {
        let (keys, values) = &mut self.layers[layer];
        for (held, new) in [(&mut *keys, key), (&mut *values, value)] {
            if self.tokens == held.dims()[2] {
                *held = Tensor::cat(&[&*held, &held.zeros_like()?], 2)?;
            }
            held.slice_set(&new.contiguous()?, 2, self.tokens)?;
        }
        let held = |all: &Tensor| all.narrow(2, 0, self.tokens + 1);
        Ok((held(keys)?, held(values)?))
    }

    /// Call it when every layer has the token.
    pub(super) fn advance(&mut self) {
        self.tokens += 1;
    }

    /// Reply `n` continues what was reply `parents[n]`.
    pub(super) fn follow(&mut self, parents: &[u32]) -> Result<()> {
        if (0u32..).zip(parents).all(|(own, parent)| own == *parent) {
            return Ok(());
        }
        let Some((first, _)) = self.layers.first() else {
            return Ok(());
        };
        let parents = Tensor::new(parents, first.device())?;
        for (keys, values) in &mut self.layers {
            *keys = keys.index_select(&parents, 0)?;
            *values = values.index_select(&parents, 0)?;
        }
        Ok(())
    }
}
