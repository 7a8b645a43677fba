//! Converts the vectors of a text's tokens to the weights of all words: the head of a masked
//! language model as SPLADE uses it (Formal et al. 2021, equation 6 with the maximum of SPLADE v2).
//!
//! The weight of a word is `ln(1 + max(0, l))` with `l` the largest of its logits over the tokens.
//! Almost all logits are below zero, so upper bounds in bytes first select the words that can have
//! a weight, and only their logits are computed exactly.

use parking_lot::Mutex;

use super::shelf::{Linear, Norm, Shelf};
use crate::checkpoint::{LoadError, Rows};
use crate::kernel::{
    Activation, ByteRow, Screen, ScreenBuffers, View, largest_products, layer_norm, to_bytes,
};

/// Smaller weights are dropped: they are many and do not help search.
const WEIGHT_MIN: f32 = 0.05;
/// Scratch buffers kept for the next calls.
const KEPT_MAX: usize = 4;
/// A buffer that a long text made larger than this is freed.
const KEPT_BYTES_MAX: usize = 4 << 20;

pub(super) struct Expansion {
    dense: Linear,
    activation: Activation,
    norm: Norm,
    eps: f32,
    words: Rows,
    biases: Vec<f32>,
    screen: Screen,
    spare: Mutex<Vec<Work>>,
}

/// Scratch memory of one call.
#[derive(Default)]
struct Work {
    /// `[tokens, size]`
    tokens: Vec<f32>,
    packed: Vec<f32>,
    buffers: ScreenBuffers,
    bounds: Vec<f32>,
    candidates: Vec<u16>,
    /// `[candidates, size]`
    rows: Vec<f32>,
    logits: Vec<f32>,
}

impl Expansion {
    /// Loads the head from `shelf`, whose names have no prefix. Reads every word once.
    pub(super) fn load(shelf: &Shelf<'_>) -> Result<Self, LoadError> {
        let (config, weights) = (shelf.config, shelf.weights);
        let (size, count) = (config.hidden_size, config.vocab_size);
        // if the bias is separate, the decoder adds this one
        let own = "cls.predictions.decoder.bias";
        let bias = match weights.has(own) {
            true => own,
            false => "cls.predictions.bias",
        };
        let biases = shelf.values(bias, &[count])?;
        let untied = "cls.predictions.decoder.weight";
        let name = match weights.has(untied) {
            true => untied,
            false => "bert.embeddings.word_embeddings.weight",
        };
        let words = Rows::open(weights, name, (count, size))?;
        let (mut row, mut bytes, mut finite) = (vec![0.0; size], vec![0; size * count], true);
        let screen = match words.byte_rows() {
            Some(kept) => Screen::new(size, &biases, |at| ByteRow {
                values: &kept.values[at * size..][..size],
                scale: kept.scales[at],
                exact: true,
            }),
            None => {
                let mut scales = Vec::with_capacity(count);
                for (at, bytes) in bytes.chunks_exact_mut(size).enumerate() {
                    row.fill(0.0);
                    words.add_to(at, &mut row);
                    finite &= row.iter().all(|x| x.is_finite());
                    scales.push(to_bytes(&row, bytes));
                }
                Screen::new(size, &biases, |at| ByteRow {
                    values: &bytes[at * size..][..size],
                    scale: scales[at],
                    exact: false,
                })
            }
        };
        if !finite {
            let found = "damaged (it has values that are no finite numbers)".to_owned();
            return Err(weights.wrong(name, found, &[count, size]));
        }
        Ok(Self {
            dense: shelf.linear("cls.predictions.transform.dense", (size, size))?,
            activation: config.activation(),
            norm: shelf.norm("cls.predictions.transform.LayerNorm")?,
            eps: config.layer_norm_eps as f32,
            words,
            biases,
            screen,
            spare: Mutex::default(),
        })
    }

    /// The words of a text with their weights, by ascending id, from the last layer of its tokens;
    /// `None` if that has NaN or infinite values.
    pub(super) fn weights(&self, tokens: &[f32]) -> Option<Vec<(u16, f32)>> {
        // Popped in a separate statement, so that the lock is not held meanwhile.
        let spare = self.spare.lock().pop();
        let mut work = spare.unwrap_or_default();
        let found = self.weights_with(tokens, &mut work);
        if work.bytes() <= KEPT_BYTES_MAX {
            let mut spare = self.spare.lock();
            if spare.len() < KEPT_MAX {
                spare.push(work);
            }
        }
        found
    }

    fn weights_with(&self, tokens: &[f32], work: &mut Work) -> Option<Vec<(u16, f32)>> {
        let size = self.norm.scale.len();
        work.tokens.resize(tokens.len(), 0.0);
        let input = View::dense(tokens, size);
        self.dense
            .run(input, self.activation, &mut work.tokens, &mut work.packed);
        layer_norm(
            &mut work.tokens, &self.norm.scale, &self.norm.shift, self.eps,
        );
        if work.tokens.iter().any(|x| !x.is_finite()) {
            return None;
        }
        let Work {
            tokens,
            buffers,
            bounds,
            candidates,
            rows,
            logits,
            ..
        } = work;
        self.screen.bounds(tokens, buffers, bounds);
        let least = WEIGHT_MIN.exp_m1();
        candidates.clear();
        // word ids are u16: checked when the encoder is loaded
        let possible = (0_u16..=u16::MAX).zip(bounds.iter());
        candidates.extend(
            possible
                .filter(|(_, bound)| **bound >= least)
                .map(|(at, _)| at),
        );
        rows.clear();
        rows.resize(candidates.len() * size, 0.0);
        for (word, row) in candidates.iter().zip(rows.chunks_exact_mut(size)) {
            self.words.add_to(usize::from(*word), row);
        }
        largest_products(rows, tokens, size, logits);
        let words = candidates.iter().zip(logits.iter());
        let weights = words.map(|(word, logit)| {
            let logit = logit + self.biases[usize::from(*word)];
            (*word, logit.max(0.0).ln_1p())
        });
        Some(
            weights
                .filter(|(_, weight)| *weight >= WEIGHT_MIN)
                .collect(),
        )
    }

    /// Memory of its weights.
    pub(super) fn resident_bytes(&self) -> usize {
        self.screen.bytes() + self.dense.bytes() + self.words.resident_bytes()
    }
}

impl Work {
    fn bytes(&self) -> usize {
        let floats = [
            &self.tokens, &self.packed, &self.bounds, &self.rows, &self.logits,
        ];
        floats
            .iter()
            .map(|buffer| buffer.capacity() * size_of::<f32>())
            .sum()
    }
}
