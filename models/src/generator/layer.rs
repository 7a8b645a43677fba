//! One layer of the decoder: the part before attention, attention, and the part after it.
//!
//! A prompt's tokens are distributed over the threads; for a single token, rows of weights and
//! heads are.

use candle_core::Result;
use pulp::NullaryFnOnce;
use rayon::prelude::*;

use super::attention::LayerCache;
use super::config::{Config, Rotation};
use super::lanes;
use super::linear::{Activations, Linear};
use super::pool::Pool;

/// The tensors of one layer; matrices have type `M`.
#[derive(Debug)]
pub(super) struct Layer<M = Linear> {
    pub(super) attention_norm: Vec<f32>,
    pub(super) query: Projection<M>,
    pub(super) key: Projection<M>,
    pub(super) value: Projection<M>,
    /// Norms of each head's query and key; empty if there are none.
    pub(super) query_norm: Vec<f32>,
    pub(super) key_norm: Vec<f32>,
    pub(super) output: M,
    pub(super) inner_norm: Vec<f32>,
    pub(super) gate: M,
    pub(super) up: M,
    pub(super) down: M,
}

/// A product and its bias; `bias` may be empty.
#[derive(Debug)]
pub(super) struct Projection<M> {
    pub(super) weights: M,
    pub(super) bias: Vec<f32>,
}

impl Room {
    /// Scratch memory for products with or without quantised input.
    pub(super) fn new(is_quantised: bool) -> Self {
        let mut room = Self::default();
        room.input.is_quantised = is_quantised;
        room
    }
}

impl Layer {
    pub(super) fn matrices(&self) -> [&Linear; 7] {
        [
            &self.query.weights, &self.key.weights, &self.value.weights, &self.output, &self.gate,
            &self.up, &self.down,
        ]
    }
}

/// Scratch memory of one thread.
#[derive(Debug, Default)]
pub(super) struct Room {
    pub(super) input: Activations,
    gate: Vec<f32>,
    up: Vec<f32>,
}

/// The vectors of the current tokens, one row per token.
pub(super) struct Batch {
    /// The position of the first token.
    pub(super) first: usize,
    pub(super) count: usize,
    pub(super) hidden: Vec<f32>,
    query: Vec<f32>,
    key: Vec<f32>,
    value: Vec<f32>,
    /// The output of attention.
    found: Vec<f32>,
    /// Sines and cosines by position.
    turns: Vec<Vec<(f32, f32)>>,
}

impl Batch {
    /// Memory for `count` tokens from position `first` on.
    pub(super) fn new(config: &Config, first: usize, count: usize) -> Self {
        let queries = count * config.query_width();
        let keys = count * config.kv_width();
        Self {
            first,
            count,
            hidden: vec![0.0; count * config.width],
            query: vec![0.0; queries],
            key: vec![0.0; keys],
            value: vec![0.0; keys],
            found: vec![0.0; queries],
            turns: (first..first + count)
                .map(|position| config.rotation.at(position))
                .collect(),
        }
    }
}

/// The context of a layer.
pub(super) struct Step<'a> {
    pub(super) config: &'a Config,
    pub(super) pool: &'a Pool,
    /// One for each thread.
    pub(super) rooms: &'a mut [Room],
    /// Tokens per thread.
    pub(super) share: usize,
}

