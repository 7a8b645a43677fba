//! BERT's encoder (Devlin et al. 2018) on the CPU with this crate's kernel.
//!
//! Tokens of all texts are in one matrix `[tokens, size]`, text after text, so the linear layers
//! see one large product and no padding; attention handles one text at a time. Scratch memory is
//! reused.

use std::sync::Arc;

use parking_lot::Mutex;

use super::config::Config;
use super::reader::Text;
use super::shelf::{Linear, Norm, Shelf};
use crate::checkpoint::{LoadError, Rows};
use crate::kernel::{Activation, Attention, AttentionBuffers, Onto, View, layer_norm, product};

/// Rows that pass through both layers after attention at once: bounds the widest matrix.
const ROWS_MAX: usize = 144;
/// Scratch buffers kept for the next calls; further concurrent callers allocate their own.
const KEPT_MAX: usize = 4;
/// A buffer that a long text made larger than this is freed.
const KEPT_BYTES_MAX: usize = 32 << 20;

/// The network with its weights packed in f32; embedding tables stay in a mapped file.
pub(super) struct CpuBert {
    tables: Arc<[Rows; 3]>,
    first_position: usize,
    norm: Arc<Norm>,
    layers: Vec<Arc<Layer>>,
    attention: Attention,
    wide: usize,
    activation: Activation,
    eps: f32,
    spare: Mutex<Vec<Work>>,
}

struct Layer {
    qkv: Linear,
    attended: Linear,
    attended_norm: Norm,
    up: Linear,
    down: Linear,
    down_norm: Norm,
}

/// Scratch memory of one call.
#[derive(Default)]
struct Work {
    /// `[tokens, size]`
    x: Vec<f32>,
    /// `[tokens, 3 * size]`
    qkv: Vec<f32>,
    /// `[tokens, size]`
    attended: Vec<f32>,
    /// `[ROWS_MAX, wide]`
    wide: Vec<f32>,
    packed: Vec<f32>,
    attention: AttentionBuffers,
}

impl CpuBert {
    /// Loads the weights of a network of this size.
    pub(super) fn new(shelf: &Shelf<'_>) -> Result<Self, LoadError> {
        let config = shelf.config;
        Ok(Self {
            tables: Arc::new(shelf.tables()?),
            first_position: config.first_position(),
            norm: Arc::new(shelf.norm("embeddings.LayerNorm")?),
            layers: Layer::all(shelf, 0)?,
            attention: Attention {
                heads: config.num_attention_heads,
                size: config.hidden_size,
            },
            wide: config.intermediate_size,
            activation: config.activation(),
            eps: config.layer_norm_eps as f32,
            spare: Mutex::default(),
        })
    }

    /// The embeddings and the first layers of this network, which both then share.
    pub(super) fn first(&self, layers: usize) -> Self {
        self.with(self.layers[..layers.min(self.layers.len())].to_vec())
    }

    /// The layers of another checkpoint, from `first` on, for [`run_over`](Self::run_over).
    pub(super) fn further(&self, first: usize, own: &Shelf<'_>) -> Result<Self, LoadError> {
        Ok(self.with(Layer::all(own, first)?))
    }

    fn with(&self, layers: Vec<Arc<Layer>>) -> Self {
        Self {
            tables: Arc::clone(&self.tables),
            norm: Arc::clone(&self.norm),
            layers,
            spare: Mutex::default(),
            ..*self
        }
    }

    /// The result of `each` on the last layer of each text, `[tokens, size]`. Runs on this thread
    /// only and takes no lock for long.
    pub(super) fn run<T>(&self, texts: &[Text], each: impl Fn(&[f32]) -> T) -> Vec<T> {
        self.run_over(texts, |x| self.embed(texts, x), each)
    }

    /// The same, where `begin` writes what the first layer reads.
    pub(super) fn run_over<T>(
        &self,
        texts: &[Text],
        begin: impl FnOnce(&mut [f32]),
        each: impl Fn(&[f32]) -> T,
    ) -> Vec<T> {
        // Popped in a separate statement, so that the lock is not held while the network runs.
        let spare = self.spare.lock().pop();
        let mut work = spare.unwrap_or_default();
        let tokens: usize = texts.iter().map(|text| text.ids.len()).sum();
        work.resize(tokens, self.attention.size);
        begin(&mut work.x);
        self.last_layer(texts, &mut work);
        let mut rest = &work.x[..];
        let results = texts.iter().map(|text| {
            let (own, after) = rest.split_at(text.ids.len() * self.attention.size);
            rest = after;
            each(own)
        });
        let results = results.collect();
        if work.bytes() <= KEPT_BYTES_MAX {
            let mut spare = self.spare.lock();
            if spare.len() < KEPT_MAX {
                spare.push(work);
            }
        }
        results
    }

    /// Memory of weights and spare scratch buffers.
    pub(super) fn resident_bytes(&self) -> usize {
        let layers = self.layers.iter().map(|it| it.bytes()).sum::<usize>();
        let spare = self.spare.lock().iter().map(Work::bytes).sum::<usize>();
        layers + spare + self.tables.iter().map(Rows::resident_bytes).sum::<usize>()
    }

