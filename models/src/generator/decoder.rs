//! The decoder of the Llama and Qwen families: norms, rotary attention over cached keys and values,
//! gated feed-forward (Touvron et al. 2023, LLaMA; Shazeer 2020, SwiGLU).

use std::fmt;

use candle_core::Result;

use super::attention::{LayerCache, POSITIONS};
use super::config::Config;
use super::layer::{Batch, Layer, Room, Step};
use super::linear::Linear;
use super::pool::Pool;

/// All tensors; matrices have type `M`.
#[derive(Debug)]
pub(super) struct Tensors<M = Linear> {
    pub(super) embedding: M,
    pub(super) layers: Vec<Layer<M>>,
    pub(super) norm: Vec<f32>,
    /// `None` if the embedding is reused.
    pub(super) head: Option<M>,
}

/// A decoder with a cache of the tokens it read.
pub(super) trait Decode: fmt::Debug + Send {
    /// Most tokens that can be read.
    fn positions(&self) -> usize;

    /// The vocabulary size of the logits.
    fn vocabulary(&self) -> usize;

    /// Forgets all but the first `len` tokens.
    fn truncate(&mut self, len: usize);

    /// Bytes of weights, and of keys and values for the cached tokens.
    fn resident_bytes(&self) -> usize;

    /// Reads `tokens`, which must fit, after those read before. Returns the requested logits, one
    /// row of the vocabulary per token.
    fn read(&mut self, tokens: &[u32], wanted: Wanted) -> Result<Vec<f32>>;
}

/// Refuses empty input, more tokens than `room`, and tokens outside the vocabulary.
pub(super) fn check(tokens: &[u32], room: usize, vocabulary: usize) -> Result<()> {
    if tokens.is_empty() || tokens.len() > room {
        let count = tokens.len();
        candle_core::bail!("{count} tokens are to be read, there is room for {room}");
    }
    match tokens.iter().find(|&&token| token as usize >= vocabulary) {
        Some(token) => candle_core::bail!("token {token} is not in the vocabulary"),
        None => Ok(()),
    }
}

/// A decoder on the CPU with this crate's products.
#[derive(Debug)]
pub(super) struct Decoder {
    config: Config,
    tensors: Tensors,
    caches: Vec<LayerCache>,
    /// Tokens whose keys and values are cached.
    len: usize,
    positions: usize,
    pool: Pool,
    /// Whether all products are this crate's, which run on one thread each.
    all_packed: bool,
    rooms: Vec<Room>,
}

/// Which tokens' logits are returned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wanted {
    None,
    Last,
    All,
}

impl Tensors {
    fn matrices(&self) -> impl Iterator<Item = &Linear> {
        let layers = self.layers.iter().flat_map(Layer::matrices);
        layers.chain(&self.head).chain([&self.embedding])
    }
}

impl Decoder {
    /// Builds a decoder that can read `positions` tokens.
    pub(super) fn new(config: Config, tensors: Tensors, positions: usize, pool: Pool) -> Self {
        let room = positions.next_multiple_of(POSITIONS);
        let is_packed = |matrix: &Linear| matches!(matrix, Linear::Packed(_));
        let all_packed = tensors.matrices().all(is_packed);
        let any_packed = tensors.matrices().any(is_packed);
        let (heads, width) = (config.kv_heads, config.head_width);
        let cache = |_| LayerCache::new(heads, width, room, any_packed);
        let caches = (0..config.layers).map(cache).collect();
        Self {
            all_packed,
            rooms: (0..pool.threads()).map(|_| Room::new(any_packed)).collect(),
            caches,
            len: 0,
            positions,
            pool,
            config,
            tensors,
        }
    }

    fn read_inside(&mut self, tokens: &[u32], wanted: Wanted) -> Result<Vec<f32>> {
        let config = &self.config;
        let mut batch = Batch::new(config, self.len, tokens.len());
        let rows = batch.hidden.chunks_exact_mut(config.width);
        for (&token, to) in tokens.iter().zip(rows) {
            self.tensors.embedding.row(token as usize, to)?;
        }
        let mut step = Step {
            config,
            pool: &self.pool,
            rooms: &mut self.rooms,
            // The library distributes its quantised products over its own threads; splitting the
            // tokens here as well would compete with them.
            share: if self.all_packed {
                tokens.len().div_ceil(self.pool.threads())
            } else {
                tokens.len()
            },
        };
        for (layer, cache) in self.tensors.layers.iter().zip(&mut self.caches) {
            step.run(layer, cache, &mut batch)?;
        }
        self.len += tokens.len();
        self.logits(&batch, wanted)
    }

    fn logits(&mut self, batch: &Batch, wanted: Wanted) -> Result<Vec<f32>> {
        let config = &self.config;
        let first = match wanted {
            Wanted::None => return Ok(Vec::new()),
            Wanted::Last => batch.count - 1,
            Wanted::All => 0,
        };
        let input = &mut self.rooms[0].input;
        let hidden = &batch.hidden[first * config.width..];
        input.normalise(hidden, &self.tensors.norm, config.norm_epsilon);
        let count = batch.count - first;
        let mut logits = vec![0.0; count * config.vocabulary];
        let head = self
            .tensors
            .head
            .as_ref()
            .unwrap_or(&self.tensors.embedding);
        let products = vec![(head, &mut logits[..])];
        self.pool.multiply(input, products, count == 1)?;
        Ok(logits)
    }
}

impl Decode for Decoder {
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
        let weights: usize = self.tensors.matrices().map(Linear::bytes).sum();
        let each = LayerCache::bytes_per_position;
        let cached: usize = self.caches.iter().map(each).sum();
        weights + cached * self.len
    }

    fn read(&mut self, tokens: &[u32], wanted: Wanted) -> Result<Vec<f32>> {
        check(tokens, self.positions - self.len, self.config.vocabulary)?;
        if self.pool.threads() == 1 && self.all_packed && tokens.len() == 1 {
            return self.read_inside(tokens, wanted);
        }
        let pool = self.pool.clone();
        pool.install(|| self.read_inside(tokens, wanted))
    }
}