impl Step<'_> {
    /// One layer, from `batch.hidden` to `batch.hidden`.
    pub(super) fn run(
        &mut self,
        layer: &Layer,
        cache: &mut LayerCache,
        batch: &mut Batch,
    ) -> Result<()> {
        self.project(layer, batch)?;
        if cache.is_half() {
            lanes::run(lanes::ToHalf(&mut batch.query));
        }
        let width = self.config.kv_width();
        let rows = batch.key.chunks_exact_mut(width);
        for (at, (key, value)) in rows.zip(batch.value.chunks_exact_mut(width)).enumerate() {
            cache.set(batch.first + at, key, value);
        }
        self.attend(cache, batch);
        self.finish(layer, batch)
    }

    /// Queries, keys and values, rotated by their positions.
    fn project(&mut self, layer: &Layer, batch: &mut Batch) -> Result<()> {
        let (config, pool, share) = (self.config, self.pool, self.share);
        let is_split = batch.count == 1;
        let kv_share = share * config.kv_width();
        let parts = batch
            .hidden
            .par_chunks(share * config.width)
            .zip(batch.turns.par_chunks(share))
            .zip(batch.query.par_chunks_mut(share * config.query_width()))
            .zip(batch.key.par_chunks_mut(kv_share))
            .zip(batch.value.par_chunks_mut(kv_share))
            .zip(self.rooms.par_iter_mut());
        parts.try_for_each(|(((((hidden, turns), query), key), value), room)| {
            room.input
                .normalise(hidden, &layer.attention_norm, config.norm_epsilon);
            let products = vec![
                (&layer.query.weights, &mut *query),
                (&layer.key.weights, &mut *key),
                (&layer.value.weights, &mut *value),
            ];
            pool.multiply(&room.input, products, is_split)?;
            add(query, &layer.query.bias);
            add(key, &layer.key.bias);
            add(value, &layer.value.bias);
            for (rows, norm) in [(&mut *query, &layer.query_norm), (key, &layer.key_norm)] {
                if !norm.is_empty() {
                    lanes::run(Normalise {
                        rows,
                        norm,
                        epsilon: config.norm_epsilon,
                    });
                }
                lanes::run(Turn {
                    rotation: &config.rotation,
                    turns,
                    rows,
                });
            }
            Ok(())
        })
    }

    /// The attention output of every head and token.
    fn attend(&self, cache: &LayerCache, batch: &mut Batch) {
        let config = self.config;
        let per_kv = config.heads / config.kv_heads;
        let heads = batch
            .query
            .par_chunks_exact(config.head_width)
            .zip(batch.found.par_chunks_exact_mut(config.head_width))
            .enumerate();
        let first = batch.first;
        // A single thread is the caller's, outside the pool; splitting here would run work on pool
        // threads.
        let is_split = batch.count == 1 && self.pool.threads() > 1;
        heads
            .with_min_len(if is_split { 1 } else { config.heads })
            .for_each_init(Vec::new, |scores, (at, (query, found))| {
                let (token, head) = (at / config.heads, at % config.heads);
                cache.attend(head / per_kv, first + token + 1, query, scores, found);
            });
    }

    /// The output projection of attention and the feed-forward part, both added to `hidden`.
    fn finish(&mut self, layer: &Layer, batch: &mut Batch) -> Result<()> {
        let (config, pool, share) = (self.config, self.pool, self.share);
        let is_split = batch.count == 1;
        let parts = batch
            .hidden
            .par_chunks_mut(share * config.width)
            .zip(batch.found.par_chunks(share * config.query_width()))
            .zip(self.rooms.par_iter_mut());
        parts.try_for_each(|((hidden, found), room)| {
            let Room { input, gate, up } = room;
            let tokens = hidden.len() / config.width;
            gate.resize(tokens * config.inner_width, 0.0);
            up.resize(tokens * config.inner_width.max(config.width), 0.0);
            input.fill(found, config.query_width());
            let out = &mut up[..hidden.len()];
            pool.multiply(input, vec![(&layer.output, &mut *out)], is_split)?;
            add(hidden, out);
            input.normalise(hidden, &layer.inner_norm, config.norm_epsilon);
            let inner = &mut up[..tokens * config.inner_width];
            let products = vec![(&layer.gate, &mut gate[..]), (&layer.up, &mut *inner)];
            pool.multiply(input, products, is_split)?;
            lanes::run(Gate { gate, up: inner });
            input.fill(gate, config.inner_width);
            let out = &mut up[..hidden.len()];
            pool.multiply(input, vec![(&layer.down, &mut *out)], is_split)?;
            add(hidden, out);
            Ok(())
        })
    }
}

impl Activations {
    /// Copies rows.
    pub(super) fn fill(&mut self, rows: &[f32], columns: usize) {
        self.floats.clear();
        self.floats.extend_from_slice(rows);
        self.quantise(columns);
    }

    /// Copies rows, each scaled to a root mean square of 1 and by `norm` (Zhang and Sennrich 2019,
    /// RMSNorm).
    pub(super) fn normalise(&mut self, rows: &[f32], norm: &[f32], epsilon: f32) {
        self.floats.clear();
        self.floats.extend_from_slice(rows);
        lanes::run(Normalise {
            rows: &mut self.floats,
            norm,
            epsilon,
        });
        self.quantise(norm.len());
    }
}

/// Rotates the heads of each token by its position.
struct Turn<'a> {
    rotation: &'a Rotation,
    turns: &'a [Vec<(f32, f32)>],
    rows: &'a mut [f32],
}

impl NullaryFnOnce for Turn<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let width = self.rows.len() / self.turns.len();
        for (row, turns) in self.rows.chunks_exact_mut(width).zip(self.turns) {
            self.rotation.turn(turns, row);
        }
    }
}

struct Normalise<'a> {
    rows: &'a mut [f32],
    norm: &'a [f32],
    epsilon: f32,
}

impl NullaryFnOnce for Normalise<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        for row in self.rows.chunks_exact_mut(self.norm.len()) {
            let mut sums = [0.0_f64; 8];
            let (eights, rest) = row.as_chunks::<8>();
            for eight in eights {
                for lane in 0..8 {
                    sums[lane] += f64::from(eight[lane] * eight[lane]);
                }
            }
            let rest: f64 = rest.iter().map(|x| f64::from(x * x)).sum();
            let square = (sums.iter().sum::<f64>() + rest) / self.norm.len() as f64;
            let square = square as f32;
            let scale = 1.0 / (square + self.epsilon).sqrt();
            for (x, norm) in row.iter_mut().zip(self.norm) {
                *x = *x * scale * norm;
            }
        }
    }
}

/// `gate * sigmoid(gate) * up`, into `gate`.
struct Gate<'a> {
    gate: &'a mut [f32],
    up: &'a [f32],
}

impl NullaryFnOnce for Gate<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        for (gate, up) in self.gate.iter_mut().zip(self.up) {
            *gate = *gate / (1.0 + lanes::exp(-*gate)) * up;
        }
    }
}

/// Adds `what` to every row of `to`; does nothing if `what` is empty.
fn add(to: &mut [f32], what: &[f32]) {
    if !what.is_empty() {
        for row in to.chunks_exact_mut(what.len()) {
            row.iter_mut().zip(what).for_each(|(x, y)| *x += y);
        }
    }
}