    /// Mapped bytes of the weights file; pages that are read become resident.
    pub(super) fn mapped_bytes(&self) -> usize {
        self.tables.iter().map(Rows::mapped_bytes).sum()
    }

    fn last_layer(&self, texts: &[Text], work: &mut Work) {
        let size = self.attention.size;
        for layer in &self.layers {
            let none = Activation::None;
            let x = View::dense(&work.x, size);
            layer.qkv.run(x, none, &mut work.qkv, &mut work.packed);
            let mut first = 0;
            for text in texts {
                let end = first + text.ids.len();
                let qkv = &work.qkv[3 * size * first..3 * size * end];
                let result = &mut work.attended[size * first..size * end];
                let buffers = &mut work.attention;
                self.attention.run(qkv, result, buffers, &mut work.packed);
                first = end;
            }
            let attended = View::dense(&work.attended, size);
            layer.attended.add(attended, &mut work.x, &mut work.packed);
            self.bring(&layer.attended_norm, &mut work.x);
            for x in work.x.chunks_mut(ROWS_MAX * size) {
                let wide = &mut work.wide;
                wide.resize(x.len() / size * self.wide, 0.0);
                let (up, down) = (&layer.up, &layer.down);
                up.run(
                    View::dense(x, size),
                    self.activation,
                    wide,
                    &mut work.packed,
                );
                down.add(View::dense(wide, self.wide), x, &mut work.packed);
                self.bring(&layer.down_norm, x);
            }
        }
    }

    fn bring(&self, norm: &Norm, x: &mut [f32]) {
        layer_norm(x, &norm.scale, &norm.shift, self.eps);
    }

    fn embed(&self, texts: &[Text], x: &mut [f32]) {
        let [words, positions, segments] = &*self.tables;
        let mut rows = x.chunks_exact_mut(self.attention.size);
        for text in texts {
            let tokens = text.ids.iter().zip(&text.segments).zip(&mut rows);
            for (place, ((id, segment), row)) in tokens.enumerate() {
                row.fill(0.0);
                words.add_to(*id as usize, row);
                segments.add_to(*segment as usize, row);
                positions.add_to(self.first_position + place, row);
            }
        }
        self.bring(&self.norm, x);
    }
}

impl Layer {
    /// The layers from `first` on.
    fn all(shelf: &Shelf<'_>, first: usize) -> Result<Vec<Arc<Self>>, LoadError> {
        let layers = first..shelf.config.num_hidden_layers;
        layers
            .map(|index| Ok(Arc::new(Self::new(shelf, index)?)))
            .collect()
    }

    fn new(shelf: &Shelf<'_>, index: usize) -> Result<Self, LoadError> {
        let Config {
            hidden_size: size,
            intermediate_size: wide,
            ..
        } = *shelf.config;
        let at = |part: &str| format!("encoder.layer.{index}.{part}");
        Ok(Self {
            qkv: shelf.qkv(&at("attention.self"))?,
            attended: shelf.linear(&at("attention.output.dense"), (size, size))?,
            attended_norm: shelf.norm(&at("attention.output.LayerNorm"))?,
            up: shelf.linear(&at("intermediate.dense"), (size, wide))?,
            down: shelf.linear(&at("output.dense"), (wide, size))?,
            down_norm: shelf.norm(&at("output.LayerNorm"))?,
        })
    }

    fn bytes(&self) -> usize {
        let linear = [&self.qkv, &self.attended, &self.up, &self.down];
        linear.iter().map(|linear| linear.bytes()).sum()
    }
}

impl Linear {
    /// Writes `x * weight + bias` into `result` and applies `activation`.
    pub(super) fn run(
        &self,
        x: View<'_>,
        activation: Activation,
        result: &mut [f32],
        packed: &mut Vec<f32>,
    ) {
        let to = (result, self.weight.columns());
        product(
            x,
            &self.weight,
            Onto::Bias(&self.bias),
            activation,
            to,
            packed,
        );
    }

    /// Adds `x * weight + bias` to `result`.
    fn add(&self, x: View<'_>, result: &mut [f32], packed: &mut Vec<f32>) {
        let to = (result, self.weight.columns());
        let onto = Onto::Residual(&self.bias);
        product(x, &self.weight, onto, Activation::None, to, packed);
    }
}

impl Work {
    fn resize(&mut self, tokens: usize, size: usize) {
        self.x.resize(tokens * size, 0.0);
        self.qkv.resize(tokens * 3 * size, 0.0);
        self.attended.resize(tokens * size, 0.0);
    }

    fn bytes(&self) -> usize {
        let buffers = [&self.x, &self.qkv, &self.attended, &self.wide, &self.packed];
        let floats = buffers
            .iter()
            .map(|buffer| buffer.capacity())
            .sum::<usize>();
        floats * size_of::<f32>() + self.attention.bytes()
    }
}
